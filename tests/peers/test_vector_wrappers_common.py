"""Tests that vector wrappers for actions, rewards and episodes agree with Gymnasium's, except for fixed defects."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, Recipe, same
from tests.peers.test_vector import MODES, environment

import gymkernel

N = 3
WIDE = Recipe("Box", (np.array([-2.0, 0.0]), np.array([2.0, 8.0])), {"dtype": np.float64})
DISCRETE = Recipe("Discrete", (5,))
CASES: list[tuple[str, dict[str, Any], Recipe]] = [
    ("ClipAction", {}, WIDE),
    ("RescaleAction", {"min_action": -3.0, "max_action": 7.0}, WIDE),
    ("TransformAction", {"func": lambda actions: 4 - actions}, DISCRETE),
    ("ClipReward", {"min_reward": -0.5, "max_reward": 0.25}, DISCRETE),
    ("TransformReward", {"func": lambda rewards: 3 * rewards}, DISCRETE),
    ("NormalizeReward", {}, DISCRETE),
    ("NormalizeReward", {"gamma": 0.5, "epsilon": 0.1}, DISCRETE),
    ("RecordEpisodeStatistics", {}, DISCRETE),
    ("RecordEpisodeStatistics", {"stats_key": "seen", "buffer_length": 4}, DISCRETE),
    ("DictInfoToList", {}, DISCRETE),
]
each = pytest.mark.parametrize(
    "name, kwargs, acted", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)
modes = pytest.mark.parametrize("mode", MODES)


def vector(library: Any, mode: str, acted: Recipe, inside: Any = None) -> Any:
    functions = [partial(environment, inside or library, i, acted=acted) for i in range(N)]
    return library.vector.SyncVectorEnv(functions, autoreset_mode=library.vector.AutoresetMode(mode))


def play(envs: Any, mode: str, steps: int = 50) -> list[Any]:
    played = [envs.reset(seed=5)]
    envs.action_space.seed(9)
    for _ in range(steps):
        played.append(envs.step(envs.action_space.sample()))
        if mode == "Disabled" and (played[-1][2] | played[-1][3]).any():
            played.append(envs.reset(options={"reset_mask": np.ones(N, np.bool_)}))
    return played


def agree(ours: Any, theirs: Any) -> bool:
    """Return whether results are equal, apart from times and from infos that only gymkernel has."""
    pairs = list(zip(ours, theirs, strict=True))
    return all(same(pair[:-1], other[:-1]) and _infos_agree(pair[-1], other[-1]) for pair, other in pairs)


def _infos_agree(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, list):
        return all(_infos_agree(item, other) for item, other in zip(ours, theirs, strict=True))
    return all(
        _infos_agree(ours[key], value) if isinstance(value, dict) else key == "t" or same(ours[key], value)
        for key, value in theirs.items()
    )


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@modes
@each
def test_trajectories_are_the_same(name: str, kwargs: dict[str, Any], acted: Recipe, mode: str) -> None:
    ours, theirs = (
        play(getattr(library.wrappers.vector, name)(vector(library, mode, acted), **kwargs), mode)
        for library in LIBRARIES
    )

    assert agree(ours, theirs)


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@modes
@each
def test_trajectories_around_gymnasiums_environment_are_the_same(
    name: str, kwargs: dict[str, Any], acted: Recipe, mode: str
) -> None:
    ours, theirs = (
        play(getattr(library.wrappers.vector, name)(vector(gymnasium, mode, acted), **kwargs), mode)
        for library in LIBRARIES
    )

    assert agree(ours, theirs)


@pytest.mark.parametrize("kind", ["Action", "Reward"])
def test_single_wrapper_behaves_the_same_in_vector_form(kind: str) -> None:
    played = []
    for library in LIBRARIES:
        vectorize = getattr(library.wrappers.vector, f"VectorizeTransform{kind}")
        kwargs = {"min_action": -1.0, "max_action": 1.0} if kind == "Action" else {"min_reward": -0.1}
        wrapper = library.wrappers.RescaleAction if kind == "Action" else library.wrappers.ClipReward
        played.append(play(vectorize(vector(library, "NextStep", WIDE), wrapper, **kwargs), "NextStep"))

    assert agree(*played)


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@pytest.mark.parametrize("shape", [(1,), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize(
    "name, kwargs",
    [("ClipAction", {}), ("RescaleAction", {"min_action": -1.0, "max_action": 2.0}), ("VectorizeTransformAction", {})],
    ids=str,
)
def test_one_number_per_environment_is_enough(name: str, kwargs: dict[str, Any], shape: tuple[int, ...]) -> None:
    seen = []
    for library in LIBRARIES:
        if name == "VectorizeTransformAction":
            kwargs = {"wrapper": library.wrappers.ClipAction}
        inside = vector(library, "NextStep", Recipe("Box", (-1, 1), {"shape": shape}))
        envs = getattr(library.wrappers.vector, name)(inside, **kwargs)
        envs.reset(seed=1)
        envs.step(np.linspace(-2, 2, N, dtype=np.float32))
        seen.append([env.unwrapped.seen for env in inside.envs])

    assert same(*seen)


def test_queues_and_counts_are_the_same() -> None:
    found = []
    for library in LIBRARIES:
        envs = library.wrappers.vector.RecordEpisodeStatistics(vector(library, "NextStep", DISCRETE), buffer_length=5)
        play(envs, "NextStep")
        found.append((list(envs.return_queue), list(envs.length_queue), len(envs.time_queue), envs.episode_count))

    assert found[0] == found[1]


@modes
@pytest.mark.parametrize("backend", ["SyncVectorEnv", "AsyncVectorEnv"])
def test_statistics_of_single_environments_have_the_same_keys_and_masks(backend: str, mode: str) -> None:
    results = []
    for library in LIBRARIES:
        envs = getattr(library.vector, backend)(
            [partial(counted, library)] * N, autoreset_mode=library.vector.AutoresetMode(mode)
        )
        results.append([without_times(infos) for *_, infos in play(envs, mode, 12)])
        envs.close()

    assert same(*results)
    assert any("_r" in result.get("final_info", result).get("episode", {}) for result in results[0])


def counted(library: Any) -> Any:
    return library.wrappers.RecordEpisodeStatistics(library.make("CartPole-v1", max_episode_steps=5))


@modes
def test_statistics_of_several_environments_have_the_same_keys(mode: str) -> None:
    results = []
    for library in LIBRARIES:
        envs = library.wrappers.vector.RecordEpisodeStatistics(vector(library, mode, DISCRETE))
        results.append([list(infos["episode"]) for *_, infos in play(envs, mode) if "episode" in infos])

    assert results[0] == results[1]


def without_times(infos: Any) -> Any:
    """Set times to 0 and sort keys, because backends collect the keys of resets in another order."""
    if not isinstance(infos, dict):
        return infos
    return {key: infos[key] * 0 if key == "t" else without_times(infos[key]) for key in sorted(infos)}


def test_infos_are_listed_if_num_envs_is_set_later() -> None:
    infos = {"k": np.array([0.0, 0.5]), "_k": np.array([False, True]), "other": {"x": np.array([1, 2])}}
    results = []
    for library in LIBRARIES:
        envs = library.vector.VectorEnv()
        listed = library.wrappers.vector.DictInfoToList(envs)
        envs.num_envs = 2
        results.append(listed._convert_info_to_list(infos))

    assert same(*results)


class TestMended:
    """Tests of differences that have been reported to Gymnasium as defects."""

    def after_a_partial_reset(self, library: Any) -> Any:
        envs = library.wrappers.vector.NormalizeReward(vector(library, "NextStep", DISCRETE))
        envs.reset(seed=5)
        envs.step(np.ones(N, np.int64))
        envs.reset(options={"reset_mask": np.array([True, False, False])})
        return envs.accumulated_reward

    def test_partial_reset_keeps_the_other_returns(self) -> None:
        assert (self.after_a_partial_reset(gymkernel)[1:] != 0).all()
        assert (self.after_a_partial_reset(gymnasium) == 0).all()

    def after_nested_partial_resets(self, library: Any) -> Any:
        wrapper = library.wrappers.vector.RecordEpisodeStatistics
        envs = wrapper(wrapper(vector(library, "NextStep", DISCRETE)), stats_key="outer")
        envs.reset(seed=1)
        envs.step(np.ones(N, np.int64))
        envs.reset(options={"reset_mask": np.array([True, False, False])})
        return envs.episode_lengths.tolist()

    def test_outer_wrappers_get_the_mask(self) -> None:  # defect D10 in Gymnasium
        assert self.after_nested_partial_resets(gymkernel) == [0, 1, 1]
        assert self.after_nested_partial_resets(gymnasium) == [0, 0, 0]

    def the_reward_of_a_reset(self, library: Any) -> Any:
        envs = library.wrappers.vector.TransformReward(vector(library, "NextStep", DISCRETE), lambda r: r + 1)
        played = play(envs, "NextStep")
        return {
            float(after[1][i]) for before, after in pairwise(played[1:]) for i in np.flatnonzero(before[2] | before[3])
        }

    def test_resetting_step_has_no_reward_to_transform(self) -> None:
        assert self.the_reward_of_a_reset(gymkernel) == {0.0}
        assert self.the_reward_of_a_reset(gymnasium) == {1.0}


@pytest.mark.parametrize(
    "name, kwargs", [("RepeatAction", {"num_repeats": 2}), ("TimeLimit", {"max_episode_steps": 2})], ids=str
)
def test_unsupported_operations_of_gymnasiums_environments_raise(name: str, kwargs: dict[str, Any]) -> None:
    envs = getattr(gymkernel.wrappers.vector, name)(vector(gymnasium, "NextStep", DISCRETE), **kwargs)

    with pytest.raises(
        gymkernel.error.UnsupportedMode, match="has no method step_masked; create the environments with"
    ):
        play(envs, "NextStep")
