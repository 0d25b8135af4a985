"""Test that the `async` engine returns the same fragments as `sync`, and that it handles failing processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.error import Error
from gymkernel_tool_rollout.collecting import CollectTimeoutError, ShardLostError, collect, shard, slots
from gymkernel_tool_rollout.collecting.errors import Failure

if TYPE_CHECKING:
    from pathlib import Path


def processes(collector: Any) -> list[Any]:
    found: list[Any] = collector._engine._workers.processes
    return found


class Gate:
    """A gate that blocks forked processes until it is opened."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def wait(self) -> None:
        select.select([self.reader], [], [])

    def open(self) -> None:
        os.write(self.writer, b"open")


@pytest.fixture
def gates() -> Any:
    made = [Gate(), Gate()]
    yield made
    for item in made:
        os.close(item.reader)
        os.close(item.writer)


@pytest.fixture
def gate(gates: Any) -> Any:
    return gates[0]


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize(
    "much", [{"num_steps": 60}, {"num_episodes": 7}, {"num_steps": 60, "max_staleness": 0}, {"num_steps": 15}]
)
def test_fragments_equal_those_of_the_local_engine(toys: Any, shards: int, much: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"num_shards": shards, "fragment_length": 4, "seed": 1, **much}
    ours = list(collect(toys.walks(3), toys.odd, engine="async", **arguments))
    assert toys.same(ours, list(collect(toys.walks(3), toys.odd, **arguments)))
    assert ours[0]["observations"].flags.writeable


def test_nested_observations_and_objects_equal_the_local_engine(toys: Any) -> None:
    def policy(observations: Any) -> Any:
        return observations["at"][:, 1].astype(np.int64), {"a": {"b": observations["at"]}}

    arguments: dict[str, Any] = {"num_shards": 2, "fragment_length": 5, "seed": 1, "num_steps": 30}
    ours = list(collect([toys.Nested] * 3, policy, engine="async", **arguments))
    assert toys.same(ours, list(collect([toys.Nested] * 3, policy, **arguments)))
    assert ours[0]["extras"]["a"]["b"].shape == (5, 1, 3)


def test_policy_versions_equal_the_local_engine(toys: Any) -> None:
    def found(engine: str) -> Any:
        collector = collect(
            toys.walks(3), toys.Always(0), num_shards=2, num_steps=60, fragment_length=3, seed=1, engine=engine
        )
        fragments = []
        for k, fragment in enumerate(collector):
            fragments.append((dict(fragment), fragment.policy_version, fragment.shard))
            if k % 2:
                collector.update(toys.Always(k))
        return fragments

    assert str(found("async")) == str(found("sync"))


class Picture(Env[Any, Any]):
    """An environment whose observations contain the episode, the step and the action, and take up 64 kB."""

    metadata: dict[str, Any] = {}  # noqa: RUF012
    render_mode = None

    def __init__(self, toys: Any) -> None:
        self.observation_space, self.action_space = toys.Line((64, 1024), np.uint8), toys.Line((), np.int64)
        self.episode = self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.episode, self.steps = self.episode + 1, 0
        return np.full((64, 1024), self.episode, np.uint8), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        picture = np.full((64, 1024), 10 * self.episode + self.steps, np.uint8)
        picture[-1] = action
        return picture, 1.0, self.steps == 5, False, {}


def brightness(observations: Any) -> Any:
    return observations[:, 0, 0].astype(np.int64) % 7


def test_large_observations_equal_the_local_engine(toys: Any) -> None:
    arguments: dict[str, Any] = {"num_steps": 52, "num_shards": 2, "fragment_length": 4, "seed": 1}
    makers = [partial(Picture, toys)] * 4
    assert shard.DIRECT_BYTES < 2 * 64 * 1024
    here = [item.copy() for item in collect(makers, brightness, engine="sync", **arguments)]
    assert here[1]["observations"].max() > 10
    with collect(makers, brightness, engine="async", **arguments) as there:
        assert toys.same([item.copy() for item in there], here)


def test_random_actions_equal_the_local_engine(toys: Any) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 60, "seed": 4}
    assert toys.same(
        list(collect(toys.walks(3), "random", engine="async", **arguments)),
        list(collect(toys.walks(3), "random", **arguments)),
    )


