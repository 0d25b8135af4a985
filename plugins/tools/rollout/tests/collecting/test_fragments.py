"""Test the contents, number and policy versions of fragments with the `sync` engine."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from gymkernel.error import ClosedEnvironmentError, Error
from gymkernel.vector import SyncVectorEnv
from gymkernel_tool_rollout.collecting import collect, shard


def test_fragment_contains_what_the_environments_did(toys: Any) -> None:
    """Repeat the steps of a shard with a vector environment, and compare the results."""
    with collect(toys.walks(3), toys.odd, num_steps=60, fragment_length=20, seed=5) as fragments:
        (fragment,) = fragments
    envs = SyncVectorEnv(toys.walks(3), autoreset_mode="SameStep")
    observations, _ = envs.reset(seed=5)
    ends = []
    for t in range(20):
        assert (fragment["observations"][t] == observations).all()
        actions, extras = toys.odd(observations)
        assert (fragment["actions"][t] == actions).all()
        assert (fragment["extras"]["values"][t] == extras["values"]).all()
        observations, rewards, ended, cut, infos = envs.step(actions)
        assert (fragment["rewards"][t] == rewards).all()
        assert (fragment["terminations"][t] == ended).all()
        assert (fragment["truncations"][t] == cut).all()
        ends += [(t, i, infos["final_obs"][i]) for i in np.flatnonzero(ended | cut)]
    assert (fragment["last_observations"] == observations).all()
    assert fragment["mask"].all()
    assert fragment["episode_ends"].tolist() == [[t, i] for t, i, _ in ends]
    assert (fragment["final_observations"] == [final for *_, final in ends]).all()
    assert (fragment.num_steps, fragment.num_episodes) == (60, len(ends))


def test_returns_and_lengths_span_fragment_boundaries(toys: Any) -> None:
    long, short = (
        list(collect(toys.walks(2), toys.Always(1), num_steps=48, fragment_length=length, seed=1)) for length in (24, 3)
    )
    assert len(short) == 8
    for name in ("episode_returns", "episode_lengths"):
        assert np.concatenate([item[name] for item in short]).tolist() == long[0][name].tolist()
    assert (long[0]["episode_returns"] == long[0]["episode_lengths"]).all()
    assert (np.concatenate([item["rewards"] for item in short]) == long[0]["rewards"]).all()


def test_nested_observations_and_parts_without_arrays_are_collected(toys: Any) -> None:
    def policy(observations: Any) -> Any:
        return observations["at"][:, 1].astype(np.int64)

    (fragment,) = collect([toys.Nested, toys.Nested], policy, num_steps=20, seed=3)
    seen = fragment["observations"]
    assert seen["at"].shape == (10, 2, 3)
    assert seen["said"].shape == (10, 2)
    assert [len(word) for word in seen["said"][:, 0]] == seen["at"][:, 0, 1].tolist()
    assert [len(word) for word in fragment["final_observations"]["said"]] == fragment["episode_lengths"].tolist()
    assert fragment["last_observations"]["said"].shape == (2,)


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("order", ["round_robin", "ready"])
def test_number_of_steps_is_exact(toys: Any, shards: int, order: str) -> None:
    collector = collect(
        toys.walks(3), toys.odd, num_steps=51, num_shards=shards, fragment_length=4, seed=0, order=order
    )
    fragments = list(collector)
    assert sum(fragment.num_steps for fragment in fragments) == collector.num_steps == 51
    assert sorted(fragment["rewards"].shape[0] for fragment in fragments if fragment.shard == 0) == [1, 4, 4, 4, 4]


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("episodes", [1, 3, 11])
def test_number_of_episodes_is_exact_and_even(toys: Any, shards: int, episodes: int) -> None:
    collector = collect(toys.walks(3), toys.odd, num_episodes=episodes, num_shards=shards, fragment_length=4, seed=0)
    fragments = list(collector)
    each = np.zeros(3, int)
    for fragment in fragments:
        np.add.at(each, np.array(fragment.indices)[fragment["episode_ends"][:, 1]], 1)
    assert each.tolist() == [episodes // 3 + (i < episodes % 3) for i in range(3)]
    assert sum(fragment["episode_lengths"].sum() for fragment in fragments) == sum(
        fragment["mask"].sum() for fragment in fragments
    )
    assert collector.num_episodes == episodes


def test_environment_with_enough_episodes_is_not_stepped(toys: Any) -> None:
    (fragment,) = collect(toys.walks(3), toys.Always(1), num_episodes=3, seed=0)
    for env in range(3):
        steps = int(fragment["mask"][:, env].sum())
        assert fragment["mask"][:steps, env].all()
        assert fragment["rewards"][:, env].sum() == steps


def test_trajectories_do_not_depend_on_the_shards(toys: Any) -> None:
    def joined(shards: int) -> Any:
        fragments = list(collect(toys.walks(4), toys.odd, num_steps=40, num_shards=shards, seed=9))
        return np.concatenate([fragment["observations"] for fragment in fragments], axis=1)

    assert (joined(1) == joined(4)).all()
    assert (joined(1) == joined(2)).all()


def test_shards_alternate(toys: Any) -> None:
    fragments = collect(toys.walks(3), toys.odd, num_steps=18, num_shards=3, fragment_length=2, seed=0)
    assert [(fragment.shard, fragment.number) for fragment in fragments] == [(s, k) for k in range(3) for s in range(3)]


def test_returned_seed_reproduces_the_run(toys: Any) -> None:
    first = collect(toys.walks(2), "random", num_steps=20)
    found = list(first)
    assert toys.same(found, list(collect(toys.walks(2), "random", num_steps=20, seed=first.seed)))
    assert not toys.same(found, list(collect(toys.walks(2), "random", num_steps=20, seed=first.seed + 1)))


def test_random_actions_differ_between_shards(toys: Any) -> None:
    one, other = collect(toys.walks(2), "random", num_steps=60, num_shards=2, seed=1)
    assert not (one["actions"] == other["actions"]).all()


def actions(fragments: Any, count: int) -> list[int]:
    return [int(next(fragments)["actions"][0, 0]) for _ in range(count)]


def test_update_applies_to_later_fragments(toys: Any) -> None:
    with collect(toys.walks(2), toys.Always(0), num_shards=2, fragment_length=2, seed=1) as fragments:
        assert actions(fragments, 2) == [0, 0]  # the next fragments have already started
        assert fragments.update(toys.Always(1)) == 1
        assert actions(fragments, 2) == [0, 0]
        assert actions(fragments, 2) == [1, 1]
        assert (fragments.num_dropped, fragments.policy_version) == (0, 1)


def test_zero_staleness_collects_nothing_ahead(toys: Any) -> None:
    with collect(toys.walks(2), toys.Always(0), num_shards=2, fragment_length=2, seed=1, max_staleness=0) as fragments:
        for version in range(4):
            found = [next(fragments) for _ in range(2)]
            assert [item.policy_version for item in found] == [version] * 2
            assert all((item["actions"] == version).all() for item in found)
            fragments.update(toys.Always(version + 1))
        assert fragments.num_dropped == 0


@pytest.mark.parametrize("staleness", [0, 1, 2, None])
def test_staleness_is_bounded_and_counts_are_exact(toys: Any, staleness: int | None) -> None:
    """Update the policy so often that some fragments are dropped."""
    fragments = collect(
        toys.walks(3), toys.Always(0), num_shards=3, num_steps=90, fragment_length=2, seed=1, max_staleness=staleness
    )
    steps, ages = 0, []
    for fragment in fragments:
        ages.append(fragments.policy_version - fragment.policy_version)
        assert (fragment["actions"] == fragment.policy_version).all()
        steps += fragment.num_steps
        fragments.update(toys.Always(fragments.policy_version + 1))
    assert steps == 90
    assert max(ages) == (6 if staleness is None else staleness)  # six fragments start before the first update
    assert bool(fragments.num_dropped) == (staleness is not None)


def test_policy_is_copied_at_the_update(toys: Any) -> None:
    policy = toys.Always(0)
    with collect(toys.walks(1), policy, fragment_length=2, seed=1, max_staleness=0) as fragments:
        policy.action = 7
        assert actions(fragments, 1) == [0]
        fragments.update(policy)
        policy.action = 8
        assert actions(fragments, 1) == [7]


def test_number_of_fragments_ahead_is_limited(toys: Any) -> None:
    begun: list[int] = []

    class Engine:
        remote = False

        def __init__(self, recipes: Any, **_: Any) -> None:
            from gymkernel_tool_rollout.collecting.engines.sync_engine import SyncEngine

            self._inner = SyncEngine(recipes)

        def submit(self, shard: int, ticket: Any) -> None:
            begun.append(shard)
            self._inner.submit(shard, ticket)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    with collect(
        toys.walks(4), toys.odd, num_shards=4, fragment_length=2, seed=1, max_waiting=2, engine=Engine
    ) as fragments:
        assert next(fragments).shard == 0
        assert begun == [0, 1, 2]  # two fragments at first, and a third when the first was returned
        assert [next(fragments).shard for _ in range(4)] == [1, 2, 3, 0]


def test_policy_factory_gets_environments_and_seed(toys: Any) -> None:
    class Counting:
        def start(self, envs: Any, seed: int) -> None:
            self.number = envs.num_envs

        def __call__(self, observations: Any) -> Any:
            return np.full(len(observations), self.number)

    one, other = collect(toys.walks(3), Counting(), num_steps=6, num_shards=2, seed=1)
    assert (int(one["actions"][0, 0]), int(other["actions"][0, 0])) == (1, 2)


def test_copied_fragment_is_independent(toys: Any) -> None:
    (fragment,) = collect(toys.walks(1), toys.odd, num_steps=4, seed=1)
    copy = fragment.copy()
    assert toys.same(copy, fragment)
    copy["observations"][...] = 0
    assert fragment["observations"].any()


def test_fragments_are_stable_while_memory_is_reused(toys: Any) -> None:
    arguments: dict[str, Any] = {"num_steps": 60, "fragment_length": 3, "seed": 1, "num_shards": 1}
    kept = list(collect(toys.walks(1), toys.odd, **arguments))
    copies = [fragment.copy() for fragment in collect(toys.walks(1), toys.odd, **arguments)]
    assert len(kept) == 20
    assert toys.same(kept, copies)
    with collect(toys.walks(1), toys.odd, fragment_length=3, seed=1, num_shards=1) as fragments:
        addresses = {next(fragments)["rewards"].ctypes.data for _ in range(10)}
    assert len(addresses) == 1


@pytest.mark.parametrize("much", [{"num_steps": 63}, {"num_episodes": 8}, {"num_episodes": 7, "num_shards": 2}])
def test_direct_writing_equals_copying(toys: Any, much: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check this even for fragments in which episodes end early, and for memory that is reused with another layout."""
    arguments: dict[str, Any] = {"fragment_length": 4, "seed": 3, **much}

    def found() -> list[Any]:
        return [fragment.copy() for fragment in collect(toys.walks(3), toys.odd, **arguments)]

    assert shard.DIRECT_BYTES > 3 * 3 * 8
    copied = found()
    monkeypatch.setattr(shard, "DIRECT_BYTES", 0)
    assert toys.same(found(), copied)


