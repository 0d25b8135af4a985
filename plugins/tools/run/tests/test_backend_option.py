"""Test `gymkernel run --backend`, which uses another vector backend instead of `SyncVectorEnv`."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import Env
from gymkernel_tool_run.backends import reason_to_keep

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """
import os
import sys
import gymnasium as gym
from gymnasium.vector import SyncVectorEnv

class Where(gym.Env):
    observation_space = gym.spaces.Discrete(1 << 30)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return int(self.np_random.integers(1000)), {"pid": os.getpid()}

    def step(self, action):
        done = self.np_random.random() < 0.1
        return int(self.np_random.integers(1000)), float(action), bool(done), False, {}

def show(envs):
    _, infos = envs.reset(seed=3)
    print("here" if os.getpid() in infos["pid"].tolist() else "elsewhere")
"""
LOCAL = Env()


def run(folder: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program, preceded by the header above, with options of `gymkernel run`."""
    (folder / "program.py").write_text(HEADER + program, encoding="utf-8")
    command = [sys.executable, "-m", "gymkernel", "run", *options, "program.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


class Sync:
    """A class with the parameters of `SyncVectorEnv`."""

    def __init__(
        self,
        env_fns: Any,
        copy: bool = True,
        observation_mode: Any = "same",
        autoreset_mode: Any = "NextStep",
        *,
        list_infos: bool = False,
    ) -> None: ...


def test_usual_arguments_can_be_replaced() -> None:
    assert reason_to_keep(Sync, ([lambda: Env()] * 2,), {"autoreset_mode": "SameStep"}) is None  # noqa: PLW0108


@pytest.mark.parametrize(
    "args, kwargs, reason",
    [
        (([Env], False), {}, "copy=False"),
        (([Env],), {"list_infos": True}, "list_infos=True"),
        (([lambda: LOCAL],), {}, "a function that creates an environment refers to an environment that already exists"),
        (([functools.partial(dict, env=LOCAL)],), {}, "a function that creates an environment refers to"),
        (([LOCAL.reset],), {}, "a function that creates an environment refers to"),
        (([lambda envs=[LOCAL]: envs[0]],), {}, "a function that creates an environment refers to"),
        ((), {}, ""),
    ],
)
def test_arguments_that_need_the_sync_backend_are_recognised(args: Any, kwargs: Any, reason: str) -> None:
    found = reason_to_keep(Sync, args, kwargs)
    assert found is not None
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


def test_an_environment_in_a_closure_is_recognised() -> None:
    env = Env()
    assert reason_to_keep(Sync, ([lambda: env],), {})


@pytest.mark.slow
@pytest.mark.parametrize("create", ["SyncVectorEnv([Where] * 3)", "gym.make_vec('Where-v0', 3)"])
def test_environments_are_in_other_processes_and_give_the_same_results(tmp_path: Path, create: str) -> None:
    program = (
        f"gym.register('Where-v0', Where)\nenvs = {create}\nshow(envs)\n"
        "envs.action_space.seed(1)\n"
        "for _ in range(50):\n    print([part.tolist() for part in envs.step(envs.action_space.sample())[:4]])\n"
        "print(isinstance(envs, SyncVectorEnv), envs.num_envs, envs.single_action_space)\nenvs.close()\n"
    )

    plain, replaced = run(tmp_path, program), run(tmp_path, program, "--backend", "async")

    assert plain.stdout.startswith("here\n"), plain.stderr
    assert replaced.stdout.startswith("elsewhere\n"), replaced.stderr
    assert plain.stdout.splitlines()[1:] == replaced.stdout.splitlines()[1:]
    assert len(plain.stdout.splitlines()) == 52
    assert replaced.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "create",
    [
        "type('Mine', (SyncVectorEnv,), {})([Where] * 2)",
        "SyncVectorEnv([Where] * 2, copy=False)",
        "SyncVectorEnv([lambda env=Where(): env])",
    ],
)
def test_a_sync_vector_env_is_kept_where_its_semantics_are_needed(tmp_path: Path, create: str) -> None:
    done = run(tmp_path, f"envs = {create}\nshow(envs)\nprint(len(envs.envs) > 0)\n", "--backend", "async")

    assert done.stdout == "here\nTrue\n", done.stderr