def test_ready_order_returns_the_first_finished(toys: Any, gate: Any) -> None:
    def held(env: Any) -> None:
        if env.number == 0:
            gate.wait()

    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 16, "fragment_length": 4, "seed": 1}
    fragments = collect(toys.walks(2, held), toys.odd, engine="async", order="ready", **arguments)
    found = [next(fragments), next(fragments)]
    gate.open()
    found += fragments
    assert [(item.shard, item.number) for item in found] == [(1, 0), (1, 1), (0, 0), (0, 1)]
    in_turn = list(collect(toys.walks(2), toys.odd, **arguments))
    assert toys.same(sorted(found, key=lambda fragment: (fragment.number, fragment.shard)), in_turn)


def test_kept_fragments_are_not_overwritten(toys: Any) -> None:
    """Keep more fragments than there are memory slots, and read them after the rollout has ended."""
    arguments: dict[str, Any] = {"num_steps": 60, "fragment_length": 3, "seed": 1}
    kept = list(collect(toys.walks(1), toys.odd, engine="async", num_shards=1, **arguments))
    assert len(kept) == 20 > slots.MAX_SLOTS
    assert toys.same(kept, list(collect(toys.walks(1), toys.odd, **arguments)))


def test_shared_memory_is_reused(toys: Any) -> None:
    with collect(toys.walks(1), toys.odd, engine="async", fragment_length=3, seed=1) as fragments:
        for _ in range(10):
            next(fragments)
        engine: Any = fragments._engine
        assert len(engine._requests._pools[0]._slots) <= 3


def test_fragments_are_sent_without_memfd(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots.SlotPool, "works", staticmethod(lambda: False))
    arguments: dict[str, Any] = {"num_steps": 30, "fragment_length": 3, "seed": 1, "num_shards": 2}
    ours = list(collect(toys.walks(2), toys.odd, engine="async", **arguments))
    assert toys.same(ours, list(collect(toys.walks(2), toys.odd, **arguments)))


