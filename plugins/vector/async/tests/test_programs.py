"""Test complete programs, which run as scripts in their own processes and define classes that workers need."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

METHODS = ["fork", pytest.param("forkserver", marks=pytest.mark.slow), pytest.param("spawn", marks=pytest.mark.slow)]
HEAD = """
import ctypes, dataclasses, enum, functools, os, pathlib, pickle, signal, sys
import numpy as np
import gymkernel as gym
from gymkernel import Space, ops
from gymkernel.space import Field
from gymkernel.vector import AsyncVectorEnv

METHOD = sys.argv[1]
with open("runs", "a") as file:
    file.write(__name__ + " ")


class Numbers(Space):
    def __init__(self, shape=(2,)):
        super().__init__(shape, np.float32)

    def layout(self):
        return (Field.of(self.dtype, self.shape),)

    def contains(self, x):
        return isinstance(x, np.ndarray)

    def __eq__(self, other):
        return isinstance(other, Numbers) and self.shape == other.shape


@ops.batch_space.register(Numbers)
def _(space, n=1):
    return Numbers((n, *space.shape))


@ops.iterate.register(Numbers)
def _(space, items):
    return iter(items)


class Phase(enum.Enum):
    BEGIN = 1
    END = 2


@dataclasses.dataclass
class Point:
    x: int
    seen = 0

    def moved(self):
        return STEP + self.x


STEP = 1


class Unlucky(ValueError):
    def __init__(self, code, text):
        super().__init__(f"{text} {code}")
        self.code = code


class Env(gym.Env):
    # Its infos are the result of a function that takes the options.

    def __init__(self, make_info=lambda options: {}):
        self.observation_space, self.action_space, self.make_info = Numbers(), Numbers((1,)), make_info

    def reset(self, *, seed=None, options=None):
        return np.zeros(2, np.float32), self.make_info(options)

    def step(self, action):
        return np.zeros(2, np.float32), 1.0, False, False, self.make_info(None)


def made(make_info, n=2, **kwargs):
    return AsyncVectorEnv([lambda: Env(make_info)] * n, num_workers=2, context=METHOD, **kwargs)


def first(make_info, options=None):
    with made(make_info) as envs:
        return envs.reset(options=options)[1]
"""


def guarded(head: str, program: str) -> str:
    """Return a script that begins with `head` and runs `program` only if the script is the main program."""
    return f"{head}\n\nif __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in program.splitlines())


def run(tmp_path: Path, program: str, *arguments: str, head: str = HEAD) -> str:
    """Run a program, check that it exits without writing to standard error, and return its output."""
    script = tmp_path / "program.py"
    script.write_text(
        f"{head}\n\nif __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in program.splitlines())
    )
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def runs(tmp_path: Path) -> list[str]:
    """Return the values of `__name__` with which processes ran the script."""
    return (tmp_path / "runs").read_text(encoding="ascii").split()


@pytest.mark.parametrize("method", METHODS)
def test_objects_of_a_script_keep_their_class_and_it_runs_once(method: str, tmp_path: Path) -> None:
    program = """
phases = first(lambda options: {"phase": Phase.END, "point": Point(3)})
print(phases["phase"][0] is Phase.END, [type(one) is Point for one in phases["point"]], phases["point"][1] == Point(3))
"""
    assert run(tmp_path, program, method) == "True [True, True] True"
    assert runs(tmp_path) == ["__main__"]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_classes_of_the_parent_are_not_replaced(method: str, tmp_path: Path) -> None:
    program = """
def make_info(options):
    Point.seen += 1
    return {"point": Point(3)}
method, begun = Point.moved, first(make_info)
STEP = 10
print(Point.moved is method, Point.seen, begun["point"][0].moved())
"""
    assert run(tmp_path, program, method) == "True 0 13"


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_objects_of_a_script_reach_its_environments(method: str, tmp_path: Path) -> None:
    program = """
