"""Test `SyncVectorEnv` by comparing it with a model. The test defines its own spaces, so it needs no plugin."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env, Wrapper, ops
from gymkernel.error import ClosedEnvironmentError, Error, ResetNeeded
from gymkernel.spaces import Field, Space
from gymkernel.vector import AutoresetMode, SyncVectorEnv
from gymkernel.vector.utils.arguments import OnePerProcessError

if TYPE_CHECKING:
    from gymkernel.spaces import Layout


class Numbers(Space[Any]):
    """A space of integer arrays up to a limit, written as a third party would write it."""

    def __init__(self, shape: tuple[int, ...] = (), dtype: Any = np.int64, limit: float = 99) -> None:
        super().__init__(shape, dtype)
        self.limit = limit

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.integers(9, size=self.shape).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        return np.shape(x) == self.shape and bool((np.asarray(x) < self.limit).all())

    def layout(self) -> Layout:
        return (Field.of(self.dtype, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        mine, theirs = ((s.shape, s.dtype, getattr(s, "limit", None)) for s in (self, other) if isinstance(s, Space))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Numbers({self.shape}, {self.dtype}, {self.limit})"


@ops.batch_space.register(Numbers)
def _batch(space: Numbers, n: int = 1) -> Numbers:
    return Numbers((n, *(space.shape or ())), space.dtype, space.limit)


@ops.batch_differing_spaces.register(Numbers)
def _batch_differing(space: Numbers, spaces: list[Numbers]) -> Numbers:
    return Numbers((len(spaces), *(space.shape or ())), space.dtype, max(s.limit for s in spaces))


@ops.iterate.register(Numbers)
def _iterate(space: Numbers, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Numbers)
def _concatenate(space: Numbers, items: Any, out: Any) -> Any:
    return np.stack(list(items), out=out)


@ops.create_empty_array.register(Numbers)
def _create_empty_array(space: Numbers, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


class Words(Space[Any]):
    """A space of strings, whose batches are tuples."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words)

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Words)
def _batch_words(space: Words, n: int = 1) -> Words:
    return Words()


@ops.batch_differing_spaces.register(Words)
def _batch_differing_words(space: Words, spaces: list[Words]) -> Words:
    return Words()


class Scripted(Env[Any, Any]):
    """An environment that records the arguments of every call.

    The observation is [episode, time], the reward is the action, and an episode ends after `length` steps.
    """

    metadata = {"render_modes": ["rgb_array"], "lives": 9}  # noqa: RUF012 - the API requires a class attribute
    render_mode = "rgb_array"

    def __init__(self, length: int = 3, *, space: Any = None, truncates: bool = False, reuses: bool = False) -> None:
        self.observation_space = Numbers((2,)) if space is None else space
        self.action_space = Numbers()
        self.length, self.truncates, self.reuses = length, truncates, reuses
        self.episode = self.time = self.closed = 0
        self.log: list[Any] = []
        self.place = np.zeros(2, np.int64)

    def observe(self) -> Any:
        self.place[:] = self.episode, self.time
        return self.place if self.reuses else self.place.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.log.append((seed, options))
        self.episode, self.time = self.episode + 1, 0
        return self.observe(), {"episode": self.episode}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.log.append(action)
        self.time += 1
        done = self.time == self.length
        return self.observe(), float(action), done and not self.truncates, done and self.truncates, {"time": self.time}

    def render(self) -> Any:
        return f"{self.episode}.{self.time}"

    def close(self) -> None:
        self.closed += 1

    def add(self, a: int, b: int = 0) -> int:
        return self.episode + a + b


def make(*lengths: int, **arguments: Any) -> SyncVectorEnv[Any, Any, Any]:
    options = {key: arguments.pop(key) for key in ("truncates", "reuses", "space") if key in arguments}
    return SyncVectorEnv([lambda n=n: Scripted(n, **options) for n in lengths], **arguments)  # type: ignore[misc]


def zeros(envs: SyncVectorEnv[Any, Any, Any]) -> Any:
    return np.zeros(envs.num_envs, np.int64)


MODES = st.sampled_from((AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP))
LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def model(length: int, mode: AutoresetMode, steps: int) -> list[tuple[list[int], float, bool, Any]]:
    """Return (observation, reward, done, final observation) for each step after a reset if every action is 1."""
    episode, time, done, result = 1, 0, False, []
    for _ in range(steps):
        final = None
        if done:
            episode, time, done, reward = episode + 1, 0, False, 0.0
        else:
            time, reward = time + 1, 1.0
            done = time == length
        over = done
        if done and mode is AutoresetMode.SAME_STEP:
            final, episode, time, done = [episode, time], episode + 1, 0, False
        result.append(([episode, time], reward, over, final))
    return result


