"""Test that `AsyncVectorEnv(worker=...)` uses Gymnasium's class, which is executed with gymkernel's classes."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

FILE = """
    from gymnasium.vector.vector_env import VectorEnv

    class AsyncVectorEnv(VectorEnv):
        def __init__(self, env_fns, shared_memory=True, copy=True, context=None, daemon=True, worker=None):
            self.num_envs, self.processes = len(env_fns), [worker(fn) for fn in env_fns]

        def close_extras(self):
            print("closed", self.processes)
"""


@pytest.fixture
def async_library(library: Path) -> None:
    """Add an `AsyncVectorEnv` to the library that is called `gymnasium`."""
    (library / "vector" / "async_vector_env.py").write_text(textwrap.dedent(FILE), encoding="utf-8")


@pytest.mark.usefixtures("async_library")
@pytest.mark.parametrize(
    "arguments", ["worker=str.upper", pytest.param("True, True, None, True, str.upper", marks=pytest.mark.slow)]
)
def test_a_worker_function_selects_gymnasiums_class(arguments: str, outputs: Callable[[str], list[str]]) -> None:
    assert outputs(f"""
        import gymkernel, gymnasium.vector
        from gymnasium.vector import AsyncVectorEnv
        envs = AsyncVectorEnv(["a", "b"], {arguments})
        print(isinstance(envs, AsyncVectorEnv), isinstance(envs, gymkernel.vector.VectorEnv), envs.num_envs)
        print(type(envs).__module__, type(envs).__name__)
        envs.close()
    """) == ["True True 2", "gymnasium.vector.async_vector_env AsyncVectorEnv", "closed ['A', 'B']"]


@pytest.mark.usefixtures("async_library")
def test_without_a_worker_function_gymkernels_class_is_used(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        from gymnasium.vector import AsyncVectorEnv
        class Derived(AsyncVectorEnv):
            pass
        try:
            AsyncVectorEnv([3])
        except (TypeError, ValueError) as exc:
            print(str(exc)[:24])
        try:
            Derived([print], worker=print)
        except ValueError as exc:
            print(str(exc)[:24])
    """) == ["Expected each item of en", "worker= is not supported"]


@pytest.mark.slow
@pytest.mark.usefixtures("async_library")
@pytest.mark.parametrize("name, options", [("AsyncVectorEnv", []), ("SyncVectorEnv", ["--backend", "async"])])
def test_the_report_contains_gymkernels_class(
    name: str, options: list[str], tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "program.py").write_text(
        "import gymnasium as gym\n"
        'if __name__ == "__main__":\n'
        f'    envs = gym.vector.{name}([lambda: gym.make("CartPole-v1")] * 2)\n'
        "    envs.reset(seed=1)\n"
        "    envs.step([0, 1])\n"
        "    envs.close()\n",
        encoding="utf-8",
    )

    result = run("--report", *options, "program.py")

    assert result.returncode == 0, result.stderr
    assert "CartPole-v1, 2 in AsyncVectorEnv  step    1 " in result.stderr
