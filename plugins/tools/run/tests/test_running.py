"""Test that `gymkernel run` runs programs in the same way as `python`."""

from __future__ import annotations

import os
import signal
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

SHOW = """
import gc
import sys
import warnings
number: int = 1
print(sys.argv, __name__, __file__, __spec__ and __spec__.name, __package__, sys.path[0])
print(sys.modules["__main__"].__dict__ is globals(), sorted(globals()), __annotations__)
print(gc.get_threshold(), warnings.showwarning.__module__)
"""
ENDS = {
    "none": "",
    "status": "import sys; sys.exit(7)",
    "message": "import sys; sys.exit('no such thing')",
    "error": "def f():\n    return 1 / 0\n\nf()",
    "chained": "try:\n    {}[1]\nexcept KeyError as exc:\n    raise ValueError('no') from exc",
    "syntax": "x = (1,\n",
    "hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\nraise RuntimeError",
    "exit handler": "import atexit\natexit.register(print, 'at the end')\nraise RuntimeError('no')",
    "thread": "import threading\nthreading.Timer(0.1, print, ['late']).start()\nraise RuntimeError('no')",
    "base": "raise GeneratorExit",
    "interrupt": "raise KeyboardInterrupt",
    "warning": "import warnings; warnings.warn('careful')",
}
if os.name == "posix":
    ENDS["C library"] = "import ctypes\nprint('first')\nctypes.CDLL(None).printf(b'second' + bytes([10]))"
    ENDS["C library and status"] = ENDS["C library"] + "\nraise SystemExit(3)"
    ENDS["C library and error"] = ENDS["C library"] + "\nraise ValueError"
if sys.version_info < (3, 13):  # later versions of Python underline other parts of frozen modules
    ENDS["import"] = "import no_such_module"
SIMPLE = {"status", "error", "interrupt", "C library"}
"""The ends that every run of the tests compares. The tests of the other ends are marked as slow."""


@pytest.mark.parametrize(
    "arguments",
    [
        ("show.py", "-m", "--children", "x"),
        ("-m", "show", "-m", "--help"),
        pytest.param(("-mshow", "x"), marks=pytest.mark.slow),
        pytest.param(("-", "a"), marks=pytest.mark.slow),
    ],
)
def test_a_program_sees_what_python_shows_it(
    arguments: tuple[str, ...],
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[str]],
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    (tmp_path / "show.py").write_text(SHOW, encoding="utf-8")
    text = "import sys; print(sys.argv, __name__, sys.path[0])" if arguments[0] == "-" else None

    ours, theirs = run(*arguments, text=text), python(*arguments, text=text)

    assert ours.stdout == theirs.stdout != ""
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr) == (0, "")


@pytest.mark.parametrize("end", [pytest.param(end, marks=() if end in SIMPLE else pytest.mark.slow) for end in ENDS])
def test_a_program_ends_as_with_python(
    end: str,
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[str]],
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    (tmp_path / "program.py").write_text(ENDS[end], encoding="utf-8")

    ours, theirs = run("program.py"), python("program.py")

    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    if end == "interrupt" and sys.platform != "win32":
        assert ours.returncode == -signal.SIGINT


@pytest.mark.slow
@pytest.mark.parametrize("end", [end for end in ENDS if end == "error" or end.startswith("C library")])
def test_a_module_ends_as_with_python(
    end: str,
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[str]],
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    (tmp_path / "program.py").write_text(ENDS[end], encoding="utf-8")

    ours, theirs = run("-m", "program"), python("-m", "program")

    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


@pytest.mark.slow
def test_a_module_that_does_not_exist_gives_the_error_of_python(
    run: Callable[..., subprocess.CompletedProcess[str]], python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    ours, theirs = run("-m", "no_such_module"), python("-m", "no_such_module")

    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)


@pytest.mark.parametrize("kind", ["folder", pytest.param("archive.pyz", marks=pytest.mark.slow)])
def test_folders_and_zip_files_are_programs(
    kind: str,
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[str]],
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    text = "import sys, helper\nprint(sys.argv, __name__, __package__, sys.path[0], helper.__name__)"
    files = {"__main__.py": text, "helper.py": ""}
    if kind == "folder":
        (tmp_path / kind).mkdir()
        for name, content in files.items():
            (tmp_path / kind / name).write_text(content, encoding="utf-8")
    else:
        with zipfile.ZipFile(tmp_path / kind, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    ours, theirs = run(kind, "x"), python(kind, "x")

    assert ours.stdout == theirs.stdout != ""


def test_a_program_needs_no_plugins_that_are_installed_separately(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium as gym
        from gymnasium.spaces import Box, Dict, Discrete, Graph, MultiBinary
        from gymnasium.spaces import MultiDiscrete, OneOf, Sequence, Text, Tuple
        from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
        from gymnasium.wrappers import ClipAction, FlattenObservation, NormalizeReward, RecordEpisodeStatistics

        print(RecordEpisodeStatistics(FlattenObservation(gym.make("Taxi-v4"))).observation_space.shape)
        print(NormalizeReward(ClipAction(gym.make("Pendulum-v1"))).spec.id)
        for backend in (AsyncVectorEnv, SyncVectorEnv):
            envs = backend([lambda: gym.make("CartPole-v1")] * 2)
            print(envs.reset(seed=1)[0].shape)
            envs.close()
    """) == ["(500,)", "Pendulum-v1", "(2, 4)", "(2, 4)"]


def test_observations_are_normalized_with_gymnasiums_precision(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium as gym

        print(gym.wrappers.NormalizeObservation(gym.make("CartPole-v1")).obs_rms.mean.dtype)
        print(gym.wrappers.vector.NormalizeObservation(gym.make_vec("CartPole-v1", 2)).obs_rms.var.dtype)
    """) == ["float32", "float32"]


def test_infos_at_a_time_limit_have_no_additional_key(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium as gym
        from gymnasium.wrappers import TimeLimit

        def make():
            return TimeLimit(gym.make("CartPole-v1"), 1)

        env = make()
        env.reset(seed=1)
        print(*env.step(0)[2:])
        envs = gym.vector.SyncVectorEnv([make, make])
        envs.reset(seed=1)
        print(*envs.step([0, 1])[2:])
    """) == ["False True {}", "[False False] [ True  True] {}"]


def test_the_isolated_mode_of_python_is_respected(
    tmp_path: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "program.py").write_text("import sys; print(sys.path)", encoding="utf-8")

    ours, theirs = python("-I", "-m", "gymkernel", "run", "program.py"), python("-I", "program.py")

    assert ours.stdout == theirs.stdout != ""


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "Expected a SCRIPT or -m MODULE"),
        (["nowhere.py"], "nowhere.py' cannot be read: No such file or directory"),
        (["--no-such-option", "x.py"], "No such option"),
    ],
)
def test_a_wrong_command_line_gives_an_error(
    arguments: list[str], message: str, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    result = run(*arguments)

    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