class TestAutoreset:
    @given(LENGTHS, MODES, st.booleans(), st.booleans(), st.booleans())
    def test_environments_behave_like_the_model(
        self, lengths: list[int], mode: AutoresetMode, truncates: bool, reuses: bool, copy: bool
    ) -> None:
        envs = make(*lengths, autoreset_mode=mode, truncates=truncates, reuses=reuses, copy=copy)
        expected = [model(length, mode, 10) for length in lengths]
        envs.reset()
        for t in range(10):
            observations, rewards, terminations, truncations, infos = envs.step(np.ones(len(lengths), np.int64))
            rows = [item[t] for item in expected]
            assert observations.tolist() == [row[0] for row in rows]
            assert rewards.tolist() == [row[1] for row in rows]
            assert (truncations if truncates else terminations).tolist() == [row[2] for row in rows]
            assert not (terminations if truncates else truncations).any()
            final = [None if item is None else item.tolist() for item in infos.get("final_obs", [None] * len(lengths))]
            assert final == [row[3] for row in rows]

    @given(LENGTHS)
    def test_disabled_mode_leaves_resets_to_the_caller(self, lengths: list[int]) -> None:
        envs = make(*lengths, autoreset_mode=AutoresetMode.DISABLED)
        expected = [model(length, AutoresetMode.SAME_STEP, 10) for length in lengths]
        observations, _ = envs.reset()
        for t in range(10):
            observations, _, terminations, truncations, _ = envs.step(np.ones(len(lengths), np.int64))
            done = terminations | truncations
            assert done.tolist() == [item[t][2] for item in expected]
            if done.any():
                observations, _ = envs.reset(options={"reset_mask": done})
            assert observations.tolist() == [item[t][0] for item in expected]

    def test_disabled_mode_with_done_environment_steps_nothing(self) -> None:
        envs = make(1, 5, autoreset_mode=AutoresetMode.DISABLED)
        envs.reset()
        envs.step(zeros(envs))

        with pytest.raises(
            ResetNeeded, match=r"Environments \[0\] are done, and autoreset_mode is DISABLED: call reset"
        ):
            envs.step(zeros(envs))

        assert envs.get_attr("time") == (1, 1)

    @pytest.mark.parametrize("mode", AutoresetMode)
    def test_metadata_contains_the_autoreset_mode(self, mode: AutoresetMode) -> None:
        assert make(1, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode

    def test_metadata_of_the_environments_is_copied(self) -> None:
        assert make(1).metadata["lives"] == 9
        assert "autoreset_mode" not in Scripted.metadata

    def test_action_of_a_resetting_step_is_ignored(self) -> None:
        envs = make(1)
        envs.reset()
        envs.step(np.array([5]))

        envs.step(np.array([6]))

        assert envs.envs[0].log[1:] == [5, (None, None)]

    def test_explicit_reset_after_an_episode_is_not_repeated(self) -> None:  # D2
        envs = make(1)
        envs.reset()
        envs.step(zeros(envs))
        envs.reset()

        observations, *_ = envs.step(zeros(envs))

        assert observations.tolist() == [[2, 1]]

    def test_infos_of_last_step_and_reset_are_separate(self) -> None:
        envs = make(1, 2, autoreset_mode="SameStep")
        envs.reset()

        *_, infos = envs.step(zeros(envs))

        assert infos["final_info"]["time"].tolist() == [1, 0]
        assert infos["_final_info"].tolist() == [True, False]
        assert infos["episode"].tolist() == [2, 0]
        assert infos["time"].tolist() == [0, 1]


class TestReset:
    def test_reset_batches_observations_and_infos(self) -> None:
        envs = make(3, 3)

        observations, infos = envs.reset()

        assert observations.tolist() == [[1, 0], [1, 0]]
        assert observations.dtype == np.int64
        assert infos["episode"].tolist() == [1, 1]
        assert infos["_episode"].tolist() == [True, True]

    @pytest.mark.parametrize(
        "seed, expected",
        [
            (7, [7, 8, 9]),
            (np.int64(7), [7, 8, 9]),  # D12
            ([5, None, 3], [5, None, 3]),
            ((5, 6, 7), [5, 6, 7]),
            (np.array([5, 6, 7]), [5, 6, 7]),
            (None, [None] * 3),
        ],
        ids=repr,
    )
    def test_each_environment_gets_its_seed(self, seed: Any, expected: list[int | None]) -> None:
        envs = make(3, 3, 3)

        envs.reset(seed=seed)

        assert [env.log[0][0] for env in envs.envs] == expected

    def test_generators_and_seeds_are_those_of_the_environments(self) -> None:
        envs = make(3, 3)
        envs.reset(seed=7)

        assert envs.np_random_seed == (7, 8)
        assert envs.np_random[1] is envs.envs[1].np_random

    @pytest.mark.parametrize(
        "seed, message",
        [([1], "one seed for each of the 2 environments, got 1"), (-1, "integer >= 0, got -1"), ([1, 0.5], "got 0.5")],
    )
    def test_invalid_seeds_are_rejected_before_any_reset(self, seed: Any, message: str) -> None:
        envs = make(3, 3)

        with pytest.raises((ValueError, Error), match=message):
            envs.reset(seed=seed)

        assert envs.get_attr("episode") == (0, 0)

    def test_options_reach_every_environment_unchanged(self) -> None:
        envs, options = make(3, 3), {"level": 2}

        envs.reset(options=options)

        assert [env.log for env in envs.envs] == [[(None, {"level": 2})]] * 2
        assert options == {"level": 2}


class TestPartialReset:
    def mask(self, *bits: int) -> Any:
        return {"reset_mask": np.array(bits, bool)}

    def test_partial_reset_resets_only_the_masked_environments(self) -> None:
        envs = make(5, 5)
        envs.reset()
        envs.step(zeros(envs))

        observations, infos = envs.reset(options=self.mask(0, 1))

        assert observations.tolist() == [[1, 1], [2, 0]]
        assert infos["_episode"].tolist() == [False, True]

    def test_mask_stays_in_the_callers_options_only(self) -> None:  # D10
        envs, options = make(5), {**self.mask(1), "level": 2}

        envs.reset(options=options)

        assert set(options) == {"reset_mask", "level"}
        assert envs.envs[0].log == [(None, {"level": 2})]

    def test_seeds_are_counted_over_all_environments(self) -> None:
        envs = make(5, 5)
        envs.reset()

        envs.reset(seed=7, options=self.mask(0, 1))

        assert [len(env.log) for env in envs.envs] == [1, 2]
        assert envs.envs[1].log[1][0] == 8

    def test_never_reset_environments_observe_zeros_and_cannot_step(self) -> None:
        envs = make(5, 5)

        observations, _ = envs.reset(options=self.mask(0, 1))

        assert observations.tolist() == [[0, 0], [1, 0]]
        with pytest.raises(ResetNeeded, match=r"Expected reset before step; environments \[0\] were never reset"):
            envs.step(zeros(envs))

    def test_remaining_environments_can_be_reset_later(self) -> None:
        envs = make(5, 5)
        envs.reset(options=self.mask(0, 1))
        envs.reset(options=self.mask(1, 0))

        observations, *_ = envs.step(zeros(envs))

        assert observations.tolist() == [[1, 1], [1, 1]]

    def test_placeholder_without_zeros_is_another_observation(self) -> None:
        envs = SyncVectorEnv([Speaking] * 2)

        observations, _ = envs.reset(options=self.mask(0, 1))

        assert observations == ("one", "one")

    @pytest.mark.parametrize(
        "mask, exception, message",
        [
            ([True, False], TypeError, r"to be a NumPy array of dtype bool, got \[True, False\]"),
            (np.array([1, 0]), TypeError, r"to be a NumPy array of dtype bool, got array\(\[1, 0\]\)"),
            (np.array([True]), ValueError, r"to have shape \(2,\) and a True value, got array\(\[ True\]\)"),
            (np.array([False, False]), ValueError, "and a True value"),
        ],
    )
    def test_invalid_mask_is_rejected(self, mask: Any, exception: type[Exception], message: str) -> None:
        with pytest.raises(exception, match=message):
            make(3, 3).reset(options={"reset_mask": mask})


class Speaking(Scripted):
    """An environment whose observations are words."""

    def __init__(self, length: int = 3) -> None:
        super().__init__(length, space=Words())

    def observe(self) -> Any:
        return ["one", "two", "three", "four"][self.time]


class TestObservations:
    def test_copies_belong_to_the_caller(self) -> None:
        envs = make(5, 5)
        first, _ = envs.reset()

        second, *_ = envs.step(zeros(envs))

        assert first.tolist() == [[1, 0], [1, 0]]
        assert not np.shares_memory(first, second)

    def test_arrays_are_reused_without_copies(self) -> None:
        envs = make(5, 5, copy=False)
        first, _ = envs.reset()

        second, *_ = envs.step(zeros(envs))

        assert first is second
        assert first.tolist() == [[1, 1], [1, 1]]

    def test_elements_without_arrays_are_batched_as_tuples(self) -> None:
        envs = SyncVectorEnv([Speaking] * 2)

        assert envs.reset()[0] == ("one", "one")
        assert envs.step(np.zeros(2))[0] == ("two", "two")

    def test_final_observations_do_not_share_memory(self) -> None:
        envs = make(1, reuses=True, autoreset_mode="SameStep")
        envs.reset()

        *_, infos = envs.step(zeros(envs))
        envs.step(zeros(envs))

        assert infos["final_obs"][0].tolist() == [1, 1]

    def test_wrong_shape_error_names_the_environment(self) -> None:
        class Short(Scripted):
            def observe(self) -> Any:
                return np.zeros(1, np.int64)

        with pytest.raises(ValueError, match=r"shape \(2,\) .* from environment 1, got shape \(1,\)"):
            SyncVectorEnv([Scripted, Short]).reset()

    def test_number_instead_of_array_error_names_the_environment(self) -> None:
        class Single(Scripted):
            def observe(self) -> Any:
                return 3

        with pytest.raises(ValueError, match=r"shape \(2,\) .* from environment 1, got shape \(\)"):
            SyncVectorEnv([Scripted, Single]).reset()


class TestSpaces:
    def test_spaces_are_batched(self) -> None:
        envs = make(1, 1, 1)

        assert (envs.single_observation_space, envs.observation_space) == (Numbers((2,)), Numbers((3, 2)))
        assert (envs.single_action_space, envs.action_space) == (Numbers(), Numbers((3,)))

    def differing(self, **arguments: Any) -> SyncVectorEnv[Any, Any, Any]:
        limits = (50, 99)
        return SyncVectorEnv(
            [lambda n=n: Scripted(space=Numbers((2,), limit=n)) for n in limits],  # type: ignore[misc]
            **arguments,
        )

    def test_same_mode_rejects_different_spaces_with_a_remedy(self) -> None:
        with pytest.raises(
            RuntimeError, match=r"one observation space, .* from environment 1; .*observation_mode='different'"
        ):
            self.differing()

    def test_different_mode_accepts_different_bounds(self) -> None:
        envs = self.differing(observation_mode="different")

        assert envs.observation_space == Numbers((2, 2), limit=99)
        assert envs.single_observation_space == Numbers((2,), limit=50)
        assert envs.reset()[0].shape == (2, 2)

    @pytest.mark.parametrize("mode", ["different", (Numbers((2, 2)), Numbers((2,)))])
    @pytest.mark.parametrize("space", [Numbers((3,)), Numbers((2,), np.float32)])
    def test_different_shape_or_dtype_is_rejected(self, mode: Any, space: Numbers) -> None:
        with pytest.raises(RuntimeError, match=r"observation spaces of one shape and dtype, .* from environment 1"):
            SyncVectorEnv([Scripted, lambda: Scripted(space=space)], observation_mode=mode)

    def test_pair_of_spaces_is_used_unchanged(self) -> None:
        batched, single = Numbers((2, 2), limit=7), Numbers((2,), limit=7)

        envs = self.differing(observation_mode=(batched, single))

        assert envs.observation_space is batched
        assert envs.single_observation_space is single

    def test_spaces_without_arrays_can_differ(self) -> None:
        envs = SyncVectorEnv([Speaking] * 2, observation_mode="different")

        assert envs.reset()[0] == ("one", "one")

    @pytest.mark.parametrize(
        "mode, exception",
        [
            ("any", ValueError),
            (None, ValueError),
            (["same"], ValueError),
            ((Numbers(),), TypeError),
            ((1, 2), TypeError),
        ],
        ids=repr,
    )
    def test_unknown_observation_mode_is_rejected(self, mode: Any, exception: type[Exception]) -> None:
        with pytest.raises(exception, match=r"Expected observation_mode to be .* got"):
            make(1, observation_mode=mode)

    def test_action_spaces_must_be_equal(self) -> None:
        class Other(Scripted):
            def __init__(self) -> None:
                super().__init__()
                self.action_space = Numbers(limit=3)

        with pytest.raises(
            RuntimeError, match=r"Expected one action space, got .* from environment 0 and .* environment 1"
        ):
            SyncVectorEnv([Scripted, Other])

    def test_unknown_autoreset_mode_is_rejected(self) -> None:
        with pytest.raises(ValueError, match=r"autoreset_mode to be one of 'NextStep', .* got 'Never'"):
            make(1, autoreset_mode="Never")

    def test_empty_env_fns_are_rejected(self) -> None:
        with pytest.raises(ValueError, match="at least one function that creates an environment, got"):
            SyncVectorEnv([])


class Counted(Scripted):
    """An environment that returns pairs of numbers as rewards."""

    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return observation, np.array([reward, -1.0]), *rest


class Pairs(SyncVectorEnv[Any, Any, Any]):
    """A third-party backend that overrides `step` and uses Gymnasium's attribute names."""

    def __init__(self, env_fns: Any) -> None:
        super().__init__(env_fns)
        self._rewards = np.zeros((self.num_envs, 2), np.float32)

    def step(self, actions: Any) -> Any:
        infos: dict[str, Any] = {}
        seen = []
        for i, action in enumerate(ops.iterate(self.action_space, actions)):
            if self._autoreset_envs[i]:
                observation, info = self.envs[i].reset()
                self._rewards[i], self._terminations[i], self._truncations[i] = 0, False, False
            else:
                observation, self._rewards[i], self._terminations[i], self._truncations[i], info = self.envs[i].step(
                    action
                )
            seen.append(observation)
            infos = self._add_info(infos, info, i)
        self._observations = ops.concatenate(self.single_observation_space, seen, self._observations)
        self._autoreset_envs = np.logical_or(self._terminations, self._truncations)
        seen = copy.deepcopy(self._observations)
        return seen, self._rewards.copy(), self._terminations.copy(), self._truncations.copy(), infos


class TestSubclasses:
    """Test subclasses that override `step` and use Gymnasium's attribute names."""

    def test_overridden_step_resets_done_environments(self) -> None:
        envs = Pairs([lambda: Counted(2), lambda: Counted(3)])
        envs.reset()
        steps = [envs.step([1, 1]) for _ in range(8)]

        for i, length in enumerate((2, 3)):
            wanted = [row[:3] for row in model(length, AutoresetMode.NEXT_STEP, 8)]
            assert [(list(step[0][i]), step[1][i, 0], step[2][i] | step[3][i]) for step in steps] == wanted
        assert envs._rewards.shape == (2, 2)

    def test_reset_clears_done_flags(self) -> None:
        envs = Pairs([lambda: Counted(1)] * 2)
        envs.reset()
        envs.step(zeros(envs))
        assert envs._autoreset_envs.all()

        envs.reset(options={"reset_mask": np.array([True, False])})
        assert envs._autoreset_envs.tolist() == (envs._terminations | envs._truncations).tolist() == [False, True]

    def test_private_names_describe_the_last_step(self) -> None:
        envs = SyncVectorEnv([lambda: Scripted(1), lambda: Scripted(5)])
        envs.reset()
        observations, rewards, ended, cut, _ = envs.step(zeros(envs))

        assert np.array_equal(envs._observations, observations)
        assert [item.tolist() for item in (envs._rewards, envs._terminations, envs._truncations)] == [
            item.tolist() for item in (rewards, ended, cut)
        ]
        assert envs._autoreset_envs.tolist() == [True, False]
        assert [np.asarray(item).tolist() for item in envs._env_obs] == observations.tolist()

    def test_returned_batches_are_not_modified(self) -> None:
        envs = SyncVectorEnv([lambda: Scripted(1)] * 2)
        envs.reset()
        observations, _, ended, cut, _ = envs.step(zeros(envs))
        done, seen = (ended | cut).copy(), observations.copy()
        envs._observations[...] = 7
        envs.reset(options={"reset_mask": np.array([True, False])})

        assert np.array_equal(ended | cut, done)
        assert np.array_equal(observations, seen)


class TestActions:
    @pytest.mark.parametrize("actions", [[1], [1, 2, 3], []])
    def test_wrong_number_of_actions_steps_nothing(self, actions: list[int]) -> None:
        envs = make(5, 5)
        envs.reset()

        with pytest.raises(ValueError, match=f"Expected 2 actions, one for each environment, got {len(actions)}"):
            envs.step(actions)

        assert envs.get_attr("time") == (0, 0)

    def test_each_environment_gets_its_action(self) -> None:
        envs = make(5, 5)
        envs.reset()

        assert envs.step([3, 4])[1].tolist() == [3, 4]

    def test_step_before_reset_is_rejected(self) -> None:
        with pytest.raises(ResetNeeded, match=r"environments \[0, 1\] were never reset"):
            make(1, 1).step([0, 0])


class Paid(Scripted):
    def __init__(self, reward: Any) -> None:
        super().__init__()
        self.reward = reward

    def step(self, action: Any) -> Any:
        observation, _, *rest = super().step(action)
        return observation, self.reward, *rest


class TestRewards:
    def reward(self, *rewards: Any) -> Any:
        envs = SyncVectorEnv([lambda r=r: Paid(r) for r in rewards])  # type: ignore[misc]
        envs.reset()
        return envs.step(zeros(envs))[1]

    @pytest.mark.parametrize(
        "reward", [2, 2.0, np.float32(2), np.int8(2), np.array(2), np.array([2.0]), np.array([[2]]), [2]], ids=repr
    )
    def test_scalar_rewards_of_any_type_are_accepted(self, reward: Any) -> None:
        rewards = self.reward(1.5, reward)

        assert rewards.dtype == np.float64
        assert rewards.tolist() == [1.5, 2]

    def test_nan_and_infinity_are_valid_rewards(self) -> None:
        assert np.array_equal(self.reward(np.nan, np.inf), [np.nan, np.inf], equal_nan=True)

    def test_largest_floats_are_valid_rewards(self) -> None:
        most = np.finfo(np.float64).max

        assert self.reward(most, most, -np.inf, np.inf).tolist() == [most, most, -np.inf, np.inf]

    @pytest.mark.parametrize(
        "reward",
        [None, "much", 1j, np.zeros(2), [], (1, 2), object(), 10**400, {}],
        ids=lambda r: type(r).__name__,
    )
    @pytest.mark.parametrize("others", [(), (1.0,)], ids=["alone", "beside"])
    def test_invalid_reward_error_names_the_environment(self, reward: Any, others: Any) -> None:
        with pytest.raises(
            TypeError, match=f"reward of environment {len(others)} to be a number, got .*{type(reward).__name__}"
        ):
            self.reward(*others, reward)


class Informed(Scripted):
    def __init__(self, *infos: dict[str, Any]) -> None:
        super().__init__(9)
        self.infos = [{}, *infos]

    def reset(self, **arguments: Any) -> Any:
        return super().reset(**arguments)[0], {}

    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], self.infos[self.time]


