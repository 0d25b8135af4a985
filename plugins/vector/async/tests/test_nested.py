"""Test workers that start their own workers, and forking while another thread holds locks."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import numpy as np
import pytest

from gymkernel_util_vector.processes import main_module
from gymkernel_vector_async import AsyncVectorEnv, WorkerError, _channel

TWO = np.zeros(2, np.int64)


def nested(toys: Any, **kwargs: Any) -> Any:
    """Return a function that creates an environment that steps two other environments in its own workers."""
    counter, makers = toys.Counter, toys.makers

    class Nested(counter):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.inner: Any = AsyncVectorEnv(makers(2, 100), num_workers=2, **kwargs)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            observations, _ = self.inner.reset(seed=seed)
            return observations[0], {"pids": self.inner.call("pid")}

        def step(self, action: Any) -> Any:
            observations, rewards, *_ = self.inner.step(np.full(2, action))
            return observations[1], rewards.sum(), False, False, {}

        def close(self) -> None:
            self.inner.close()

    return Nested


def gone(pids: list[int]) -> bool:
    """Wait until processes have exited, with a generous time limit. Return whether all of them have exited."""
    for _ in range(3000):
        if not any(running(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 - the file belongs to the system
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
def test_environment_can_have_its_own_workers(toys: Any) -> None:
    with AsyncVectorEnv([nested(toys)] * 2, num_workers=2, context="fork", daemon=False) as envs:
        observations, infos = envs.reset(seed=7)
        assert observations.tolist() == [[0, 0, 7], [0, 0, 8]]
        assert envs.step(TWO + 3)[1].tolist() == [6, 6]
        pids = [pid for several in infos["pids"] for pid in several]
        assert len(set(pids)) == 4
    assert gone(pids)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_nested_workers_exit_with_their_parent_worker(toys: Any, number: int) -> None:
    with AsyncVectorEnv([nested(toys)] * 2, num_workers=2, context="fork", daemon=False) as envs:
        _, infos = envs.reset()
        os.kill(envs.processes[0].pid, number)
        assert gone(list(infos["pids"][0]))
        with pytest.raises(WorkerError, match=signal.Signals(number).name):
            envs.step(TWO)


@pytest.mark.parametrize("num_workers", [2, "auto"])
def test_daemon_with_nested_workers_raises_immediately(toys: Any, num_workers: Any) -> None:
    with pytest.raises(RuntimeError, match="pass daemon=False") as caught:
        AsyncVectorEnv([nested(toys)] * 2, num_workers=num_workers, context="fork")
    assert isinstance(caught.value, WorkerError)


def test_daemon_can_step_environments_itself(toys: Any) -> None:
    counter = toys.Counter

    class Alone(counter):  # type: ignore[misc,valid-type]
        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            with AsyncVectorEnv([counter], num_workers=1, parent_steps=True) as envs:
                return envs.reset(seed=seed)[0][0], {}

    with AsyncVectorEnv([Alone] * 2, num_workers=1, context="fork") as envs:
        assert envs.reset(seed=7)[0][:, 2].tolist() == [7, 8]


@pytest.mark.slow
@linux
@pytest.mark.parametrize("inner", ["fork", "forkserver", "spawn"])
def test_forked_worker_starts_workers_with_every_start_method(toys: Any, inner: str) -> None:
    with AsyncVectorEnv(toys.makers(1), context="forkserver") as before:
        before.reset()
        with AsyncVectorEnv([nested(toys, context=inner)], context="fork", daemon=False) as envs:
            pids = envs.reset()[1]["pids"][0]
    assert gone(list(pids))


def status_of_child(run: Any) -> int:
    """Fork, call a function in the child, and return the child's exit status, which is 0 on success."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            signal.alarm(30)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            run()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_process_forked_during_a_worker_start_is_usable() -> None:
    found = sys.modules["__main__"]

    def look() -> None:
        assert sys.modules["__main__"] is found
        with main_module.hidden_main():
            pass

    with main_module.hidden_main():
        assert sys.modules["__main__"] is not found
        assert sys.modules["__main__"].__builtins__ is found.__builtins__
        assert status_of_child(look) == 0
    assert sys.modules["__main__"] is found


def test_process_forked_inside_a_fence_is_not_blocked() -> None:
    with _channel._fence:
        assert status_of_child(_channel.fence) == 0
