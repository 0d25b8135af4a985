"""Test workers whose sockets close long before their processes can be reaped, as happens with graphics cards."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest

from gymkernel_vector_async import AsyncVectorEnv, WorkerError, _worker_handle
from gymkernel_vector_async._worker_handle import WorkerHandle

if TYPE_CHECKING:
    from pathlib import Path

cloudpickle.register_pickle_by_value(sys.modules[__name__])

ONES = np.ones(4, np.int64)
METHODS = ["fork", pytest.param("forkserver", marks=pytest.mark.slow), pytest.param("spawn", marks=pytest.mark.slow)]


def fade(gate: Path) -> None:
    """Close all file descriptors, as an exiting process does first, and exit when the gate is open."""
    os.closerange(3, 4096)
    while not gate.exists():
        time.sleep(0.002)
    os._exit(7)


def fade_before_the_answer(env: Any) -> None:
    if not env.gone.exists():
        env.gone.touch()
        fade(env.gate)


def fade_in_the_answer(env: Any) -> None:
    """Publish the result, but send only half of its message."""
    from gymkernel_vector_async._channel import Transport

    def send(transport: Any, data: bytes, *_: Any) -> None:
        transport._socket.send(data[: len(data) // 2])
        fade(gate)

    gate = env.gate
    if not env.gone.exists():
        env.gone.touch()
        Transport.send = send  # type: ignore[method-assign,assignment]


def make(made: Any, number: int, at: Any, trouble: Any, folder: Path) -> Any:
    def fade_and_note(env: Any) -> None:
        env.gate, env.gone = folder / "gate", folder / "gone"
        trouble(env)

    env = made(number, 100, at if number == 2 else None, fade_and_note)
    env.fade = partial(fade_and_note, env) if number == 2 else int
    return env


def begin(toys: Any, at: Any, trouble: Any, folder: Path, **kwargs: Any) -> AsyncVectorEnv:
    """Create four environments in two workers. The third environment calls `fade`."""
    fns = [partial(make, toys.Troubled, number, at, trouble, folder) for number in range(4)]
    return AsyncVectorEnv(fns, num_workers=2, timeout=1000.0, **kwargs)


def step(envs: Any) -> Any:
    return envs.step(ONES)


def step_in_two_calls(envs: Any) -> Any:
    envs.step_async(ONES)
    return envs.step_wait(timeout=1000)


def step_by_message(envs: Any) -> Any:
    return envs.step(list(ONES))


def send_and_recv(envs: Any) -> Any:
    envs.send(ONES)
    *batch, env_ids = envs.recv(4)
    batch[3] = batch[3][np.argsort(env_ids)]
    return batch


def poll_and_recv(envs: Any) -> Any:
    envs.send(ONES)
    batches = []
    for _ in range(4):
        assert envs.poll(timeout=1000)
        batches.append(envs.recv(1))
    truncations = np.zeros(4, bool)
    for batch in batches:
        truncations[batch[-1]] = batch[3]
    return None, None, None, truncations


def step_masked(envs: Any) -> Any:
    return envs.step_masked(ONES, ONES > 0)


def reset(envs: Any) -> Any:
    return envs.reset(seed=5, options={"fast": True})


def call(envs: Any) -> Any:
    return envs.call("fade")


STEPS = [step, step_in_two_calls, step_by_message, send_and_recv, poll_and_recv, step_masked]
TROUBLES = [fade_before_the_answer, fade_in_the_answer]
QUICK = [(ask, fade_before_the_answer) for ask in (*STEPS, reset, call)]
QUICK += [(step, fade_in_the_answer), (send_and_recv, fade_in_the_answer)]
OTHERS = [(ask, fade_in_the_answer) for ask in (*STEPS, reset, call) if ask not in (step, send_and_recv)]
# The start method decides only how the parent waits for the process and starts it again, not how a request fails.
STARTED = [
    (step, fade_before_the_answer),
    (send_and_recv, fade_in_the_answer),
    (reset, fade_in_the_answer),
    (call, fade_before_the_answer),
]
CASES = [pytest.param("fork", *case) for case in QUICK]
CASES += [pytest.param("fork", *case, marks=pytest.mark.slow) for case in OTHERS]
CASES += [pytest.param(how, *case, marks=pytest.mark.slow) for how in ("forkserver", "spawn") for case in STARTED]


@pytest.fixture
def _open_gate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Open the gate only when the parent asks for the exit code, after it has found that the process has died."""
    exit_code = WorkerHandle.exit_code

    def asked(self: WorkerHandle) -> Any:
        (tmp_path / "gate").touch()
        return exit_code(self)

    monkeypatch.setattr(WorkerHandle, "exit_code", asked)
    monkeypatch.setattr(_worker_handle, "GRACE_PERIOD", 40.0)


@pytest.mark.usefixtures("_open_gate")
@pytest.mark.parametrize("context, ask, trouble", CASES)
def test_slowly_exiting_worker_is_detected(toys: Any, tmp_path: Path, context: str, ask: Any, trouble: Any) -> None:
    at = None if ask is call else "reset" if ask is reset else 1
    with begin(toys, at, trouble, tmp_path, context=context) as envs:
        if ask is not reset:
            envs.reset(seed=5)
        with pytest.raises(WorkerError, match="environments 2, 3, ended with exit code 7") as caught:
            ask(envs)
        assert caught.value.indices == [2, 3]


@pytest.mark.usefixtures("_open_gate")
@pytest.mark.parametrize("context, ask, trouble", CASES)
def test_slowly_exiting_worker_is_restarted(toys: Any, tmp_path: Path, context: str, ask: Any, trouble: Any) -> None:
    at = None if ask is call else "reset" if ask is reset else 1
    with begin(toys, at, trouble, tmp_path, context=context, on_error="restart") as envs:
        if ask is reset:
            observations, infos = ask(envs)
            assert observations[:, 2].tolist() == [5, 6, 7, 8]
            assert infos["env_restarted"].tolist() == [False, False, True, True]
        elif ask is call:
            envs.reset(seed=5)
            with pytest.raises(WorkerError, match="environments 2, 3, ended with exit code 7"):
                ask(envs)
            assert envs.call("pid")[2] == envs.processes[1].pid
        else:
            envs.reset(seed=5)
            assert ask(envs)[3].tolist() == [False, False, True, True]
        envs.reset()
        assert step(envs)[1].tolist() == [1] * 4


@pytest.mark.usefixtures("_open_gate")
@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("context", METHODS)
def test_slowly_exiting_worker_in_the_constructor_is_detected(
    toys: Any, tmp_path: Path, context: str, trouble: Any
) -> None:
    with pytest.raises(WorkerError, match="environments 2, 3, ended with exit code 7 during construction"):
        begin(toys, "make", trouble, tmp_path, context=context)


@pytest.mark.parametrize("ask", [step, pytest.param(send_and_recv, marks=pytest.mark.slow)])
@pytest.mark.parametrize("on_error", ["raise", "restart"])
def test_worker_without_a_socket_is_killed(
    toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any, on_error: str
) -> None:
    monkeypatch.setattr(_worker_handle, "GRACE_PERIOD", 0.05)
    with begin(toys, 1, fade_in_the_answer, tmp_path, context="fork", on_error=on_error) as envs:
        envs.reset()
        first = envs.processes[1]
        if on_error == "raise":
            with pytest.raises(WorkerError, match="environments 2, 3, ended during"):
                ask(envs)
        else:
            assert ask(envs)[3].tolist() == [False, False, True, True]
            assert envs.processes[1] is not first