make_info = lambda options: {"same": isinstance(options["point"], Point) and options["phase"] is Phase.END}
print(first(make_info, {"point": Point(3), "phase": Phase.END})["same"])
with made(lambda options: {}) as envs:
    envs.set_attr("point", [Point(3), Point(4)])
    envs.set_attr("make_info", lambda options: {"same": options["point"] == Point(7)})
    same = envs.reset(options={"point": Point(7)})[1]["same"]
    print([type(point) is Point for point in envs.get_attr("point")], same)
"""
    assert run(tmp_path, program, method).splitlines() == ["[ True  True]", "[True, True] [ True  True]"]
    assert runs(tmp_path) == ["__main__"]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_exceptions_of_a_script_keep_their_class(method: str, tmp_path: Path) -> None:
    program = """
def make_info(options):
    raise Unlucky(7, "bad")
try:
    first(make_info)
except Unlucky as error:
    print(error.code, error.args, error.indices)
"""
    assert run(tmp_path, program, method) == "7 ('bad 7',) [0, 1]"


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_spaces_of_a_script_keep_their_class(method: str, tmp_path: Path) -> None:
    program = """
with made(lambda options: {}) as envs:
    print(type(envs.single_observation_space) is Numbers, type(envs.action_space) is Numbers)
    envs.reset()
    print(len(envs.step(np.zeros((2, 1), np.float32))[0]))
"""
    assert run(tmp_path, program, method).splitlines() == ["True True", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_main_module_exists_in_workers(method: str, tmp_path: Path) -> None:
    program = """
GUARDED = 1
pickled = pickle.dumps(Point(3))
def make_info(options):
    import __main__
    return {"x": pickle.loads(options["pickled"]).x, "step": __main__.STEP, "guarded": hasattr(__main__, "GUARDED"),
            "file": os.path.basename(__main__.__file__), "point": __main__.Point(4)}
begun = first(make_info, {"pickled": pickled})
print(*(begun[key].tolist() for key in ("x", "step", "guarded", "file")), [type(p) is Point for p in begun["point"]])
"""
    guarded = [method == "fork"] * 2  # workers do not run code under `if __name__ == "__main__"`
    expected = f"[3, 3] [1, 1] {guarded} ['program.py', 'program.py'] [True, True]"
    assert run(tmp_path, program, method) == expected
    assert runs(tmp_path) == (["__main__"] if method == "fork" else ["__main__", "__mp_main__", "__mp_main__"])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_package_run_with_m_is_the_main_module(method: str, tmp_path: Path) -> None:
    program = "def make_info(options):\n    import __main__\n"
    program += "    return {'step': __main__.STEP, 'package': __main__.__package__}"
    program += "\nprint(*(value.tolist() for value in first(make_info).values()))"
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "program.py").write_text(guarded(HEAD, program), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "package.program", method],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("[1, 1] [True, True] ['package', 'package']")


@pytest.mark.parametrize("method", METHODS)
def test_script_without_main_guard_starts_workers(method: str, tmp_path: Path) -> None:
    program = "print(first(lambda options: {'phase': Phase.END})['phase'][0] is Phase.END)"
    assert run(tmp_path, "pass", method, head=f"{HEAD}\n\n{program}") == "True"
    assert runs(tmp_path) == ["__main__"]


REGISTERED = """
def which(tag="", made=lambda options: {}, **kwargs):
    return Env(lambda options: {"tag": tag})
gym.register("Class-v0", entry_point=which, kwargs={"tag": "class"}, order_enforce=False)
make_info = functools.partial(dict, tag="text")
gym.register("lab/Text-v3", entry_point="__main__:Env", kwargs={"make_info": make_info}, order_enforce=False)
gym.register("Lambda-v0", entry_point=lambda **kwargs: which("lambda"), order_enforce=False)
"""


@pytest.mark.parametrize("method", METHODS)
def test_ids_registered_by_the_program_are_known_in_workers(method: str, tmp_path: Path) -> None:
    program = (
        REGISTERED
        + """
for env_id in ("Class-v0", "Lambda-v0"):
    with AsyncVectorEnv([lambda: gym.make(env_id, disable_env_checker=True).unwrapped] * 2, context=METHOD) as envs:
        print(envs.reset()[1]["tag"].tolist())