@pytest.mark.slow
def test_a_program_that_uses_the_environments_first_gets_a_sync_vector_env(tmp_path: Path) -> None:
    program = "envs = SyncVectorEnv([Where] * 2)\nprint(len(envs.envs), type(envs) is SyncVectorEnv)\nshow(envs)\n"

    done = run(tmp_path, program, "--backend", "async")

    assert done.stdout == "2 True\nhere\n", done.stderr
    assert "SyncVectorEnv is not replaced with AsyncVectorEnv, because the program uses its attribute envs" in (
        done.stderr
    )


@pytest.mark.slow
def test_environments_that_have_changed_are_not_available_and_the_error_says_why(tmp_path: Path) -> None:
    program = "envs = SyncVectorEnv([Where] * 2)\nenvs.reset(seed=1)\nenvs.envs\n"

    done = run(tmp_path, program, "--backend", "async")

    assert done.returncode == 1
    assert "AttributeError: AsyncVectorEnv replaces SyncVectorEnv (gymkernel run --backend)" in done.stderr


@pytest.mark.slow
def test_functions_that_cannot_be_sent_to_a_worker_run_in_this_process(tmp_path: Path) -> None:
    program = (
        "import multiprocessing as mp, threading\n"
        "class Locked(Where):\n"
        "    def __init__(self, lock):\n"
        "        self.lock = lock\n"
        'if __name__ == "__main__":\n'
        '    mp.set_start_method("spawn")\n'
        "    lock = threading.Lock()\n"
        "    show(SyncVectorEnv([lambda: Locked(lock)] * 2))\n"
    )

    done = run(tmp_path, program, "--backend", "async")

    assert done.stdout == "here\n", done.stderr
    assert "because AsyncVectorEnv raised" in done.stderr


@pytest.mark.slow
def test_environments_with_parameters_from_numpys_global_generator_run_in_this_process(tmp_path: Path) -> None:
    program = (
        "import numpy as np\n"
        "class Long(Where):\n"
        "    def __init__(self):\n"
        "        self.length = np.random.uniform()\n"
        "np.random.seed(7)\n"
        "envs = SyncVectorEnv([Long] * 3)\n"
        'print(*envs.get_attr("length"), np.random.uniform())\n'
        "show(envs)\n"
    )

    plain, kept = run(tmp_path, program), run(tmp_path, program, "--backend", "async")

    assert kept.stdout == plain.stdout, kept.stderr
    assert kept.stdout.endswith("here\n")
    assert "because a function that creates an environment draws from NumPy's global generator" in kept.stderr


@pytest.mark.slow
def test_an_error_of_an_environment_is_the_error_of_the_sync_backend(tmp_path: Path) -> None:
    program = (
        'class Broken(Where):\n    def __init__(self):\n        raise OSError("no file")\nSyncVectorEnv([Broken])\n'
    )

    plain, replaced = run(tmp_path, program), run(tmp_path, program, "--backend", "async")

    assert plain.returncode == replaced.returncode == 1
    assert plain.stderr.splitlines()[-1] == replaced.stderr.splitlines()[-1] == "OSError: no file"


@pytest.mark.slow
def test_the_report_names_what_was_replaced(tmp_path: Path) -> None:
    done = run(tmp_path, "show(SyncVectorEnv([Where] * 2))\n", "--report", "--backend", "async")

    assert "AsyncVectorEnv replaced 1 SyncVectorEnv (--backend)" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, message",
    [
        ("asinc", "got 'asinc'; did you mean async?"),
        ("sync", "leave this option out to use SyncVectorEnv"),
        ("nothing", "installed backends: async"),
    ],
)
def test_a_wrong_name_is_an_error_that_suggests_the_right_one(tmp_path: Path, name: str, message: str) -> None:
    done = run(tmp_path, "print('started')\n", "--backend", name)

    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""