def test_unopenable_memory_is_reported(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Nowhere(slots.Slot):
        def __init__(self) -> None:
            super().__init__()
            self.place = slots.SlotPlace("/proc/0/fd/0", "")

    monkeypatch.setattr(slots, "Slot", Nowhere)
    arguments: dict[str, Any] = {"num_steps": 30, "fragment_length": 3, "seed": 1}
    ours = list(collect(toys.walks(2), toys.odd, engine="async", num_shards=1, **arguments))
    assert toys.same(ours, list(collect(toys.walks(2), toys.odd, **arguments)))


def test_killed_process_error_names_its_environments(toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 3:
            toys.kill()

    with pytest.raises(
        ShardLostError, match=r"Shard 1 \(environments 2 to 3\) ended in fragment 0: .*SIGKILL"
    ) as caught:
        list(collect(toys.walks(4, trouble), toys.odd, engine="async", num_shards=2, seed=1))
    assert (caught.value.shard, caught.value.indices) == (1, range(2, 4))
    assert 'on_error="restart"' in str(caught.value)


def test_killed_process_loses_no_finished_fragment(toys: Any) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 120, "fragment_length": 5, "seed": 1}
    collector = collect(toys.walks(4), toys.odd, engine="async", on_error="restart", **arguments)
    found = [next(collector) for _ in range(4)]
    os.kill(processes(collector)[0].pid, signal.SIGKILL)
    found += list(collector)
    untroubled = list(collect(toys.walks(4), toys.odd, **arguments))
    assert toys.same(found[:4], untroubled[:4])
    assert toys.same(found[1::2], untroubled[1::2])
    assert (collector.num_restarts, collector.num_steps) == (1, 120)
    assert [(item.shard, item.number) for item in found] == [(item.shard, item.number) for item in untroubled]


def test_slow_recreation_is_awaited_without_a_timeout(
    toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gymkernel_tool_rollout.collecting.engines.async_engine.RESTART_SECONDS", 0.01)
    made = tmp_path / "made"

    def make() -> Any:
        if made.exists():
            time.sleep(0.3)
        made.touch()
        return toys.Walk()

    arguments: dict[str, Any] = {"num_steps": 40, "fragment_length": 5, "seed": 1, "on_error": "restart"}
    with collect([make], toys.odd, engine="async", num_shards=1, **arguments) as collector:
        next(collector)
        os.kill(processes(collector)[0].pid, signal.SIGKILL)
        assert sum(fragment.num_steps for fragment in collector) == 35
        assert collector.num_restarts == 1


def patient(collector: Any) -> Any:
    """Return the next fragment, and repeat the request after every timeout."""
    while True:
        with contextlib.suppress(CollectTimeoutError):
            return next(collector)


def held_up(collector: Any, where: str = "") -> None:
    """Make a collector's requests time out while its processes are blocked."""
    said = ""
    for _ in range(300):
        with pytest.raises(CollectTimeoutError) as caught:
            next(collector)
        said = str(caught.value)
        if where in said:
            return
    raise AssertionError(said)


def queued(collector: Any, shard: int) -> list[int]:
    """Return the numbers of the fragments that have been requested but not returned."""
    return [request.ticket.serial for request in collector._engine._requests.of(shard)]


class AtStep:
    """A function that fails once per process, at a given step. An environment's steps are counted over all episodes."""

    def __init__(self, step: int, act: Any, number: int = 0) -> None:
        self.step, self.act, self.number, self.count = step, act, number, 0

    def __call__(self, env: Any) -> None:
        self.count += env.number == self.number
        if env.number == self.number and self.count == self.step:
            self.act()


def test_process_killed_while_a_request_waits(toys: Any, gate: Any) -> None:
    """Check that the process is restarted only once, and that only the two requested fragments are collected again."""
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 60, "fragment_length": 5, "seed": 1}
    held = AtStep(13, gate.wait)
    collector = collect(toys.walks(2, held), toys.odd, engine="async", on_error="restart", timeout=0.1, **arguments)
    found = [patient(collector) for _ in range(4)]
    held_up(collector, "shard 0 (environment 0), at time step 2 of 5")
    assert queued(collector, 0) == [2, 3]
    os.kill(processes(collector)[0].pid, signal.SIGKILL)
    gate.open()
    found += [patient(collector) for _ in range(8)]
    assert next(collector, None) is None
    untroubled = list(collect(toys.walks(2), toys.odd, **arguments))
    assert (collector.num_restarts, collector.num_steps) == (1, 60)
    assert [(item.shard, item.number) for item in found] == [(item.shard, item.number) for item in untroubled]
    assert toys.same(found[:4], untroubled[:4])
    assert toys.same(found[1::2], untroubled[1::2])
    assert not toys.same(found[4], untroubled[4])


def test_requests_to_a_dead_process_are_repeated(toys: Any, gates: Any) -> None:
    """Check this when the engine has noticed that a process died, but the collector is waiting for the other shard."""
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 40, "fragment_length": 5, "seed": 1}
    held = [AtStep(6, gate.wait, number) for number, gate in enumerate(gates)]

    def trouble(env: Any) -> None:
        held[env.number](env)

    collector = collect(toys.walks(2, trouble), toys.odd, engine="async", on_error="restart", timeout=0.1, **arguments)
    found = [patient(collector) for _ in range(2)]
    os.kill(processes(collector)[1].pid, signal.SIGKILL)
    engine: Any = collector._engine
    while engine._requests.oldest(1).outcome is None:
        held_up(collector)
    assert queued(collector, 1) == [1]
    assert engine._requests.oldest(1).outcome.failure.lost
    for gate in gates:
        gate.open()
    found += [patient(collector) for _ in range(6)]
    assert next(collector, None) is None
    assert (collector.num_restarts, collector.num_steps) == (1, 40)
    untroubled = list(collect(toys.walks(2), toys.odd, **arguments))
    assert toys.same(found[:2], untroubled[:2])
    assert toys.same(found[::2], untroubled[::2])


