"""Test `send` and `recv`, with which programs step individual environments."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gymkernel.error import ClosedEnvironmentError, NoAsyncCallError, ResetNeeded
from gymkernel_vector_async import AsyncVectorEnv, WorkerError, WorkerTimeoutError
from gymkernel_vector_async._channel import Transport
from gymkernel_vector_async._requests import WorkerRequests

if TYPE_CHECKING:
    from pathlib import Path


def delayed(toys: Any, delays: Any) -> list[Any]:
    """Return functions that create environments whose step k takes `delays[k % n]` milliseconds."""

    class Slow(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            time.sleep(delays[(self.steps + 3 * self.number) % len(delays)] / 1000)
            return super().step(action)

    return [lambda i=i: Slow(i, 7) for i in range(5)]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), parent=st.booleans(), shared=st.booleans())
def test_every_result_arrives_exactly_once_and_in_order(toys: Any, data: Any, parent: Any, shared: Any) -> None:
    delays = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    fns = delayed(toys, delays)
    with AsyncVectorEnv(fns, num_workers=2, parent_steps=parent, shared_memory=shared) as envs:
        envs.reset(seed=0)
        sent, got = dict.fromkeys(range(5), 0), dict.fromkeys(range(5), 0)
        envs.send(np.zeros(5, np.int64))
        flying = set(range(5))
        for _ in range(12):
            observations, rewards, terminations, _, infos, ids = envs.recv(data.draw(st.integers(1, len(flying))))
            assert len(set(ids.tolist())) == len(ids)
            for place, i in enumerate(ids.tolist()):
                assert i in flying
                reset = got[i] % 8 == 7
                steps = 0 if reset else got[i] % 8 + 1
                assert observations[place].tolist() == [i, steps, -1 if got[i] >= 7 else i]
                assert rewards[place] == (0 if reset else got[i])
                assert terminations[place] == (steps == 7)
                assert reset or infos["steps"][place] == steps
                got[i] += 1
            flying -= set(ids.tolist())
            again = sorted(data.draw(st.sets(st.sampled_from(sorted(set(range(5)) - flying)))))
            if again or not flying:
                again = again or ids.tolist()
                for i in again:
                    sent[i] += 1
                envs.send(np.array([sent[i] for i in again]), again)
                flying |= set(again)
        *_, ids = envs.recv()
        assert set(ids.tolist()) == flying
        envs.reset()


def late(toys: Any, gate: Path) -> Any:
    """Return a class of environments whose steps wait until a file exists."""

    class Late(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            while not gate.exists():
                time.sleep(0.001)
            return super().step(action)

    return Late


def test_first_ready_results_are_received_first(toys: Any, tmp_path: Path) -> None:
    gate, fast = tmp_path / "open", toys.Counter

    with AsyncVectorEnv([late(toys, gate), lambda: fast(1), lambda: fast(2)], num_workers=3) as envs:
        envs.reset()
        envs.send(np.zeros(3, np.int64))
        assert sorted(envs.recv(2)[-1].tolist()) == [1, 2]
        envs.send([5], [2])
        assert envs.recv(1)[1].tolist() == [5]
        gate.touch()
        assert envs.recv()[-1].tolist() == [0]


@pytest.mark.parametrize(
    "ids,text",
    [([0, 0], "different"), ([4], "0 to 3"), ([-1], "0 to 3"), ([], "indices"), ([0.5], "indices"), ([1], "recv")],
)
def test_send_to_unavailable_environments_is_rejected(toys: Any, ids: Any, text: Any) -> None:
    with AsyncVectorEnv(toys.makers(4), num_workers=2) as envs:
        envs.reset()
        envs.send([0], [1])
        with pytest.raises(ValueError, match=text):
            envs.send(np.zeros(max(len(ids), 1), np.int64), ids)
        with pytest.raises(ValueError, match="Expected 2 actions"):
            envs.send([1, 2, 3], [2, 3])
        with pytest.raises(NoAsyncCallError, match="between 1 and 1, the number"):
            envs.recv(2)
        assert envs.recv()[-1].tolist() == [1]


def test_timeout_loses_no_results(toys: Any, tmp_path: Path) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([late(toys, gate)] * 2, num_workers=1) as envs:
        envs.reset()
        envs.send([3, 4])
        with pytest.raises(WorkerTimeoutError, match=r"environments 0, 1.* No result is lost: call recv again"):
            envs.recv(timeout=0.05)
        gate.touch()
        *_, ids = envs.recv()
        assert ids.tolist() == [0, 1]
        with pytest.raises(NoAsyncCallError, match="no results are pending; call send first"):
            envs.recv()


def test_late_masked_step_error_says_it_is_dropped(toys: Any, tmp_path: Path) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([late(toys, gate)] * 2, num_workers=1) as envs:
        envs.reset()
        envs.timeout = 0.05
        with pytest.raises(WorkerTimeoutError, match=r"step_masked did not .* Answers that arrive later are dropped"):
            envs.step_masked(np.array([3, 4]), np.array([False, True]))
        gate.touch()


def test_results_of_a_dropped_masked_step_are_not_reused(toys: Any, tmp_path: Path) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([partial(late(toys, gate), i, 100) for i in range(2)], num_workers=1) as envs:
        envs.reset()
        envs.timeout = 0.05
        with pytest.raises(WorkerTimeoutError):
            envs.step_masked(np.array([3, 4]), np.array([True, True]))
        envs.timeout = None
        gate.touch()
        for env_id in (0, 1, 1):  # the first recv finds the messages of both environments
            envs.send([1], [env_id])
            observations, *_, infos, _ = envs.recv()
            assert infos["steps"].tolist() == observations[:, 1].tolist()


def test_vector_env_cannot_be_copied_or_pickled(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2), num_workers=1) as envs:
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be pickled or copied, because its environments are in other"):
                way(envs)
        assert envs.reset()[0].shape == (2, 3)


def test_raising_environment_does_not_lose_other_results(toys: Any) -> None:
    made, plain = toys.Troubled, toys.Counter

    def trouble(env: Any) -> None:
        raise ValueError("bad")

    with AsyncVectorEnv([lambda: plain(0), lambda: made(1, 9, 1, trouble), lambda: plain(2)], num_workers=2) as envs:
        envs.reset()
        envs.send([1, 1, 1])
        with pytest.raises(WorkerError, match=r"environment 1.*bad"):
            envs.recv()
        assert sorted(envs.recv()[-1].tolist()) == [0, 2]
        with pytest.raises(ResetNeeded, match="environment 1"):
            envs.send([1], [1])
        envs.reset(options={"reset_mask": np.array([False, True, False])})
        envs.send([1], [0])
        envs.recv()


def test_disabled_mode_rejects_done_environments(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2, 1), num_workers=1, autoreset_mode="Disabled") as envs:
        envs.reset()
        envs.send([1], [0])
        envs.recv()
        with pytest.raises(ResetNeeded, match="environment 0 "):
            envs.send([1, 1])
        envs.send([1], [1])
        envs.recv()


@pytest.mark.parametrize("restart", [False, True])
def test_exited_worker_raises_or_truncates_its_episodes(toys: Any, tmp_path: Path, restart: Any) -> None:
    gate, made = tmp_path / "open", toys.Counter
    fns = [*[partial(late(toys, gate), i, 100) for i in range(2)], *[partial(made, i, 100) for i in range(2, 4)]]
    with AsyncVectorEnv(fns, num_workers=2, on_error="restart" if restart else "raise", context="fork") as envs:
        envs.reset()
        os.kill(envs.processes[0].pid, signal.SIGSTOP)
        envs.send([1, 1, 1], [0, 2, 3])
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        gate.touch()
        if not restart:
            with pytest.raises(WorkerError, match="environments 0, 1"):
                envs.recv()
            return
        _, _, _, truncations, infos, ids = envs.recv()
        assert ids[truncations].tolist() == ids[infos["env_restarted"]].tolist() == [0]
        envs.send([1, 1, 1, 1])
        observations, _, _, truncations, _, ids = envs.recv()
        assert ids[truncations].tolist() == [1], "it lost an episode while nothing was asked of it"
        assert observations[ids == 0][0, 1] == 0
        envs.send([1], [1])
        assert envs.recv()[0][0, 1] == 0


@pytest.mark.parametrize("shared", [True, False])
def test_poll_returns_whether_results_are_ready(toys: Any, tmp_path: Path, shared: Any) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([late(toys, gate), lambda: toys.Counter(1)], num_workers=2, shared_memory=shared) as envs:
        envs.reset()
        with pytest.raises(NoAsyncCallError, match="poll was called, but no results are pending; call send first"):
            envs.poll()
        envs.send([3, 4])
        with pytest.raises(
            ValueError, match="Expected timeout to be a number of seconds of at least 0, or None, got -1"
        ):
            envs.poll(-1)
        assert envs.poll(None)
        assert envs.poll(np.inf)
        assert envs.poll()
        assert envs.recv(1)[-1].tolist() == [1]
        assert not envs.poll()
        assert not envs.poll(0.05)
        gate.touch()
        assert envs.poll(60)
        assert envs.recv()[1].tolist() == [3]
    with pytest.raises(ClosedEnvironmentError):
        envs.poll()


def test_poll_sleeps_instead_of_spinning(toys: Any, tmp_path: Path) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([late(toys, gate)], num_workers=1) as envs:
        envs.reset()
        envs.send([1])
        for _ in range(3):  # repeated, because a pause of the whole machine may be measured as part of a step
            before = time.thread_time()
            assert not envs.poll(0.5)
            used = time.thread_time() - before
            if used < 0.25:
                break
        assert used < 0.25
        gate.touch()
        assert envs.recv()[1].tolist() == [1]


def test_recv_sleeps_if_other_processes_are_busy(toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, slow_yields = tmp_path / "open", []

    def run_another_process() -> None:
        slow_yields.append(0.002)
        time.sleep(0.002)

    with AsyncVectorEnv([late(toys, gate)], num_workers=1) as envs:
        envs.reset()
        monkeypatch.setattr(os, "sched_yield", run_another_process)
        envs.send([1])
        with pytest.raises(WorkerTimeoutError):
            envs.recv(timeout=0.05)
        assert len(slow_yields) <= 1
        gate.touch()
        assert envs.recv()[1].tolist() == [1]


@pytest.mark.parametrize("restart", [False, True])
def test_poll_wakes_when_a_worker_exits(toys: Any, tmp_path: Path, restart: Any) -> None:
    fns = [late(toys, tmp_path / "never")] * 2
    with AsyncVectorEnv(fns, num_workers=1, on_error="restart" if restart else "raise") as envs:
        envs.reset()
        os.kill(envs.processes[0].pid, signal.SIGSTOP)
        envs.send([1, 1])
        assert not envs.poll(0.05)
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        assert envs.poll(None)
        if restart:
            assert envs.recv()[3].all()
        else:
            with pytest.raises(WorkerError, match="environments 0, 1"):
                envs.recv()


def test_poll_includes_the_environments_of_the_parent(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2, 100), num_workers=1, parent_steps=True) as envs:
        envs.reset()
        envs.send([5], [1])
        assert envs.poll()
        assert envs.recv()[1].tolist() == [5]


def mute(toys: Any, gate: Path) -> Any:
    """Return a function that creates an environment whose worker sends no messages until a gate opens."""

    class Mute(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            send = Transport.send

            def late(transport: Any, *args: Any) -> bool:
                gate.with_suffix(".published").touch()
                while not gate.exists():
                    time.sleep(0.005)
                Transport.send = send  # type: ignore[method-assign]
                return send(transport, *args)

            Transport.send = late  # type: ignore[assignment, method-assign]
            return super().step(action)

    return lambda: Mute(0, 100)


def published(gate: Path) -> None:
    """Wait until a mute environment's result is published. Its message has not been sent yet."""
    while not gate.with_suffix(".published").exists():
        time.sleep(0.005)