def test_fragments_are_writable(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "DIRECT_BYTES", 0)
    arguments: dict[str, Any] = {"num_steps": 36, "fragment_length": 3, "seed": 1}
    kept = [fragment.copy() for fragment in collect(toys.walks(2), toys.odd, **arguments)]
    for fragment, known in zip(collect(toys.walks(2), toys.odd, **arguments), kept, strict=True):
        assert toys.same(fragment, known)
        for name in ("observations", "last_observations", "rewards"):
            fragment[name][...] = -1


def test_closed_collector_raises(toys: Any) -> None:
    with collect(toys.walks(1), toys.odd, seed=1) as fragments:
        next(fragments)
    with pytest.raises(ClosedEnvironmentError, match="call collect"):
        next(fragments)
    with pytest.raises(ClosedEnvironmentError, match="call collect"):
        fragments.update(toys.odd)
    done = collect(toys.walks(1), toys.odd, num_steps=1, seed=1)
    assert len(list(done)) == 1
    assert list(done) == []


def test_environments_are_closed(toys: Any) -> None:
    closed = []

    class Closing(toys.Walk):  # type: ignore[misc]
        def close(self) -> None:
            closed.append(self.number)

    list(collect([lambda: Closing(4), lambda: Closing(5)], toys.odd, num_steps=2, seed=1))
    assert closed == [4, 5]


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"num_steps": 5}, ValueError, "multiple of the number of environments, 2, for example 4, 6, got 5"),
        ({"num_steps": 4, "num_episodes": 4}, TypeError, "got both"),
        ({"num_episodes": 0}, ValueError, "num_episodes to be at least 1"),
        ({"num_steps": 2.0}, TypeError, "num_steps to be an integer, got 2.0"),
        ({"num_shards": 3}, ValueError, "at most one shard for each of the 2 environments"),
        ({"num_envs": 3}, ValueError, "num_envs to be the number of functions, 2, got 3"),
        ({"fragment_length": 0}, ValueError, "fragment_length"),
        ({"engine": "threads"}, ValueError, "sync, async, ray, got 'threads'"),
        ({"order": "random"}, ValueError, "one of round_robin, ready, got 'random'"),
        ({"on_error": "ignore"}, ValueError, "raise, restart, restart_lost, got 'ignore'"),
        ({"max_staleness": -1}, ValueError, "max_staleness"),
        ({"timeout": 0}, ValueError, "seconds above 0"),
        ({"color": 3}, TypeError, "The engine 'sync' has no option color"),
        ({"policy": 3}, TypeError, "Expected the policy to be 'random', or a function that takes a batch"),
        ({"env": "CartPole-v1"}, TypeError, "Expected num_envs"),
        ({"env": 3}, TypeError, "Expected an id, a spec, or functions"),
        ({"env": []}, TypeError, "Expected a list of functions"),
    ],
)
def test_invalid_arguments_are_rejected(toys: Any, arguments: Any, error: Any, message: str) -> None:
    given = {"env": toys.walks(2), "policy": toys.odd, **arguments}
    with pytest.raises(error, match=message):
        collect(given.pop("env"), given.pop("policy"), **given)