def test_idle_process_exit_is_handled_at_the_next_request(toys: Any, gate: Any) -> None:
    """Check that complete fragments are still returned and that only the next request notices that the process died."""
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 40, "fragment_length": 5, "seed": 1}
    held = AtStep(6, gate.wait)
    collector = collect(toys.walks(2, held), toys.odd, engine="async", on_error="restart", timeout=0.1, **arguments)
    found = [patient(collector) for _ in range(2)]
    engine: Any = collector._engine
    while engine._requests.oldest(1).outcome is None:
        held_up(collector)
    os.kill(processes(collector)[1].pid, signal.SIGKILL)
    processes(collector)[1].join()
    with pytest.raises(CollectTimeoutError):
        next(collector)
    gate.open()
    found += [patient(collector) for _ in range(6)]
    assert (collector.num_restarts, collector.num_steps) == (1, 40)
    untroubled = list(collect(toys.walks(2), toys.odd, **arguments))
    assert toys.same(found[:4], untroubled[:4])


def test_repeated_process_deaths_are_limited(toys: Any) -> None:
    dies = AtStep(8, toys.kill)
    collector = collect(
        toys.walks(2, dies), toys.odd, engine="async", num_shards=1, fragment_length=5, seed=1, on_error="restart",
        max_restarts=3,
    )  # fmt: skip
    found: list[int] = []
    with pytest.raises(ShardLostError, match="restarted 3 times, which is the limit") as caught:
        found.extend(item.number for item in collector)
    assert found == list(range(4))
    assert "ended in fragment 4" in str(caught.value)
    assert collector.num_restarts == 3


def test_exception_while_a_request_waits(toys: Any, gate: Any) -> None:
    """Check that the result is the same as with `sync`, which restarts the shard that raised the exception."""

    def fail() -> None:
        gate.wait()
        raise LookupError("lost")

    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 60, "fragment_length": 5, "seed": 1}
    collector = collect(
        toys.walks(2, AtStep(13, fail)), toys.odd, engine="async", on_error="restart", timeout=0.1, **arguments
    )
    found = [patient(collector) for _ in range(4)]
    with pytest.raises(CollectTimeoutError):
        next(collector)
    assert queued(collector, 0) == [2, 3]
    gate.open()
    found += [patient(collector) for _ in range(8)]
    assert next(collector, None) is None
    assert (collector.num_restarts, collector.num_steps) == (1, 60)
    here = collect(toys.walks(2, AtStep(13, fail)), toys.odd, on_error="restart", **arguments)
    assert toys.same(found, list(here))


@pytest.mark.parametrize("staleness", [1, None])
def test_close_with_pending_requests(toys: Any, gate: Any, staleness: int | None) -> None:
    collector = collect(
        toys.walks(1, AtStep(7, gate.wait)), toys.odd, engine="async", num_shards=1, fragment_length=5, seed=1,
        timeout=0.1, max_staleness=staleness,
    )  # fmt: skip
    kept = patient(collector)
    with pytest.raises(CollectTimeoutError):
        next(collector)
    assert queued(collector, 0) == [1, 2]
    gate.open()
    collector.close()
    assert toys.same(kept, next(collect(toys.walks(1), toys.odd, num_shards=1, fragment_length=5, seed=1)))


@pytest.mark.parametrize("order", ["round_robin", "ready"])
def test_unlimited_staleness_gives_the_same_fragments(toys: Any, order: str) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 120, "fragment_length": 3, "seed": 1}
    found = list(collect(toys.walks(4), toys.odd, engine="async", order=order, max_staleness=None, **arguments))
    found.sort(key=lambda fragment: (fragment.number, fragment.shard))
    assert toys.same(found, list(collect(toys.walks(4), toys.odd, **arguments)))


def test_episodes_stay_exact_when_processes_are_killed(toys: Any) -> None:
    collector = collect(
        toys.walks(4), toys.odd, engine="async", num_shards=2, num_episodes=40, fragment_length=2, seed=1,
        on_error="restart_lost",
    )  # fmt: skip
    each = np.zeros(4, int)
    for k, fragment in enumerate(collector):
        np.add.at(each, np.array(fragment.indices)[fragment["episode_ends"][:, 1]], 1)
        if k in {3, 8, 9}:
            os.kill(processes(collector)[k % 2].pid, signal.SIGKILL)
    assert each.tolist() == [10] * 4
    assert collector.num_restarts >= 2


