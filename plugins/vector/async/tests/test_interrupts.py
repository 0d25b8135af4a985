"""Test that a call after an interrupted call works immediately and returns its own results."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import NoAsyncCallError
from gymkernel_util_vector.shards.batches import BatchState
from gymkernel_vector_async import AsyncVectorEnv, _channel
from gymkernel_vector_async._channel import Transport
from gymkernel_vector_async._worker_handle import WorkerHandle

if TYPE_CHECKING:
    from pathlib import Path

ONES = np.ones(4, np.int64)


@pytest.fixture(autouse=True)
def _handler() -> Any:
    """Install Python's default handler for Ctrl-C, because processes in the background may ignore the signal."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def interrupt(env: Any) -> None:
    """Send SIGINT to the parent once, as soon as the gate is open, and continue after a delay."""
    if env.length == 100:
        env.length = 101
        while env.gate is not None and not env.gate.exists():
            time.sleep(0.001)
        os.kill(env.parent, signal.SIGINT)
        time.sleep(0.2)


def interrupting(toys: Any, at: Any = 2, **kwargs: Any) -> AsyncVectorEnv:
    """Create four environments in two workers. The third environment interrupts the parent."""
    made, parent = toys.Troubled, os.getpid()

    def make(number: int) -> Any:
        env = made(number, 100, at if number == 2 else None, interrupt)
        env.parent, env.gate = parent, None
        return env

    return AsyncVectorEnv([partial(make, i) for i in range(4)], num_workers=2, context="fork", **kwargs)


def step(envs: Any) -> Any:
    return envs.step(ONES)


def step_in_two_calls(envs: Any) -> Any:
    envs.step_async(ONES)
    return envs.step_wait()


def step_masked(envs: Any) -> Any:
    return envs.step_masked(ONES, ONES > 0)


OTHER_WAYS = {"shared_memory": False, "parent_steps": True}


@pytest.mark.parametrize("method", [step, step_in_two_calls, step_masked])
@pytest.mark.parametrize(
    "options",
    [{}, *(pytest.param({name: value}, marks=pytest.mark.slow) for name, value in OTHER_WAYS.items())],
    ids=str,
)
def test_reset_works_after_an_interrupted_step(toys: Any, method: Any, options: Any) -> None:
    with interrupting(toys, **options) as envs:
        envs.reset(seed=0)
        envs.step(ONES)
        with pytest.raises(KeyboardInterrupt):
            method(envs)
        if method is step_in_two_calls:
            with suppress(NoAsyncCallError):
                envs.step_wait()  # Ctrl-C was raised between the two calls
        observations, _ = envs.reset(seed=5)
        assert observations.tolist() == [[i, 0, 5 + i] for i in range(4)]
        for steps in range(1, 4):
            assert method(envs)[0][:, 1].tolist() == [steps] * 4


def test_step_works_after_an_interrupted_step(toys: Any) -> None:
    with interrupting(toys) as envs:
        envs.reset()
        envs.step(ONES)
        with pytest.raises(KeyboardInterrupt):
            envs.step(ONES)
        assert envs.step(ONES)[0][:, 1].tolist() == [3] * 4


@pytest.mark.parametrize("follow_up", [step, pytest.param(step_masked, marks=pytest.mark.slow)])
@pytest.mark.parametrize("at", ["post", "wake_if_asleep", "_send"])
@pytest.mark.parametrize("by_message", [False, True])
def test_partly_sent_step_reaches_the_other_workers(
    toys: Any, monkeypatch: pytest.MonkeyPatch, follow_up: Any, at: str, by_message: bool
) -> None:
    with interrupting(toys, None) as envs:
        envs.reset()
        envs.step(ONES)
        time.sleep(0.05)  # workers sleep
        calls = []
        method = getattr(WorkerHandle, at)

        def press(self: WorkerHandle, *args: Any) -> Any:
            calls.append(self)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return method(self, *args)

        with monkeypatch.context() as patched:
            patched.setattr(WorkerHandle, at, press)
            if by_message:
                patched.setattr(BatchState, "write_actions", lambda *args: False)
            expected = pytest.raises(KeyboardInterrupt) if by_message is (at == "_send") else nullcontext()
            with expected:
                envs.step(ONES)
        assert follow_up(envs)[0][:, 1].tolist() == [3] * 4
        assert envs.step(ONES)[0][:, 1].tolist() == [4] * 4