@pytest.mark.parametrize("shared", [True, False])
def test_result_is_ready_with_its_message(toys: Any, tmp_path: Path, shared: Any) -> None:
    gate = tmp_path / "open"
    with AsyncVectorEnv([mute(toys, gate), lambda: toys.Counter(1)], num_workers=2, shared_memory=shared) as envs:
        envs.reset()
        envs.send([3, 4])
        assert envs.recv(1)[-1].tolist() == [1]
        published(gate)
        assert not envs.poll(0.05)
        with pytest.raises(WorkerTimeoutError):
            envs.recv(1, timeout=0.05)
        gate.touch()
        _, rewards, _, _, infos, ids = envs.recv()
        assert (rewards.tolist(), infos["steps"].tolist(), ids.tolist()) == ([3], [1], [0])


def test_second_message_wakes_a_sleeping_recv(toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the second result ready after `recv` has checked, but send its message before the first message is read."""
    gates = [tmp_path / "first", tmp_path / "second"]
    sleep, has_message = WorkerRequests._sleep, WorkerRequests._has_message

    def open_first(pool: Any, workers: Any, seconds: float) -> bool:
        gates[0].touch()
        return sleep(pool, workers, 1000.0)  # this sleep ends early if data arrive

    def take(pool: Any, i: int, pending: Any) -> bool:
        gates[1].touch()
        transport = pool.worker_of(i)._transport
        while i == 0 and len(transport._frames) < 2:
            transport.receive()
        return has_message(pool, i, pending)

    with AsyncVectorEnv([partial(late(toys, gate), i, 100) for i, gate in enumerate(gates)], num_workers=1) as envs:
        envs.reset()
        monkeypatch.setattr(WorkerRequests, "_sleep", open_first)
        monkeypatch.setattr(WorkerRequests, "_has_message", take)
        envs.send([3, 4])
        assert sorted(envs.recv(2)[-1].tolist()) == [0, 1]
        monkeypatch.undo()


@pytest.mark.parametrize("restart", [False, True])
def test_worker_exit_before_the_message_discards_the_result(toys: Any, tmp_path: Path, restart: Any) -> None:
    gate = tmp_path / "never"
    with AsyncVectorEnv([mute(toys, gate)], num_workers=1, on_error="restart" if restart else "raise") as envs:
        envs.reset()
        envs.send([3])
        published(gate)
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        if restart:
            _, rewards, _, truncations, infos, _ = envs.recv()
            assert (rewards.tolist(), truncations.tolist(), infos["env_restarted"].tolist()) == ([0], [True], [True])
        else:
            with pytest.raises(WorkerError, match="environment 0"):
                envs.recv()


@pytest.mark.parametrize(
    "mode, shared",
    [
        ("NextStep", True),
        ("SameStep", False),
        ("Disabled", True),
        pytest.param("NextStep", False, marks=pytest.mark.slow),
        pytest.param("SameStep", True, marks=pytest.mark.slow),
        pytest.param("Disabled", False, marks=pytest.mark.slow),
    ],
)
def test_late_restart_is_finished_by_the_next_request(toys: Any, tmp_path: Path, mode: str, shared: Any) -> None:
    class Slow(toys.Counter):  # type: ignore[misc]
        def __init__(self, number: int) -> None:
            super().__init__(number, 100)
            while (tmp_path / "slow").exists():
                time.sleep(0.001)

    fns = [partial(Slow, i) for i in range(3)]
    options: Any = {"autoreset_mode": mode, "shared_memory": shared, "context": "fork"}
    with AsyncVectorEnv(fns, num_workers=1, on_error="restart", **options) as envs:
        envs.reset()
        last = envs.step(np.zeros(3, np.int64))[0]
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        (tmp_path / "slow").touch()
        envs.send([1, 1], [0, 2])
        for _ in range(2):
            with pytest.raises(WorkerTimeoutError):
                envs.recv(timeout=0.1)
        (tmp_path / "slow").unlink()
        observations, rewards, _, truncations, infos, ids = envs.recv()
        assert sorted(ids.tolist()) == [0, 2]
        assert truncations.all()
        assert infos["env_restarted"].all()
        assert not rewards.any()
        shown = np.stack(infos["final_obs"]) if mode == "SameStep" else observations
        assert shown.tolist() == last[ids].tolist()
        if mode == "Disabled":
            envs.reset(options={"reset_mask": np.array([True, False, True])})
        _, _, _, truncations, infos = envs.step(np.zeros(3, np.int64))
        assert truncations.tolist() == infos["env_restarted"].tolist() == [False, True, False]