def test_sys_exit_in_another_process_names_the_caller(toys: Any) -> None:
    def leave(given: Any) -> Any:
        if getattr(given, "number", 3) == 3:
            sys.exit(4)

    arguments: dict[str, Any] = {"engine": "async", "num_shards": 2, "seed": 1}
    with pytest.raises(
        Error, match=r"^sys.exit\(4\) was called in leave \(.*test_async_engine.py, line \d+\)"
    ) as caught:
        list(collect(toys.walks(4, leave), toys.odd, **arguments))
    notes = caught.value.__notes__
    assert "It comes from environment 3, number 1 of shard 1 (environments 2 to 3)." in notes
    assert "sys.exit(4)" in notes[-1]
    # Some versions of cloudpickle replace the file names in functions that are pickled by value.
    with pytest.raises(Error, match=r"^sys.exit\(4\) was called by the policy in leave \([^)]+, line \d+\)"):
        list(collect(toys.walks(4), leave, **arguments))


def test_exception_keeps_type_index_and_traceback(toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 3 and env.steps == 1:
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost") as caught:
        list(collect(toys.walks(4, trouble), toys.odd, engine="async", num_shards=2, seed=1))
    notes = caught.value.__notes__
    assert "It comes from environment 3, number 1 of shard 1 (environments 2 to 3)." in notes
    assert 'raise LookupError("lost")' in notes[-1]


def test_failing_environment_creation_is_reported(toys: Any) -> None:
    def make() -> Any:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost") as caught:
        collect([*toys.walks(2), make], toys.odd, engine="async", num_shards=2, seed=1)
    notes = caught.value.__notes__
    assert type(caught.value) is LookupError
    assert "It comes from the function that makes environment 2." in notes
    assert 'raise LookupError("lost")' in notes[-1]


def test_process_exit_during_environment_creation(toys: Any) -> None:
    with pytest.raises(ShardLostError, match=r"of shard 1 .* could not be created: its process ended with exit code 3"):
        collect([*toys.walks(2), lambda: os._exit(3)], toys.odd, engine="async", num_shards=2, seed=1)


def test_unpicklable_policy_is_reported(toys: Any) -> None:
    lock = __import__("threading").Lock()

    def policy(observations: Any) -> Any:
        with lock:
            return np.zeros(len(observations), np.int64)

    with pytest.raises(TypeError, match="The policy cannot be pickled, but shards in other processes need"):
        collect(toys.walks(2), policy, engine="async", seed=1)
    assert len(list(collect(toys.walks(2), policy, num_steps=2, seed=1))) == 1


@pytest.mark.slow
def test_hang_is_reported_with_its_place_and_ended_by_close(toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 1 and env.steps == 1:
            time.sleep(1000)

    with collect(toys.walks(2, trouble), toys.odd, engine="async", num_shards=2, seed=1, timeout=0.3) as fragments:
        patient(fragments)
        held_up(fragments, "shard 1 (environment 1), at time step 1 of 128")
        with pytest.raises(CollectTimeoutError) as caught:
            next(fragments)
        assert caught.value.shards == (1,)
        assert isinstance(caught.value, TimeoutError)


def test_slow_environment_creation_times_out(toys: Any) -> None:
    def make() -> Any:
        time.sleep(1000)

    for seconds in (0.5, 5.0, 30.0):  # the other shard may need more time on a busy machine
        with pytest.raises(CollectTimeoutError, match=f"were not created within {seconds:g} s") as caught:
            collect([*toys.walks(1), make], toys.odd, engine="async", num_shards=2, start_timeout=seconds)
        if "shard 0" not in str(caught.value):
            break
    assert "shard 1 (environment 1) were not created" in str(caught.value)


def test_late_fragment_can_be_requested_again(toys: Any, gate: Any) -> None:
    def held(env: Any) -> None:
        if env.steps == 1:
            gate.wait()

    with collect(toys.walks(1, held), toys.odd, engine="async", seed=1, num_steps=4, timeout=0.05) as fragments:
        with pytest.raises(CollectTimeoutError):
            next(fragments)
        gate.open()
        found = None
        while found is None:
            with contextlib.suppress(CollectTimeoutError):
                found = next(fragments)
    assert toys.same(found, next(collect(toys.walks(1), toys.odd, seed=1, num_steps=4)))


def test_close_does_not_wait_for_a_long_fragment(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gymkernel_vector_async._worker_handle.GRACE_PERIOD", 30.0)  # a busy machine
    closed = multiprocessing.get_context("fork").SimpleQueue()

    class Closing(toys.Walk):  # type: ignore[misc]
        def close(self) -> None:
            closed.put(self.number)

    collector = collect(
        [Closing, Closing], toys.odd, engine="async", num_shards=2, seed=1, fragment_length=10**6, timeout=0.2
    )
    with pytest.raises(CollectTimeoutError):
        next(collector)
    collector.close()
    assert [closed.get(), closed.get()] == [0, 0]  # the processes exited on their own and were not killed
    closed.close()


@pytest.mark.parametrize(
    "engine, seconds", [("sync", 0.0), ("async", 0.0), pytest.param("async", 1.2, marks=pytest.mark.slow)]
)
def test_uncloseable_environments_are_named_and_slow_ones_awaited(
    toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, seconds: float
) -> None:
    monkeypatch.setattr("gymkernel_vector_async._worker_handle.GRACE_PERIOD", 30.0)  # a busy machine
    toys.assert_closing_is_told(engine, tmp_path, seconds)


def test_engine_options(toys: Any) -> None:
    with pytest.raises(
        TypeError, match="The engine 'async' has no option color; it has context, daemon, start_timeout"
    ):
        collect(toys.walks(2), toys.odd, engine="async", color=3)


class Unpicklable(Exception):  # noqa: N818 - only this test uses the class
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")
        self.keep = lambda: other


def test_every_exception_reaches_the_program() -> None:
    import pickle

    for exc in (ValueError("a"), Unpicklable(1, 2), KeyError(lambda: 1)):
        exc.add_note("It comes from here.")
        found = pickle.loads(pickle.dumps(Failure.of(exc))).exception()
        assert type(found).__name__ == type(exc).__name__
        assert found.__notes__[0] == "It comes from here."


def refuse(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    "members",
    [
        {"__str__": refuse},
        {"__repr__": refuse, "__str__": refuse},
        {"__reduce_ex__": refuse, "__str__": refuse},
        {"__setattr__": refuse, "add_note": refuse},
        {"args": property(refuse), "__str__": refuse},
        {"__notes__": 5},
    ],
    ids=" ".join,
)
def test_exception_whose_class_raises_reaches_the_program(members: Any) -> None:
    import pickle

    for base in (Exception, BaseException, SystemExit):
        failure = pickle.loads(pickle.dumps(Failure.of(type("OddError", (base,), members)(1))))
        found = failure.exception()
        assert "OddError" in type(found).__name__ or base is SystemExit
        assert "OddError" in failure.message or base is SystemExit


@pytest.mark.slow
@pytest.mark.parametrize("context", ["fork", "forkserver", "spawn"])
def test_every_start_method_gives_the_same_fragments(toys: Any, context: str) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 30, "fragment_length": 5, "seed": 1}
    ours = list(collect(toys.walks(3), toys.odd, engine="async", context=context, **arguments))
    assert toys.same(ours, list(collect(toys.walks(3), toys.odd, **arguments)))


INTERRUPTED = """
    import os, signal, sys, threading, time
    from gymkernel.rollouts import collect
    sys.path.insert(0, {here!r})
    import conftest as toys

    def slow(env):
        time.sleep(0.05)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts this may ignore it
    collector = collect(toys.walks(2, slow), toys.odd, engine="async", num_shards=2, seed=1)
    print(*(one.pid for one in collector._engine._workers.processes), flush=True)
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.{signal})).start()
        list(collector)
    except KeyboardInterrupt:
        print("interrupted", collector)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name, said", [("SIGINT", "interrupted"), ("SIGKILL", "")])
def test_ctrl_c_and_sigkill_leave_no_process(name: str, said: str) -> None:
    here = os.path.dirname(__file__)  # noqa: PTH120
    program = textwrap.dedent(INTERRUPTED).format(here=here, signal=name)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    pids, _, rest = ended.stdout.partition("\n")
    assert len(pids.split()) == 2, ended.stderr
    assert rest.startswith(said)
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}/fd/0") for pid in pids.split()):  # noqa: PTH110
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.05)