def test_unsent_step_precedes_the_next_step(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with interrupting(toys, None) as envs:
        envs.reset()
        envs.step(ONES)
        time.sleep(0.05)  # workers sleep

        def press(self: WorkerHandle) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(WorkerHandle, "wake_if_asleep", press)
            with pytest.raises(KeyboardInterrupt):
                envs.step(ONES)
        assert envs.step(ONES)[0][:, 1].tolist() == [3] * 4
        assert envs.reset()[0][:, 1].tolist() == [0] * 4


@pytest.mark.parametrize("options", [{}, {"shared_memory": False}], ids=str)
def test_unsent_masked_step_precedes_later_requests(toys: Any, monkeypatch: pytest.MonkeyPatch, options: Any) -> None:
    with interrupting(toys, None, **options) as envs:
        envs.reset()
        envs.step(ONES)

        def press(self: WorkerHandle) -> None:
            raise KeyboardInterrupt

        for follow_up, expected in ((step_masked, 3), (step, 5), (lambda envs: envs.reset(), 0)):
            time.sleep(0.05)  # workers sleep
            with monkeypatch.context() as patched:
                patched.setattr(WorkerHandle, "wake_if_asleep", press)
                with pytest.raises(KeyboardInterrupt):
                    step_masked(envs)
            assert follow_up(envs)[0][:, 1].tolist() == [expected] * 4
        assert step_masked(envs)[0][:, 1].tolist() == [1] * 4


def test_reset_works_after_an_interrupted_reset(toys: Any) -> None:
    with interrupting(toys, "reset") as envs:
        with pytest.raises(KeyboardInterrupt):
            envs.reset(seed=0)
        assert envs.reset(seed=5)[0][:, 2].tolist() == [5, 6, 7, 8]


def test_call_after_an_interrupted_call_gets_its_own_answers(toys: Any) -> None:
    with interrupting(toys) as envs:
        envs.reset()
        parent = os.getpid()

        def press(x: int) -> int:
            if x == 1:
                os.kill(parent, signal.SIGINT)
                time.sleep(0.2)
            return x

        envs.set_attr("press", [int, int, press, int])
        with pytest.raises(KeyboardInterrupt):
            envs.call("press", 1)
        assert envs.call("press", 2) == (2,) * 4


def test_results_of_send_survive_an_interrupted_recv(toys: Any, tmp_path: Path) -> None:
    with interrupting(toys) as envs:
        envs.reset()
        envs.step(ONES)
        envs.set_attr("gate", tmp_path / "open")
        envs.send(ONES)
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the interrupt may be raised before recv
            (tmp_path / "open").touch()
            envs.recv(4)
        observations, *_, env_ids = envs.recv(4)
        assert observations[np.argsort(env_ids), 1].tolist() == [2] * 4


@pytest.mark.parametrize("at", ["a message is read", "a message is taken", "the batch is made"])
def test_results_survive_a_recv_interrupted_at_its_end(toys: Any, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    with AsyncVectorEnv(toys.makers(4, 100), num_workers=2) as envs:
        envs.reset()
        envs.send(ONES)
        owner, name = {
            "a message is read": (_channel, "unpickle_answer"),
            "a message is taken": (Transport, "next"),
            "the batch is made": (envs._batches, "partial_batch"),
        }[at]
        method = getattr(owner, name)

        def press(*args: Any) -> None:
            method(*args)
            raise KeyboardInterrupt

        for _ in range(2):
            with monkeypatch.context() as patched:
                patched.setattr(owner, name, press)
                with pytest.raises(KeyboardInterrupt):
                    envs.recv()
        observations, rewards, _, _, infos, env_ids = envs.recv(timeout=20)
        assert sorted(env_ids.tolist()) == [0, 1, 2, 3]
        assert rewards.tolist() == observations[:, 1].tolist() == infos["steps"].tolist() == [1] * 4
        envs.send(ONES)
        assert envs.recv(timeout=20)[4]["steps"].tolist() == [2] * 4


def test_results_received_during_ctrl_c_are_not_reused(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with AsyncVectorEnv(toys.makers(4, 100), num_workers=2) as envs:
        envs.reset()
        envs.send(ONES)

        def press(*args: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(envs._pending, "forget_messages", press)
            with pytest.raises(KeyboardInterrupt):
                envs.recv()
        envs.send(ONES)
        assert envs.recv(timeout=20)[4]["steps"].tolist() == [2] * 4


def test_interrupted_step_of_the_parents_shard_is_repeated(toys: Any) -> None:
    made = toys.Troubled

    def interrupt(env: Any) -> None:
        raise KeyboardInterrupt

    makers = [lambda i=i: made(i, 100, 1 if i == 1 else None, interrupt) for i in range(2)]
    with AsyncVectorEnv(makers, num_workers=1, parent_steps=True) as envs:
        envs.reset()
        envs.send([3, 4])
        with pytest.raises(KeyboardInterrupt):
            envs.recv()
        _, rewards, _, _, _, env_ids = envs.recv(timeout=20)
        assert dict(zip(env_ids.tolist(), rewards.tolist(), strict=True)) == {0: 3, 1: 4}


def test_nothing_is_pending_after_an_interrupted_send(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with interrupting(toys, None) as envs:
        envs.reset()

        def press(*args: Any, **kwargs: Any) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(envs._pool, "submit_steps", press)
            with pytest.raises(KeyboardInterrupt):
                envs.send(ONES)
        assert envs.reset()[0][:, 1].tolist() == [0] * 4
        envs.send(ONES)
        assert envs.recv()[0][:, 1].tolist() == [1] * 4


def test_nothing_is_pending_after_a_failed_masked_step(toys: Any) -> None:
    def trouble(env: Any) -> None:
        raise ValueError

    makers = [lambda i=i, made=toys.Troubled: made(i, 100, 1 if i == 2 else None, trouble) for i in range(4)]
    with AsyncVectorEnv(makers, num_workers=2) as envs:
        envs.reset()
        with pytest.raises(ValueError, match="environment 2"):
            envs.step_masked(ONES, ONES > 0)
        assert envs.reset()[0][:, 1].tolist() == [0] * 4


@pytest.mark.slow
@pytest.mark.parametrize("method", [step, step_masked])
def test_interrupts_never_split_a_message(toys: Any, method: Any) -> None:
    class Loud(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            observation, reward, *ends, _ = super().step(action)
            return observation, reward, *ends, {"seen": np.full(60_000, self.steps)}

    with AsyncVectorEnv([partial(Loud, i, 10**9) for i in range(4)], num_workers=2, context="fork") as envs:
        envs.reset()
        asked, ask = os.pipe()
        parent, moments = os.getpid(), random.Random(7)  # noqa: S311 - the random numbers need not be secure
        pid = os.fork()
        if pid == 0:
            os.close(ask)
            while os.read(asked, 1):
                time.sleep(moments.uniform(0, 0.01))
                os.kill(parent, signal.SIGINT)
            os._exit(0)
        os.close(asked)
        try:
            for seed in range(150):
                try:
                    os.write(ask, b"x")
                    while True:
                        method(envs)
                except KeyboardInterrupt:
                    pass
                assert envs.reset(seed=seed)[0].tolist() == [[i, 0, seed + i] for i in range(4)]
                *_, infos = method(envs)
                assert [column[0] for column in infos["seen"]] == [1] * 4
        finally:
            os.close(ask)
            os.waitpid(pid, 0)