class TestInfos:
    def info(self, *infos: dict[str, Any]) -> dict[str, Any]:
        envs = SyncVectorEnv([lambda i=i: Informed(i) for i in infos])  # type: ignore[misc]
        envs.reset()
        return envs.step(zeros(envs))[4]

    def test_missing_infos_give_an_empty_dictionary(self) -> None:
        assert self.info({}, {}) == {}

    def test_each_key_has_a_mask(self) -> None:
        infos = self.info({"x": 1}, {"y": 2.5})

        assert infos["x"].tolist() == [1, 0]
        assert infos["_x"].tolist() == [True, False]
        assert infos["y"].tolist() == [0, 2.5]

    @pytest.mark.parametrize(
        "a, b, dtype",
        [(1, 1.5, np.float64), (True, 2, np.int64), (1, "a", object), (1, None, object), ([1], [1, 2], object)],
    )
    def test_mixed_types_are_kept_as_objects(self, a: Any, b: Any, dtype: Any) -> None:  # D9
        x = self.info({"x": a}, {"x": b})["x"]

        assert x.dtype == dtype
        assert x.tolist() == [a, b]

    def test_arrays_of_equal_shape_are_stacked(self) -> None:
        assert self.info({"x": np.ones(2)}, {"x": np.zeros(2)})["x"].tolist() == [[1, 1], [0, 0]]

    def test_arrays_of_different_shapes_are_kept_as_objects(self) -> None:
        short, long = np.ones(1), np.zeros(2)

        x = self.info({"x": short}, {"x": long})["x"]
        short[:], long[:] = 5, 5

        assert [item.tolist() for item in x] == [[1], [0, 0]]

    def test_nested_dictionaries_are_batched(self) -> None:
        infos = self.info({"x": {"y": 1}}, {"x": {"y": 2, "z": 3}})

        assert infos["x"]["y"].tolist() == [1, 2]
        assert infos["x"]["_z"].tolist() == [False, True]

    def test_dictionary_beside_a_number_is_an_object(self) -> None:
        assert self.info({"x": {"y": 1}}, {"x": 3})["x"].tolist() == [{"y": 1}, 3]


