"""Test when fragments are requested, and which version of the policy is used for them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel_tool_rollout.collecting import Failure, Outcome, Recipe, Shard, Ticket, collect
from gymkernel_tool_rollout.collecting.engines.requests import Requests
from gymkernel_tool_rollout.collecting.engines.sync_engine import SyncEngine
from gymkernel_tool_rollout.collecting.slots import SlotPool


class Recording(SyncEngine):
    """An engine that records all requests, and how many of them are pending."""

    def __init__(self, recipes: Any, **_: Any) -> None:
        super().__init__(recipes)
        self.asked: list[Any] = []
        self.waiting: Counter[int] = Counter()
        self.most = 0

    def submit(self, shard: int, ticket: Any) -> None:
        self.asked.append((shard, ticket.serial, ticket.generation, ticket.rows, ticket.version))
        self.waiting[shard] += 1
        self.most = max(self.most, self.waiting[shard])
        super().submit(shard, ticket)

    def wait(self, shards: Any, timeout: float | None) -> Any:
        found: Any = super().wait(shards, timeout)
        self.waiting[found[0]] -= 1
        return found


class OneByOne:
    """A third-party engine that accepts only one request at a time and does not set generations."""

    remote = False

    def __init__(self, recipes: Any, **_: Any) -> None:
        self._recipes, self._shards = recipes, [Shard(recipe) for recipe in recipes]
        self._tickets: dict[int, Any] = {}

    def submit(self, shard: int, ticket: Any) -> None:
        assert shard not in self._tickets
        self._tickets[shard] = ticket

    def wait(self, shards: Any, timeout: float | None) -> Any:
        ticket = self._tickets.pop(shards[0])
        outcome = self._shards[shards[0]].collect(ticket)
        if outcome.failure is not None:
            return shards[0], Outcome(ticket.serial, failure=outcome.failure)
        return shards[0], outcome

    def fragment(self, shard: int, outcome: Any) -> Any:
        from gymkernel_tool_rollout.collecting.fragment import fragment_of

        return fragment_of(outcome, shard, self._recipes[shard].indices)

    def drop(self, shard: int, outcome: Any) -> None: ...

    def progress(self, shard: int) -> str:
        return ""

    def close(self) -> None:
        for shard in self._shards:
            shard.close()


def recording(collector: Any) -> Recording:
    engine: Recording = collector._engine
    return engine


def test_next_request_is_sent_before_the_last_one_finishes(toys: Any) -> None:
    with collect(toys.walks(2), toys.odd, num_shards=2, fragment_length=2, seed=1, engine=Recording) as fragments:
        for _ in range(4):
            next(fragments)
        engine = recording(fragments)
        assert [(shard, serial) for shard, serial, *_ in engine.asked] == [
            *[(0, 0), (1, 0), (0, 1)],  # the last request before the first fragment is returned
            *[(1, 1), (0, 2), (1, 2)],
        ]
        assert engine.most == 2
        assert sum(engine.waiting.values()) == 2  # one request per shard while the program runs


@pytest.mark.parametrize("order", ["round_robin", "ready"])
def test_two_requests_wait_with_unlimited_staleness(toys: Any, order: str) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "fragment_length": 2, "seed": 1, "engine": Recording, "order": order}
    with collect(toys.walks(2), toys.odd, max_staleness=None, **arguments) as fragments:
        for _ in range(5):
            next(fragments)
            assert recording(fragments).waiting == {0: 2, 1: 2}
    with collect(toys.walks(2), toys.odd, max_staleness=None, max_waiting=3, **arguments) as fragments:
        for _ in range(5):
            next(fragments)
            assert sum(recording(fragments).waiting.values()) == 3


@pytest.mark.parametrize(
    "arguments", [{"max_staleness": 0}, {"num_episodes": 9}, {"order": "ready"}, {"order": "ready", "max_staleness": 5}]
)
def test_dependent_requests_are_sent_one_at_a_time(toys: Any, arguments: dict[str, Any]) -> None:
    collector = collect(toys.walks(4), toys.odd, num_shards=2, fragment_length=2, seed=1, engine=Recording, **arguments)
    for _, fragment in zip(range(8), collector, strict=False):
        assert fragment.num_steps
    assert recording(collector).most == 1
    collector.close()


@pytest.mark.parametrize("staleness", [0, 1, 2, None])
@pytest.mark.parametrize("order", ["round_robin", "ready"])
def test_no_unneeded_request_is_sent(toys: Any, staleness: int | None, order: str) -> None:
    collector = collect(
        toys.walks(6), toys.odd, num_shards=3, num_steps=66, fragment_length=4, seed=1, engine=Recording, order=order,
        max_staleness=staleness,
    )  # fmt: skip
    assert sum(item.num_steps for item in collector) == 66
    engine = recording(collector)
    assert not +engine.waiting
    assert sum(rows * 2 for _, _, _, rows, _ in engine.asked) == 66


@given(data=st.data())
def test_versions_and_drops_equal_sequential_requests(toys: Any, data: Any) -> None:
    """Check that early requests do not change the policy versions of fragments, however often the policy is updated."""
    shards = data.draw(st.integers(1, 3))
    n = shards + data.draw(st.integers(0, 2))
    arguments = {
        "num_shards": shards,
        "fragment_length": data.draw(st.integers(1, 4)),
        "max_staleness": data.draw(st.integers(0, 3)),
        "max_waiting": data.draw(st.sampled_from([None, 1, 2])),
        **data.draw(
            st.sampled_from([{"num_steps": n * 7}, {"num_steps": n * 16}, {"num_episodes": 9}, {"num_episodes": 2}])
        ),
    }
    updates = data.draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=1, max_size=20))

    assert traced(toys, n, updates, engine="sync", **arguments) == traced(
        toys, n, updates, engine=OneByOne, **arguments
    )


def traced(toys: Any, n: int, updates: list[int], **arguments: Any) -> Any:
    """Return which fragments are returned and dropped if the policy is updated `updates[i]` times after fragment i."""
    collector = collect(toys.walks(n), toys.Always(0), seed=1, **arguments)
    fragments = []
    for k, fragment in enumerate(collector):
        fragments.append((fragment.shard, fragment.number, fragment.policy_version, str(dict(fragment))))
        for _ in range(updates[k] if k < len(updates) else 0):
            collector.update(toys.Always(collector.policy_version + 1))
    return fragments, collector.num_dropped, collector.num_steps


@pytest.mark.parametrize(
    "length, steps, updates",
    [
        (2, 30, [2, 0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 1]),
        (3, 30, [0, 0, 1, 1, 0, 0, 2, 1, 1, 0, 2, 2]),
        (3, 45, [1, 0, 0, 2, 0, 1, 1, 2, 2, 1, 1, 1]),
    ],
)
def test_only_the_awaited_shard_gets_an_early_request(toys: Any, length: int, steps: int, updates: list[int]) -> None:
    """Check this even if a shard has more dropped fragments and therefore continues after the others have finished."""
    arguments: dict[str, Any] = {"num_shards": 3, "fragment_length": length, "num_steps": steps}
    assert traced(toys, 3, updates, engine="sync", **arguments) == traced(
        toys, 3, updates, engine=OneByOne, **arguments
    )


def test_dropped_fragment_leaves_its_steps_to_the_next(toys: Any) -> None:
    """Check that only the last fragment is short, because drops are known when the next fragment is requested."""
    collector = collect(toys.walks(1), toys.Always(0), num_steps=10, fragment_length=4, seed=1)
    rows = []
    for fragment in collector:
        rows.append(len(fragment["rewards"]))
        for _ in range(3 if len(rows) == 1 else 0):
            collector.update(toys.Always(1))
    assert rows == [4, 4, 2]
    assert collector.num_dropped == 1


def test_third_party_engine_with_sequential_requests(toys: Any) -> None:
    troubles = [2]

    def trouble(env: Any) -> None:
        if env.number == 2 and env.steps == 1 and troubles[0]:
            troubles[0] -= 1
            raise LookupError("lost")

    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 80, "fragment_length": 5, "seed": 1}
    collector = collect(toys.walks(4, trouble), toys.odd, on_error="restart", engine=OneByOne, **arguments)
    found = list(collector)
    assert (collector.num_restarts, collector.num_steps) == (2, 80)
    troubles[0] = 2
    assert toys.same(found, list(collect(toys.walks(4, trouble), toys.odd, on_error="restart", **arguments)))


def test_requests_queued_behind_a_failure_are_repeated(toys: Any) -> None:
    """Check that a failure causes only one restart, and that no environment in the failed shard takes another step."""
    steps: list[int] = []
    troubles = [1]

    def trouble(env: Any) -> None:
        steps.append(env.number)
        if env.number == 1 and len(steps) > 20 and troubles[0]:
            troubles[0] = 0
            raise LookupError("lost")

    collector = collect(
        toys.walks(2, trouble), toys.odd, num_shards=2, num_steps=40, fragment_length=5, seed=1, engine=Recording,
        on_error="restart",
    )  # fmt: skip
    found = list(collector)
    engine = recording(collector)
    assert (collector.num_restarts, collector.num_steps) == (1, 40)
    assert [(item.shard, item.number) for item in found] == [(s, k) for k in range(4) for s in range(2)]
    anew = [(shard, serial) for shard, serial, generation, *_ in engine.asked if generation]
    assert anew[:2] == [(1, 2), (1, 3)]  # the failed request and the next one
    assert steps.count(1) == 20 + 1  # only the failed step was repeated


def test_restarted_shard_keeps_requested_versions(toys: Any) -> None:
    """Check this when the failed request and the next one have different policy versions."""
    troubles = [1]

    def trouble(env: Any) -> None:
        if env.number == 0 and env.action == 1 and troubles[0]:
            troubles[0] = 0
            raise LookupError("lost")

    class Acting(toys.Walk):  # type: ignore[misc]
        action = 0

        def step(self, action: Any) -> Any:
            self.action = int(action)
            return super().step(action)

    def found(troubled: int) -> Any:
        troubles[0] = troubled
        collector = collect(
            [lambda: Acting(0, trouble)], toys.Always(0), fragment_length=3, num_steps=15, seed=1, on_error="restart"
        )
        for fragment in collector:
            yield fragment.policy_version, np.unique(fragment["actions"]).tolist()
            collector.update(toys.Always(collector.policy_version + 1))
        yield collector.num_restarts

    assert [*found(1)][:-1] == [*found(0)][:-1] == [(0, [0]), (0, [0]), (1, [1]), (2, [2]), (3, [3])]
    assert [*found(1)][-1] == 1


def test_requests_to_an_exited_process_fail_until_restart() -> None:
    requests = Requests([Recipe(0, range(1), (), 1)], shared=False)
    finished, under_way = (requests.add(0, Ticket(serial, 0, 4, 0)) for serial in range(2))
    finished.outcome = Outcome(0, generation=0)
    requests.lose(0, 0, Failure("its process ended", lost=True))
    later, anew = requests.add(0, Ticket(2, 0, 4, 0)), requests.add(0, Ticket(1, 1, 4, 0))
    assert anew.outcome is None
    taken = [requests.take(0) for _ in range(4)]
    assert taken == [finished.outcome, under_way.outcome, later.outcome, None]
    assert [(x.serial, x.generation, x.failure and x.failure.lost) for x in taken if x is not None] == [
        (0, 0, None), (1, 0, True), (2, 0, True),
    ]  # fmt: skip


def test_exited_process_does_not_affect_the_next_generation() -> None:
    requests = Requests([Recipe(0, range(1), (), 1)], shared=False)
    old, anew = (requests.add(0, Ticket(1, generation, 4, 0)) for generation in range(2))
    requests.lose(0, 0, Failure("its process ended", lost=True))
    assert (old.outcome is None, anew.outcome) == (False, None)


@pytest.mark.skipif(not SlotPool.works(), reason="memory without a name is not in this system")
def test_each_request_has_reusable_memory() -> None:
    """Check that memory is reused only when no array refers to it, even if the fragment itself has been deleted."""
    requests = Requests([Recipe(0, range(1), (), 1)], shared=True)
    first, second = (requests.add(0, Ticket(serial, 0, 4, 0)) for serial in range(2))
    assert first.slot is not None
    assert first.ticket.memory.name != second.ticket.memory.name
    pool = requests._pools[0]
    view, scarce = pool.hand_out(first.slot)
    assert not scarce
    assert requests.add(0, Ticket(2, 0, 4, 0)).slot not in {first.slot, second.slot}
    array = np.ndarray((4,), np.int8, view)
    del view
    assert first.slot not in pool._free
    first.slot._words[0] = 3  # the worker has reached this row
    del array
    assert first.slot in pool._free
    assert requests.add(0, Ticket(3, 0, 4, 0)).slot is first.slot
    assert first.slot.row() is None  # this must not be the row of the previous fragment
    requests.stop()
    requests.close()
