"""Cause one fault in a vector environment, in a separate process: `python scenes.py NAME START_METHOD`.

A scene is a function that causes a fault and checks the error. Afterwards, no process or shared memory may be left.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gymkernel as gym
from gymkernel.spaces import Box, Discrete
from gymkernel_vector_async import AsyncVectorEnv, WorkerError, WorkerTimeoutError

N = 8
ACTIONS = np.zeros(N, np.int64)
PROMPT = 9.0
"""A time limit in seconds. It is less than the ten seconds that `close` waits for environments that still respond."""
SCENES: dict[str, Any] = {}
KEPT: list[Any] = []


def scene(function: Any) -> Any:
    SCENES[function.__name__] = function
    return function


class Env(gym.Env[Any, Any]):
    """An environment that calls `trouble` in its constructor (at "make"), in reset or in step."""

    def __init__(self, number: int = 0, at: Any = None, trouble: Any = None) -> None:
        self.observation_space, self.action_space = Box(0, 255, (3,), np.uint8), Discrete(4)
        self.number, self.at, self.trouble, self.steps = number, at, trouble, 0
        self._maybe("make")

    def _maybe(self, now: Any) -> Any:
        return self.trouble(self) if now == self.at else None

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return self._maybe("reset") or (np.zeros(3, np.uint8), {})

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self._maybe(self.steps) or (np.full(3, self.steps, np.uint8), 1.0, False, False, {})


def make(method: str, at: Any = None, trouble: Any = None, where: Any = (5,), n: int = N, **kwargs: Any) -> Any:
    fns = [(lambda i=i: Env(i, at, trouble)) if i in where else (lambda i=i: Env(i)) for i in range(n)]
    return AsyncVectorEnv(fns, context=method, num_workers=kwargs.pop("num_workers", 2), **kwargs)


def fails(call: Any, *texts: str, kind: Any = WorkerError, within: float = 20) -> Any:
    began = time.monotonic()
    try:
        call()
    except kind as exc:
        message = "\n".join([str(exc), *getattr(exc, "__notes__", ())])
        for text in texts:
            assert text in message, f"{text!r} is not in {message!r}"
        assert time.monotonic() - began < within
        return exc
    raise AssertionError(f"no {kind.__name__}")


def stepped(envs: Any, steps: int = 1) -> Any:
    envs.reset(seed=1)
    for _ in range(steps):
        last = envs.step(ACTIONS)
    return last


def beside(name: str) -> Path:
    """Return the path of a file that belongs to this scene."""
    return Path(os.environ["SCENE_IMPORTS"]).with_name(name)


def hang(env: Any) -> None:
    while True:
        time.sleep(1)


def raising(make_exception: Any) -> Any:
    def trouble(env: Any) -> None:
        raise make_exception()

    return trouble


ENDS: dict[str, tuple[Any, str]] = {
    "killed": (lambda env: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    "segfault": (lambda env: os.kill(os.getpid(), signal.SIGSEGV), "SIGSEGV"),
    "exit": (lambda env: os._exit(3), "exit code 3"),
    "abort": (lambda env: os.abort(), "SIGABRT"),
}
for _name, (_end, _text) in ENDS.items():
    for _at in ("reset", 2):

        def _scene(method: str, end: Any = _end, text: str = _text, at: Any = _at) -> None:
            envs = make(method, at, end)
            if at == "reset":
                exc = fails(envs.reset, text, "environments 4 to 7", within=PROMPT)
            else:
                stepped(envs)
                exc = fails(lambda: envs.step(ACTIONS), text, "environments 4 to 7", "environment 5", within=PROMPT)
            assert exc.indices == [4, 5, 6, 7]
            fails(envs.reset, text)
            envs.close()

        SCENES[f"{_name}_in_{_at}"] = _scene


@scene
def sys_exit(method: str) -> None:
    with make(method, 2, lambda env: sys.exit(3)) as envs:
        stepped(envs)
        fails(lambda: envs.step(ACTIONS), "environment 5", "SystemExit")
        stepped(envs)


@scene
def raises_in_step(method: str) -> None:
    with make(method, 2, raising(lambda: ZeroDivisionError("by zero"))) as envs:
        stepped(envs)
        exc = fails(
            lambda: envs.step(ACTIONS), "environment 5 in step (action", "by zero", "traceback of environment 5"
        )
        assert isinstance(exc.__cause__, ZeroDivisionError)
        stepped(envs)


@scene
def raises_in_reset(method: str) -> None:
    with make(method, "reset", raising(lambda: KeyError("key"))) as envs:
        fails(lambda: envs.reset(seed=10), "environment 5 in reset (seed 15)")


@scene
def several_raise(method: str) -> None:
    with make(method, 1, raising(lambda: ValueError("bad")), (1, 2, 6)) as envs:
        envs.reset()
        exc = fails(lambda: envs.step(ACTIONS), "environments 1, 2, 6 failed")
        assert sorted(exc.tracebacks) == [1, 2, 6]


@scene
def exceptions_that_do_not_travel(method: str) -> None:
    class Two(Exception):  # noqa: N818
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one}{two}")

    for make_exception in (lambda: Two(1, 2), lambda: ValueError(threading.Lock()), type("Local", (Exception,), {})):
        with make(method, 1, raising(make_exception)) as envs:
            envs.reset()
            fails(lambda envs=envs: envs.step(ACTIONS), "environment 5 in step", type(make_exception()).__name__)
            envs.reset()


def _hangs(method: str, trouble: Any) -> None:
    for seconds in (0.5, 4.0, 16.0):  # a busy machine needs more time for steps that do not hang
        envs = make(method, 2, trouble)
        stepped(envs)
        envs.step_async(ACTIONS)
        wait = partial(envs.step_wait, timeout=seconds)
        exc: Any = fails(wait, kind=WorkerTimeoutError, within=seconds + PROMPT)
        began = time.monotonic()
        envs.close()
        assert time.monotonic() - began < PROMPT
        if exc.indices == [4, 5, 6, 7] and "at work: environment 5" in str(exc):
            break
    assert exc.indices == [4, 5, 6, 7]
    assert "at work: environment 5" in str(exc)
    assert isinstance(exc, multiprocessing.TimeoutError)


@scene
def hangs(method: str) -> None:
    _hangs(method, hang)


@scene
def hangs_and_ignores_sigterm(method: str) -> None:
    def trouble(env: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        hang(env)

    _hangs(method, trouble)


@scene
def hangs_without_giving_way(method: str) -> None:
    _hangs(method, lambda env: max(range(10**12)))


@scene
def hangs_in_reset(method: str) -> None:
    for seconds in (1, 4, 16):  # a busy machine needs more time to create the environments
        with contextlib.suppress(WorkerTimeoutError):
            envs = make(method, "reset", hang, timeout=seconds)
            break
    text = f"reset did not end within {seconds} s"
    fails(envs.reset, text, kind=WorkerTimeoutError, within=seconds + PROMPT)
    envs.close()


@scene
def hangs_in_a_call(method: str) -> None:
    envs = make(method)
    envs.set_attr("hang", [time.sleep] * N)
    envs.call_async("hang", 100)
    fails(lambda: envs.call_wait(timeout=0.3), "call did not end", kind=WorkerTimeoutError)
    envs.close()


@scene
def hangs_in_close(method: str) -> None:
    class Stuck(Env):
        def close(self) -> None:
            hang(self)

    envs = AsyncVectorEnv([Stuck] * 2, context=method, num_workers=2)
    began = time.monotonic()
    envs.close(timeout=0.5)
    assert time.monotonic() - began < PROMPT


@scene
def late_answers(method: str) -> None:
    gate = beside("gate")

    def wait(env: Any) -> None:
        while not gate.exists():
            time.sleep(0.01)

    with make(method, 1, wait) as envs:
        envs.reset()
        envs.step_async(ACTIONS)
        fails(lambda: envs.step_wait(timeout=0.1), kind=WorkerTimeoutError)
        gate.touch()
        observations, *_ = envs.step(ACTIONS)
        assert observations[:, 0].tolist() == [2] * N
        envs.step_async(ACTIONS)
        envs.step_wait(timeout=60)
        envs.reset_async()
        envs.reset_wait(timeout=60)


@scene
def wrong_number_of_actions(method: str) -> None:
    with make(method) as envs:
        envs.reset()
        for actions in (ACTIONS[1:], [0] * (N + 1), np.zeros((N, 1, 1), np.int64)[:3]):
            fails(lambda actions=actions: envs.step(actions), "Expected 8 actions", kind=ValueError)
        assert envs.step(ACTIONS)[0][:, 0].tolist() == [1] * N


BAD: dict[str, tuple[Any, str]] = {
    "broadcastable": (lambda env: (np.zeros(1, np.uint8), 0, False, False, {}), "shape (1,)"),
    "same_size": (lambda env: (np.zeros((3, 1), np.uint8), 0, False, False, {}), "shape (3, 1)"),
    "none": (lambda env: (None, 0, False, False, {}), "got None"),
    "float_for_uint8": (lambda env: (np.array([1, 2, 300.7]), 0, False, False, {}), "300.7"),
    "negative_for_uint8": (lambda env: (np.array([1, 2, -1]), 0, False, False, {}), "-1"),
    "array_reward": (lambda env: (np.zeros(3, np.uint8), np.zeros(2), False, False, {}), "to be a number, got array"),
    "four_values": (lambda env: (np.zeros(3, np.uint8), 0, False, {}), "4 values"),
    "info_that_does_not_pickle": (
        lambda env: (np.zeros(3, np.uint8), 0, False, False, {"lock": threading.Lock()}),
        "info that can be pickled",
    ),
}
for _name, (_trouble, _text) in BAD.items():

    def _bad(method: str, trouble: Any = _trouble, text: str = _text) -> None:
        with make(method, 2, trouble) as envs:
            stepped(envs)
            fails(lambda: envs.step(ACTIONS), "environment 5", text)
            assert stepped(envs)[0][:, 0].tolist() == [1] * N

    SCENES[_name] = _bad


@scene
def constructors_raise(method: str) -> None:
    where = tuple(range(0, 64, 2))
    fails(
        lambda: make(method, "make", raising(lambda: LookupError("no")), where, 64),
        "environments 0, 2, 4",
        kind=LookupError,
    )


@scene
def constructors_end(method: str) -> None:
    where = tuple(range(1, 64, 2))
    fails(lambda: make(method, "make", lambda env: os._exit(9), where, 64), "exit code 9", "construction")


@scene
def spaces_differ(method: str) -> None:
    def other() -> Any:
        env = Env()
        env.observation_space = Box(0, 255, (4,), np.uint8)
        return env

    fns = [Env, Env, other, Env]
    fails(lambda: AsyncVectorEnv(fns, context=method, num_workers=2), "(4,)", "environment 2", kind=RuntimeError)


@scene
def functions_that_do_not_pickle(method: str) -> None:
    lock = threading.Lock()
    fns = [Env, lambda: (lock, Env())[1]]
    if method == "fork":
        AsyncVectorEnv(fns, context=method).close()
    else:
        fails(lambda: AsyncVectorEnv(fns, context=method), "environment 1 cannot be pickled", "lock", kind=Exception)


@scene
def lock_held_by_a_thread(method: str) -> None:
    lock = threading.Lock()
    gate = threading.Event()

    def hold() -> None:
        with lock:
            gate.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        with AsyncVectorEnv([Env] * 2) as envs:  # with the default start method
            envs.reset()
    finally:
        gate.set()
        thread.join()


@scene
def main_is_not_imported_again(method: str) -> None:
    with make(method) as envs:
        envs.reset()
    marks = os.environ["SCENE_IMPORTS"]
    assert Path(marks).read_text(encoding="ascii") == "x"


@scene
def missing_attribute(method: str) -> None:
    with make(method) as envs:
        fails(lambda: envs.get_attr("nothing"), "nothing", "environments 0 to 7", kind=AttributeError)
        stepped(envs)


@scene
def nested_processes(method: str) -> None:
    def child(env: Any) -> None:
        process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(0.01,))
        process.start()
        process.join()

    with make(method, 1, child, daemon=False) as envs:
        stepped(envs)
    with make(method, 1, child) as envs:
        envs.reset()
        fails(lambda: envs.step(ACTIONS), "pass daemon=False")


class Nested(Env):
    """An environment that contains two environments, which it steps in its own workers."""

    def __init__(self) -> None:
        super().__init__()
        self.inner: Any = AsyncVectorEnv([Env] * 2, num_workers=2)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        observations, _ = self.inner.reset(seed=seed)
        return observations[0], {"pids": [process.pid for process in self.inner.processes]}

    def step(self, action: Any) -> Any:
        observations, rewards, *_ = self.inner.step(np.full(2, action))
        return observations[0], float(rewards.sum()), False, False, {}

    def close(self) -> None:
        self.inner.close()


@scene
def nested_vector_environments(method: str) -> None:
    with AsyncVectorEnv([Nested] * 2, context=method, num_workers=2, daemon=False) as envs:
        envs.reset()
        assert envs.step(ACTIONS[:2])[1].tolist() == [2, 2]
    fails(lambda: AsyncVectorEnv([Nested] * 2, context=method, num_workers=2), "pass daemon=False", kind=RuntimeError)


@scene
def nested_workers_end_with_their_worker(method: str) -> None:
    envs = AsyncVectorEnv([Nested] * 2, context=method, num_workers=2, daemon=False)
    _, infos = envs.reset()
    os.kill(envs.processes[0].pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while any(_running(pid) for pid in infos["pids"][0]):
        assert time.monotonic() < deadline, "they run on"
        time.sleep(0.02)
    fails(lambda: envs.step(ACTIONS[:2]), "SIGKILL")
    envs.close()


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _parent_of_nested(method: str) -> None:
    KEPT.append(AsyncVectorEnv([Nested] * 2, context=method, num_workers=2, daemon=False))
    KEPT[0].reset()
    _announce(KEPT[0])
    os.kill(os.getpid(), signal.SIGKILL)


SCENES["parent_killed_of_nested_workers"] = _parent_of_nested


@scene
def nested_process_outlives_its_worker(method: str) -> None:
    file = beside("child")

    def child(env: Any) -> None:
        process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(40,))
        process.start()
        file.write_text(str(process.pid), encoding="ascii")
        os.kill(os.getpid(), signal.SIGKILL)

    envs = make(method, 1, child, daemon=False)
    envs.reset()
    fails(lambda: envs.step(ACTIONS), "SIGKILL", within=20)
    envs.close()
    pid = int(file.read_text(encoding="ascii"))
    assert _running(pid)
    os.kill(pid, signal.SIGKILL)


@scene
def out_of_memory(method: str) -> None:
    def large() -> Any:
        env = Env()
        env.observation_space = Box(0, 255, (10**6,), np.uint8)
        return env

    fns = [large] * 100
    fails(lambda: AsyncVectorEnv(fns, context=method, ring=10**5), "10000.0 GB of", "available", kind=MemoryError)


@scene
def closing(method: str) -> None:
    envs = make(method)
    stepped(envs)
    envs.close()
    envs.close()
    fails(lambda: envs.step(ACTIONS), "closed", kind=gym.error.ClosedEnvironmentError)
    for _ in range(20 if method == "fork" else 3):
        make(method).close()
    envs = make(method)
    envs.reset_async()
    envs.close()
    envs = make(method)
    envs.reset()
    envs.step_async(ACTIONS)


@scene
def exit_without_close(method: str) -> None:
    KEPT.append(make(method))
    stepped(KEPT[0])


@scene
def exit_without_close_no_daemon(method: str) -> None:
    KEPT.append(make(method, daemon=False))
    stepped(KEPT[0])


@scene
def explicit_reset_after_done(method: str) -> None:
    def over(env: Any) -> Any:
        return np.zeros(3, np.uint8), 1.0, True, False, {}

    for shared in (True, False):
        with make(method, 2, over, range(N), shared_memory=shared) as envs:
            stepped(envs, 2)
            envs.reset()
            assert envs.step(ACTIONS)[1].tolist() == [1] * N


@scene
def infos_of_all_kinds(method: str) -> None:
    infos: list[dict[str, Any]] = [
        {"x": 1},
        {"x": 1.5},
        {"a": np.zeros(2)},
        {"a": np.zeros(3)},
        {"d": {"y": 1}},
        {"d": 2},
    ]
    given = iter(infos)
    fns = [
        lambda info=info: Env(0, 1, lambda env, info=info: (np.zeros(3, np.uint8), 0, False, False, info))
        for info in given
    ]
    with AsyncVectorEnv(fns, context=method, num_workers=2) as envs:
        envs.reset()
        *_, seen = envs.step(np.zeros(6, np.int64))
    assert seen["x"][:2].tolist() == [1, 1.5]
    assert [item.shape for item in seen["a"][2:4]] == [(2,), (3,)]
    assert seen["d"][4:].tolist() == [{"y": 1}, 2]


@scene
def restart(method: str) -> None:
    for trouble in (raising(lambda: ValueError("bad")), lambda env: os._exit(1)):
        with make(method, 3, trouble, on_error="restart") as envs:
            stepped(envs, 2)
            _, _, _, truncations, infos = envs.step(ACTIONS)
            assert truncations[5]
            assert infos["env_restarted"].tolist() == truncations.tolist()
            observations, *_ = envs.step(ACTIONS)
            assert observations[truncations].tolist() == [[0] * 3] * int(truncations.sum())
            assert observations[:4, 0].tolist() == [4] * 4


def press(env: Any) -> None:
    """Send SIGINT to all processes, as Ctrl-C does, while the parent waits."""
    time.sleep(0.5)
    os.killpg(os.getpgid(0), signal.SIGINT)
    hang(env)


@scene
def interrupted(method: str) -> None:
    envs = make(method, 2, press)
    stepped(envs)
    fails(lambda: envs.step(ACTIONS), kind=KeyboardInterrupt)
    envs.close()


@scene
def interrupted_without_handler(method: str) -> None:
    envs = make(method, 2, press)
    stepped(envs)
    envs.step(ACTIONS)


def _announce(envs: Any) -> None:
    print(json.dumps([process.pid for process in envs.processes]), flush=True)


def _dies(number: int, trouble: Any) -> Any:
    def scene(method: str) -> None:
        envs = make(method, 2, trouble)
        stepped(envs)
        _announce(envs)
        envs.step_async(ACTIONS)
        time.sleep(0.3)
        os.kill(os.getpid(), number)
        time.sleep(30)

    return scene


SCENES["parent_killed"] = _dies(signal.SIGKILL, None)
SCENES["parent_killed_while_hanging"] = _dies(signal.SIGKILL, hang)
SCENES["parent_killed_while_busy"] = _dies(signal.SIGKILL, lambda env: max(range(10**12)))
SCENES["parent_terminated"] = _dies(signal.SIGTERM, None)
SCENES["parent_terminated_while_hanging"] = _dies(signal.SIGTERM, hang)


@scene
def parent_killed_made_in_a_thread(method: str) -> None:
    made: list[Any] = []
    thread = threading.Thread(target=lambda: made.append(make(method, 2, hang)))
    with __import__("warnings").catch_warnings():
        __import__("warnings").simplefilter("ignore")
        thread.start()
        thread.join()
    time.sleep(0.5)
    stepped(made[0])
    _announce(made[0])
    made[0].step_async(ACTIONS)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGKILL)


def left() -> dict[str, Any]:
    """Return the child processes and descriptors of this process, except those of multiprocessing's own servers."""
    children = []
    for process in [path for path in Path("/proc").iterdir() if path.name.isdecimal()]:
        try:
            fields = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            line = (process / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and "forkserver" not in line and "resource_tracker" not in line:
            children.append(line or process.name)
    memory = [link for fd in Path("/proc/self/fd").iterdir() if "memfd" in (link := _link(fd)) or "shm" in link]
    sockets = [link for fd in Path("/proc/self/fd").iterdir() if "socket" in (link := _link(fd)) or "pidfd" in link]
    return {"children": children, "memory": memory, "sockets": sockets}


def _link(fd: Path) -> str:
    try:
        return str(fd.readlink())
    except OSError:
        return ""


if __name__ == "__main__":
    with Path(os.environ["SCENE_IMPORTS"]).open("a", encoding="ascii") as _file:
        _file.write("x")
    _chosen, _method = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # SIGINT may be ignored if the tests run in the background
    SCENES[_chosen](_method)
    import gc

    gc.collect()
    if not _chosen.startswith("exit_without_close"):
        _end = time.monotonic() + 20  # killed processes may take some time to end on a busy machine
        while True:
            multiprocessing.active_children()
            _left = left()
            _left["sockets"] = [] if _method == "forkserver" else _left["sockets"]
            if not any(_left.values()) or time.monotonic() > _end:
                break
            time.sleep(0.02)
        assert not any(_left.values()), f"left: {_left}"
    print("end of scene")