class TestAttributes:
    def test_call_and_get_attr_reach_every_environment(self) -> None:
        envs = make(1, 2)
        envs.reset()

        assert envs.call("add", 1, b=2) == (4, 4)
        assert envs.call("length") == envs.get_attr("length") == (1, 2)

    def test_attributes_are_found_through_wrappers(self) -> None:
        envs = SyncVectorEnv([lambda: Wrapper(Scripted(4))])

        envs.set_attr("length", 6)

        assert envs.get_attr("length") == (6,)
        assert envs.envs[0].unwrapped.length == 6

    @pytest.mark.parametrize(
        "values, expected", [([7, 8], (7, 8)), ((7, 8), (7, 8)), (9, (9, 9)), ("ab", ("ab", "ab"))]
    )
    def test_list_or_tuple_sets_a_value_for_each_environment(self, values: Any, expected: Any) -> None:
        envs = make(1, 2)

        envs.set_attr("length", values)

        assert envs.get_attr("length") == expected

    def test_wrong_number_of_values_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="one value for each of the 2 environments, got 1"):
            make(1, 2).set_attr("length", [7])

    @pytest.mark.parametrize("ask", ["get_attr", "call"])
    def test_missing_attribute_error_names_the_environment(self, ask: str) -> None:
        envs = make(1, 2)
        envs.envs[0].unwrapped.color = "red"

        with pytest.raises(AttributeError, match="color") as caught:
            getattr(envs, ask)("color")

        assert caught.value.__notes__ == ["It comes from environment 1."]
        assert envs.get_attr("length") == (1, 2)

    def test_every_environment_renders(self) -> None:
        envs = make(5, 5)
        envs.reset()

        assert envs.render() == ("1.0", "1.0")
        assert envs.render_mode == "rgb_array"

    def test_repr_shows_the_number_of_environments(self) -> None:
        assert repr(make(1, 2)) == "SyncVectorEnv(num_envs=2)"