@pytest.mark.parametrize(
    "policy, message",
    [
        (lambda seen: np.zeros(3, np.int64), r"of shape \(2,\) and dtype int64, got shape \(3,\)"),
        (lambda seen: np.zeros(2), "dtype float64"),
        (lambda seen: (np.zeros(2, np.int64), {"value": 3.0}), r"extras\['value'\] of the policy to be an array"),
        (lambda seen: (np.zeros(2, np.int64), {"value": np.array([{}, {}])}), "dtype object"),
    ],
)
def test_invalid_policy_results_are_rejected(toys: Any, policy: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        next(collect(toys.walks(2), policy, seed=1))


def failing(env: Any) -> None:
    if env.number == 2 and env.steps == 1:
        raise LookupError("lost")


def test_environment_exception_has_type_and_index(toys: Any) -> None:
    collector = collect(toys.walks(4, failing), toys.odd, num_shards=2, seed=1)
    with pytest.raises(LookupError, match="lost") as caught:
        list(collector)
    note = "It comes from environment 2, number 0 of shard 1 (environments 2 to 3)."
    assert note in caught.value.__notes__
    with pytest.raises(ClosedEnvironmentError):
        next(collector)


def test_policy_exception_has_type_and_shard(toys: Any) -> None:
    def policy(observations: Any) -> Any:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost") as caught:
        next(collect(toys.walks(4), policy, num_shards=2, seed=1))
    assert "It comes from the policy (version 0), in shard 0 (environments 0 to 1)." in caught.value.__notes__


def leaving(env: Any) -> None:
    if env.number == 2 and env.steps == 1:
        sys.exit(3)


def leave(*_: Any) -> Any:
    sys.exit("enough")


class Leaver:
    """A policy that calls `sys.exit` before its first action."""

    start = leave

    def __call__(self, observations: Any) -> Any:
        return np.zeros(len(observations), np.int64)


def test_sys_exit_in_an_environment_raises_and_names_it(toys: Any) -> None:
    with pytest.raises(
        Error, match=r"^sys.exit\(3\) was called in leaving \(.*test_fragments.py, line \d+\)"
    ) as caught:
        list(collect(toys.walks(4, leaving), toys.odd, num_shards=2, seed=1))
    assert "It comes from environment 2, number 0 of shard 1 (environments 2 to 3)." in caught.value.__notes__
    assert isinstance(caught.value.__cause__, SystemExit)
    with pytest.raises(Error, match=r"^sys.exit\('enough'\) was called in leave \("):
        collect([*toys.walks(1), leave], toys.odd, seed=1)


@pytest.mark.parametrize("policy", [leave, Leaver()], ids=["called", "started"])
def test_sys_exit_in_a_policy_raises_and_names_it(toys: Any, policy: Any) -> None:
    text = r"^sys.exit\('enough'\) was called by the policy in leave \(.*test_fragments.py, line \d+\), but sys.exit"
    with pytest.raises(Error, match=text) as caught:
        list(collect(toys.walks(4), policy, num_shards=2, seed=1))
    who = "the policy (version 0), in " if policy is leave else ""
    assert f"It comes from {who}shard 0 (environments 0 to 1)." in caught.value.__notes__


def test_sys_exit_in_close_names_the_environment(toys: Any) -> None:
    closed = []

    class Stubborn(toys.Walk):  # type: ignore[misc]
        close = leave

    class Other(toys.Walk):  # type: ignore[misc]
        def close(self) -> None:
            closed.append(self)

    collector = collect([Stubborn, Other], toys.odd, num_steps=4, num_shards=2, seed=1)
    with pytest.raises(Error, match=r"^sys.exit\('enough'\) was called in leave \("):
        list(collector)
    assert len(closed) == 1


def test_sys_exit_is_restarted_like_an_exception(toys: Any) -> None:
    troubles = [3]

    def once(env: Any) -> None:
        if env.number == 1 and troubles:
            sys.exit(troubles.pop())

    collector = collect(toys.walks(2, once), toys.odd, num_steps=40, seed=1, on_error="restart")
    assert sum(fragment.num_steps for fragment in collector) == 40
    assert collector.num_restarts == 1


def test_failing_environment_creation_is_reported(toys: Any) -> None:
    def make() -> Any:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost") as caught:
        collect([*toys.walks(1), make], toys.odd, seed=1)
    assert "It comes from the function that makes environment 1." in caught.value.__notes__


def test_failed_shard_is_restarted_with_exact_counts(toys: Any) -> None:
    troubles = [3]

    def trouble(env: Any) -> None:
        if env.number == 2 and env.steps == 1 and troubles[0]:
            troubles[0] -= 1
            raise LookupError("lost")

    collector = collect(
        toys.walks(4, trouble), toys.odd, num_shards=2, num_steps=80, fragment_length=5, seed=1, on_error="restart"
    )
    fragments = list(collector)
    assert collector.num_restarts == 3
    assert [(fragment.shard, fragment.number) for fragment in fragments] == [(s, k) for k in range(4) for s in range(2)]
    untroubled = list(collect(toys.walks(4), toys.odd, num_shards=2, num_steps=80, fragment_length=5, seed=1))
    assert toys.same(fragments[::2], untroubled[::2])
    assert not toys.same(fragments[1], untroubled[1])  # the episodes differ because the seeds differ


def test_exceptions_are_raised_if_only_lost_processes_restart(toys: Any) -> None:
    collector = collect(toys.walks(4, failing), toys.odd, num_shards=2, seed=1, on_error="restart_lost")
    with pytest.raises(LookupError, match="lost"):
        list(collector)
    assert collector.num_restarts == 0


def test_number_of_shard_restarts_is_limited(toys: Any) -> None:
    collector = collect(toys.walks(4, failing), toys.odd, num_shards=2, seed=1, on_error="restart", max_restarts=2)
    with pytest.raises(LookupError, match="lost") as caught:
        list(collector)
    assert "The shard was restarted 2 times, which is the limit (max_restarts)." in caught.value.__notes__
    assert collector.num_restarts == 2