def listed():
    return Env(lambda options: {"spec": gym.spec("lab/Text-v3").id + str("lab/Text-v3" in gym.registry)})
with AsyncVectorEnv([listed], context=METHOD) as envs:
    print(envs.reset()[1]["spec"].tolist())
"""
    )
    lines = ["['class', 'class']", "['lambda', 'lambda']"]
    assert run(tmp_path, program.replace('gym.spec("lab/Text")', 'gym.spec("lab/Text-v3")'), method).splitlines() == [
        *lines,
        "['lab/Text-v3True']",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_ids_registered_before_a_restart_are_known_after_it(method: str, tmp_path: Path) -> None:
    program = """
def make_info(options):
    return {"known": "Late-v0" in gym.registry}
with made(make_info, on_error="restart") as envs:
    print(envs.reset()[1]["known"].tolist())
    gym.register("Late-v0", entry_point=Env, order_enforce=False)
    os.kill(envs.processes[0].pid, signal.SIGKILL)
    actions = np.zeros((2, 1), np.float32)
    envs.step(actions)
    print(envs.step(actions)[-1]["known"].tolist())
"""
    assert run(tmp_path, program, method).splitlines() == ["[False, False]", "[True, False]"]


@pytest.mark.slow
def test_unpicklable_registration_fails_only_when_used(tmp_path: Path) -> None:
    program = """
import threading
lock = threading.Lock()
gym.register("Locked-v0", entry_point=lambda **kwargs: lock, order_enforce=False)
gym.register("Free-v0", entry_point=lambda **kwargs: Env(), order_enforce=False)
def make_info(options):
    return {"made": gym.make("Free-v0", disable_env_checker=True) is not None}
print(first(make_info)["made"])
try:
    first(lambda options: {"made": gym.make("Locked-v0")})
except pickle.PicklingError as error:
    print("Locked-v0 cannot be pickled" in str(error), "module:attribute" in str(error))
"""
    assert run(tmp_path, program, "spawn").splitlines() == ["[ True  True]", "True True"]


THREADS = """
import threading
def native():
    libc = ctypes.CDLL(None)
    libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, ctypes.cast(libc.pause, ctypes.c_void_p), None)
def openmp():
    runtime, libc = ctypes.CDLL("libgomp.so.1"), ctypes.CDLL(None)
    runtime.GOMP_parallel(ctypes.cast(libc.getpid, ctypes.c_void_p), None, 3, 0)
def blas():
    np.ones((600, 600)) @ np.ones((600, 600))
def opengl():
    ctypes.CDLL("libGL.so.1")
blas()
globals()[sys.argv[2]]()
with AsyncVectorEnv([Env, Env], num_workers=2, context=None) as envs:
    envs.reset()
    print({type(process).__name__ for process in envs.processes})
"""


def loads(library: str) -> bool:
    return (
        subprocess.run(
            [sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r})"], check=False, capture_output=True
        ).returncode
        == 0
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork by default")
@pytest.mark.parametrize(
    "what,expected,library",
    [
        ("blas", "ForkProcess", None),
        pytest.param("native", "ForkServerProcess", None, marks=pytest.mark.slow),
        pytest.param("openmp", "ForkServerProcess", "libgomp.so.1", marks=pytest.mark.slow),
        pytest.param("opengl", "ForkServerProcess", "libGL.so.1", marks=pytest.mark.slow),
    ],
    ids=["NumPy", "a thread of C", "OpenMP", "OpenGL"],
)
def test_fork_is_the_default_unless_threads_would_not_survive(
    what: str, expected: str, library: str | None, tmp_path: Path
) -> None:
    if library is not None and not loads(library):
        pytest.skip(f"{library} is not on this machine")
    assert run(tmp_path, THREADS, "none", what) == f"{{'{expected}'}}"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_requested_fork_with_native_threads_warns(tmp_path: Path) -> None:
    program = (
        THREADS.partition("with ")[0]
        + """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    made(lambda options: {}).close()
print({str(one.message).partition(":")[0:3:2] for one in caught})
"""
    )
    expected = "1 other threads are running, and workers are forked"
    assert expected in run(tmp_path, program, "fork", "native")