class Failing(Scripted):
    def __init__(self, what: str = "") -> None:
        super().__init__(2)
        self.what = what

    def reset(self, **arguments: Any) -> Any:
        if self.what == "reset" or (self.what == "second reset" and self.episode):
            raise RuntimeError(self.what)
        return super().reset(**arguments)

    def step(self, action: Any) -> Any:
        if self.what == "step":
            raise RuntimeError(self.what)
        return super().step(action)

    def close(self) -> None:
        super().close()
        if self.what == "close":
            raise RuntimeError(self.what)


def failing(*what: str, **arguments: Any) -> SyncVectorEnv[Any, Any, Any]:
    return SyncVectorEnv([lambda w=w: Failing(w) for w in what], **arguments)  # type: ignore[misc]


class TestFailures:
    def test_error_in_step_names_the_environment(self) -> None:
        envs = failing("", "step")
        envs.reset()

        with pytest.raises(RuntimeError, match="step") as caught:
            envs.step(zeros(envs))

        assert caught.value.__notes__ == ["It comes from environment 1 of SyncVectorEnv(num_envs=2)."]

    @pytest.mark.parametrize("method", ["step", "reset", "close"])
    def test_exception_that_rejects_notes_is_raised_unchanged(
        self, monkeypatch: pytest.MonkeyPatch, method: str
    ) -> None:
        def refuse(self: Any, *_: Any) -> Any:
            raise ZeroDivisionError

        def fail(*_: Any, **__: Any) -> Any:
            raise odd(1)

        odd = type("OddError", (Exception,), {"__setattr__": refuse, "add_note": refuse, "__str__": refuse})
        envs = make(1, 2)
        envs.reset()
        monkeypatch.setattr(envs.envs[1], method, fail)

        with pytest.raises(odd):
            envs.step(zeros(envs)) if method == "step" else getattr(envs, method)()

    @pytest.mark.parametrize("method", ["step", "reset"])
    def test_sys_exit_error_names_the_environment(self, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
        envs = make(1, 2)
        envs.reset()
        monkeypatch.setattr(envs.envs[1], method, lambda *_, **__: sys.exit(3))

        with pytest.raises(SystemExit) as caught:
            envs.step(zeros(envs)) if method == "step" else envs.reset()

        assert any("environment 1" in note for note in caught.value.__notes__)

    def test_error_in_reset_names_the_environment(self) -> None:
        with pytest.raises(RuntimeError) as caught:
            failing("", "reset").reset()

        assert caught.value.__notes__ == ["It comes from the reset of environment 1."]

    @pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
    def test_error_in_autoreset_names_the_environment(self, mode: str) -> None:
        envs = failing("", "second reset", autoreset_mode=mode)
        envs.reset()
        envs.step(zeros(envs))

        if mode == "NextStep":
            envs.step(zeros(envs))

        with pytest.raises(RuntimeError) as caught:
            envs.step(zeros(envs))

        assert "It comes from the reset of environment 1." in caught.value.__notes__

    def test_reset_works_after_an_error(self) -> None:
        envs = failing("", "step")
        envs.reset()
        with pytest.raises(RuntimeError):
            envs.step(zeros(envs))
        envs.set_attr("what", "")

        envs.reset()

        assert envs.step(zeros(envs))[0].tolist() == [[2, 1], [2, 1]]

    def test_failed_constructor_closes_created_environments(self) -> None:
        made = Scripted()

        def fail() -> Any:
            raise OSError

        with pytest.raises(OSError):  # noqa: PT011 - only `fail` raises this error
            SyncVectorEnv([lambda: made, fail])

        assert made.closed == 1

    def test_incompatible_spaces_close_created_environments(self) -> None:
        made = Scripted()

        with pytest.raises(RuntimeError):
            SyncVectorEnv([lambda: made, Speaking])

        assert made.closed == 1


class TestClose:
    def test_every_environment_is_closed_once(self) -> None:
        envs = make(1, 2)

        envs.close()
        envs.close()

        assert envs.closed
        assert [env.closed for env in envs.envs] == [1, 1]

    def test_with_block_closes_the_environments(self) -> None:
        with make(1) as envs:
            envs.reset()

        assert envs.closed

    def test_sys_exit_in_close_does_not_keep_others_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        envs = make(1, 2)
        monkeypatch.setattr(envs.envs[0], "close", lambda: sys.exit("enough"))

        with pytest.raises(SystemExit, match="enough"):
            envs.close()

        assert envs.closed
        assert envs.envs[1].closed == 1

    def test_error_in_close_does_not_keep_others_open(self) -> None:
        envs = failing("close", "")

        with pytest.raises(RuntimeError, match="close") as caught:
            envs.close()

        assert caught.value.__notes__ == ["It comes from environment 0 of SyncVectorEnv(num_envs=2)."]
        assert envs.closed
        assert [env.closed for env in envs.envs] == [1, 1]
        envs.close()

    @pytest.mark.parametrize(
        "use",
        [
            lambda envs: envs.reset(),
            lambda envs: envs.step([0]),
            lambda envs: envs.render(),
            lambda envs: envs.call("add", 1),
            lambda envs: envs.get_attr("length"),
            lambda envs: envs.set_attr("length", 1),
        ],
        ids=["reset", "step", "render", "call", "get_attr", "set_attr"],
    )
    def test_closed_vector_env_rejects_calls(self, use: Any) -> None:
        envs = make(1)
        envs.close()

        with pytest.raises(ClosedEnvironmentError, match=r"SyncVectorEnv\(num_envs=1\) is closed; make a new one"):
            use(envs)


def test_write_into_writes_observations_into_given_arrays() -> None:
    envs = make(3, 5, copy=False, autoreset_mode="SameStep")
    kept = np.full((4, 2, 2), -1)
    envs.write_into([kept[0]])
    observations, _ = envs.reset()
    assert np.shares_memory(observations, kept)
    for t in range(1, 4):
        envs.write_into([kept[t]])
        observations, *_ = envs.step(np.zeros(2, np.int64))
        assert np.shares_memory(observations, kept[t])
    assert kept.tolist() == [[[1, 0], [1, 0]], [[1, 1], [1, 1]], [[1, 2], [1, 2]], [[2, 0], [1, 3]]]
    before = kept.copy()
    envs.write_into(None)
    observations, *_ = envs.step(np.zeros(2, np.int64))
    assert observations.tolist() == [[2, 1], [1, 4]]
    assert (kept == before).all()
    masked, *_ = envs.step_masked(np.zeros(2, np.int64), np.array([True, False]))
    assert masked.tolist() == [[2, 2], [1, 4]]


def test_unsuitable_arrays_for_write_into_are_rejected() -> None:
    with pytest.raises(ValueError, match="Expected a vector environment with copy=False, got a vector environment"):
        make(3).write_into([np.zeros((1, 2), np.int64)])
    with pytest.raises(ValueError, match=r"array of shape \(1, 2\) and dtype int64 .* got an array of shape \(2, 1\)"):
        make(3, copy=False).write_into([np.zeros((2, 1), np.int64)])
    with pytest.raises(ValueError, match="Expected a space whose batches consist only of arrays, got"):
        make(3, copy=False, space=Words()).write_into([])


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_list_infos_returns_a_list(mode: AutoresetMode) -> None:
    """Check that the list contains each environment's own infos, which a batch would combine into arrays."""
    listed, batched = (make(2, 4, autoreset_mode=mode, list_infos=item) for item in (True, False))
    infos: Any = listed.reset(seed=1)[1]
    assert infos == [{"episode": 1}, {"episode": 1}]
    batched.reset(seed=1)
    for t in range(1, 5):
        if mode is AutoresetMode.DISABLED and t == 3:
            infos = listed.reset(options={"reset_mask": np.array([True, False])})[1]
            assert infos == [{"episode": 2}, {}]
            batched.reset(options={"reset_mask": np.array([True, False])})
        one, other = (envs.step(np.array([3, 4])) for envs in (listed, batched))
        assert all((a == b).all() for a, b in zip(one[:4], other[:4], strict=True))
        found: Any = one[4]
        assert isinstance(found, list)
        for i, info in enumerate(found):
            assert set(info) == {key for key in other[4] if not key.startswith("_") and other[4][f"_{key}"][i]}
            if "final_obs" in info:
                assert info["final_obs"].tolist() == other[4]["final_obs"][i].tolist()
            if "time" in info:
                assert info["time"] == other[4]["time"][i]
    result: Any = listed.step_masked(np.array([3, 4]), np.array([False, False]))
    assert result[4] == [{}, {}]


def test_second_environment_of_one_per_process_is_rejected() -> None:
    made = []

    def console() -> Any:
        env = Scripted()
        env.metadata = {**env.metadata, "one_per_process": True}
        made.append(env)
        return env

    with pytest.raises(OnePerProcessError, match=r"Scripted allows only one environment per process .* AsyncVectorEnv"):
        SyncVectorEnv([console] * 3)

    assert [env.closed for env in made] == [1]
    SyncVectorEnv([console]).close()
