"""Tests that a vectorized wrapper around n environments gives the same results as n wrapped environments."""

from __future__ import annotations

import copy
import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import ActionWrapper, Env, ObservationWrapper, RewardWrapper
from gymkernel.spaces import Box, Discrete
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import batch_infos, batch_space, reset_mask
from gymkernel_util_wrappers.vectorized import (
    EnvView,
    VectorizedActionWrapper,
    VectorizedObservationWrapper,
    VectorizedRewardWrapper,
    VectorizedWrapper,
    batch_axes,
    parameters_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Info = dict[str, Any]

LENGTHS = (2, 3, 5)
N = len(LENGTHS)


class Countdown(Env[Any, Any]):
    """An environment whose observation is the number of remaining steps and the last action."""

    observation_space = Box(-9, 9, (2,))
    action_space = Discrete(3)

    def __init__(self, length: int) -> None:
        self.length = length

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        self.left = self.length
        return np.array([self.left, -1], np.float32), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        self.left -= 1
        ended = self.left == 0
        return np.array([self.left, action], np.float32), action + 1.0, ended, False, {}


class Several(VectorEnv[Any, Any, Any]):
    """A vector environment in one process that supports every autoreset mode."""

    def __init__(self, make: Callable[[int], Any], mode: AutoresetMode) -> None:
        self.envs = [make(length) for length in LENGTHS]
        self.num_envs, self.mode = N, mode
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, N)
        self.action_space = batch_space(self.single_action_space, N)
        self.ended = np.zeros(N, np.bool_)
        self.seen: list[Any] = [None] * N

    def reset(self, *, seed: Any = None, options: Info | None = None) -> tuple[Any, Info]:
        mask, _ = reset_mask(options, N)
        expected = np.ones(N, np.bool_) if mask is None else mask
        self.seen = [self.envs[i].reset()[0] if expected[i] else self.seen[i] for i in range(N)]
        self.ended = self.ended & ~expected
        return np.stack(self.seen), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        return self.step_masked(actions, np.ones(N, np.bool_))

    def step_masked(self, actions: Any, mask: Any) -> tuple[Any, Any, Any, Any, Info]:
        rewards, flags = np.zeros(N), ~mask  # the values of environments outside the mask are arbitrary
        infos: list[Info] = [{} for _ in range(N)]
        for i in np.flatnonzero(mask):
            if self.ended[i]:
                self.seen[i], _ = self.envs[i].reset()
                self.ended[i] = False
                continue
            self.seen[i], rewards[i], flags[i], _, _ = self.envs[i].step(actions[i])
            if flags[i] and self.mode is AutoresetMode.SAME_STEP:
                infos[i] = {"final_obs": self.seen[i], "final_info": {}}
                self.seen[i], _ = self.envs[i].reset()
        if self.mode is AutoresetMode.NEXT_STEP:
            self.ended |= flags & mask
        return np.stack(self.seen), rewards, flags, np.zeros(N, np.bool_), batch_infos(enumerate(infos), N)

    def render(self) -> tuple[Any, ...]:
        return tuple(np.full((2, 2, 3), env.left, np.uint8) for env in self.envs)


class Summed(ObservationWrapper[Any, Any, Any]):
    """A batched wrapper that returns the sum of all observations in the episode."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_space = Box(-99, 99, (2,))
        self.sum = np.zeros((*batch_axes(env), 2), np.float32)

    def on_reset(self, where: Any = ...) -> None:
        self.sum[where] = 0

    def observation(self, observation: Any, where: Any = ...) -> Any:
        self.sum[where] += observation[where]
        return self.sum.copy()


class Doubled(ObservationWrapper[Any, Any, Any]):
    """A batched wrapper that doubles observations and stores nothing about episodes."""

    batched = True

    def observation(self, observation: Any) -> Any:
        return observation * 2


class Previous(ObservationWrapper[Any, Any, Any]):
    """A wrapper for single environments that returns the previous observation."""

    def on_reset(self, where: Any = ...) -> None:
        self.last: Any = None

    def observation(self, observation: Any) -> Any:
        last, self.last = self.last, observation
        return observation if last is None else last


class Late(ActionWrapper[Any, Any, Any]):
    """A batched wrapper that passes on the previous action instead of the current one."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.last = np.full(batch_axes(env), -1, np.int64)

    def on_reset(self, where: Any = ...) -> None:
        self.last[where] = -1

    def action(self, action: Any, where: Any = ...) -> Any:
        late = np.where(self.last < 0, action, self.last)
        self.last[where] = np.asarray(action)[where]
        return late


class LateOne(ActionWrapper[Any, Any, Any]):
    """A wrapper for single environments that passes on the previous action instead of the current one."""

    last: Any = None

    def on_reset(self, where: Any = ...) -> None:
        self.last = None

    def action(self, action: Any) -> Any:
        last, self.last = self.last, action
        return action if last is None else last


class Return(RewardWrapper[Any, Any]):
    """A batched wrapper that replaces the reward with the episode's return so far plus 1."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.total = np.zeros(batch_axes(env))

    def on_reset(self, where: Any = ...) -> None:
        self.total[where] = 0

    def reward(self, reward: Any, where: Any = ...) -> Any:
        self.total[where] += np.asarray(reward)[where]
        return self.total + 1


class Raised(RewardWrapper[Any, Any]):
    """A wrapper for single environments that adds 10 to each reward."""

    def reward(self, reward: Any) -> Any:
        return reward + 10


BASES: dict[Any, Any] = {
    Summed: VectorizedObservationWrapper,
    Doubled: VectorizedObservationWrapper,
    Previous: VectorizedObservationWrapper,
}
BASES |= {
    Late: VectorizedActionWrapper,
    LateOne: VectorizedActionWrapper,
    Return: VectorizedRewardWrapper,
    Raised: VectorizedRewardWrapper,
}
each_wrapper = pytest.mark.parametrize("wrapper", BASES, ids=lambda wrapper: wrapper.__name__)
each_mode = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)


def vectorized(wrapper: Any, envs: VectorEnv[Any, Any, Any]) -> Any:
    return type(f"Vector{wrapper.__name__}", (BASES[wrapper],), {"single": wrapper})(envs)


def both(wrapper: Any, mode: AutoresetMode) -> tuple[Any, Any]:
    """Return a vectorized wrapper around n environments, and a vector environment with n wrapped environments."""
    return vectorized(wrapper, Several(Countdown, mode)), Several(lambda length: wrapper(Countdown(length)), mode)


def assert_same(got: Any, expected: Any, where: Any = ...) -> None:
    for got_part, expected_part in zip(got[:-1], expected[:-1], strict=True):
        np.testing.assert_array_equal(got_part[where], expected_part[where])
    assert got[-1].keys() == expected[-1].keys()
    if "final_obs" in expected[-1]:
        ended = expected[-1]["_final_obs"]
        np.testing.assert_array_equal(got[-1]["_final_obs"], ended)
        np.testing.assert_array_equal(np.stack(got[-1]["final_obs"][ended]), np.stack(expected[-1]["final_obs"][ended]))


@each_wrapper
@each_mode
def test_vectorized_wrapper_equals_wrapped_environments(wrapper: Any, mode: AutoresetMode) -> None:
    outside, inside = both(wrapper, mode)
    assert_same(outside.reset(seed=1), inside.reset(seed=1))
    for actions in np.random.default_rng(7).integers(0, 3, (20, N)):
        got, expected = outside.step(actions), inside.step(actions)
        assert_same(got, expected)
        if mode is AutoresetMode.DISABLED and expected[2].any():
            options = {"reset_mask": expected[2]}
            assert_same(outside.reset(options=options), inside.reset(options=options), expected[2])


@each_wrapper
@each_mode
def test_partial_reset_starts_only_the_selected_episodes(wrapper: Any, mode: AutoresetMode) -> None:
    outside, inside = both(wrapper, mode)
    assert_same(outside.reset(), inside.reset())
    random = np.random.default_rng(3)
    for _ in range(12):
        mask = random.permutation([True, False, random.random() < 0.5])
        options = {"reset_mask": mask}
        assert_same(outside.reset(options=options), inside.reset(options=options), mask)
        for actions in random.integers(0, 3, (random.integers(3), N)):
            assert_same(outside.step(actions), inside.step(actions))


@each_wrapper
@each_mode
def test_masked_step_changes_only_the_selected_rows(wrapper: Any, mode: AutoresetMode) -> None:
    outside, inside = both(wrapper, mode)
    assert_same(outside.reset(), inside.reset())
    random = np.random.default_rng(5)
    for actions in random.integers(0, 3, (30, N)):
        mask = random.random(N) < 0.6
        got, expected = outside.step_masked(actions, mask), inside.step_masked(actions, mask)
        assert_same(got, expected, mask)
        if random.random() < 0.2:
            assert_same(outside.step(actions), inside.step(actions))


def test_step_that_starts_an_episode_keeps_its_reward() -> None:
    envs = vectorized(Raised, Several(Countdown, AutoresetMode.NEXT_STEP))
    envs.reset()
    assert [envs.step(np.zeros(N, int))[1][0] for _ in range(3)] == [11, 11, 0]


def test_final_observation_belongs_to_the_ended_episode() -> None:
    envs = vectorized(Summed, Several(Countdown, AutoresetMode.SAME_STEP))
    envs.reset()
    envs.step(np.zeros(N, int))
    observations, _, _, _, infos = envs.step(np.zeros(N, int))
    assert infos["final_obs"][0].tolist() == [2 + 1 + 0, -1]
    assert observations[0].tolist() == [2, -1]


def test_spaces_are_those_of_the_single_wrapper() -> None:
    envs = vectorized(Summed, Several(Countdown, AutoresetMode.NEXT_STEP))
    assert envs.single_observation_space == Box(-99, 99, (2,))
    assert envs.observation_space == Box(-99, 99, (N, 2))
    assert envs.action_space is envs.env.action_space


def test_batched_wrapper_is_created_once() -> None:
    made: list[int | None] = []

    class Counted(ObservationWrapper[Any, Any, Any]):
        def __init__(self, env: Any) -> None:
            super().__init__(env)
            made.append(env.index)

        def observation(self, observation: Any) -> Any:
            return observation

    envs = Several(Countdown, AutoresetMode.NEXT_STEP)
    type("Rows", (VectorizedObservationWrapper,), {"single": Counted})(envs)
    Counted.batched = True
    type("Batch", (VectorizedObservationWrapper,), {"single": Counted})(envs)
    assert made == [0, 1, 2, None]


def test_batch_axes_exist_only_for_batches() -> None:
    envs = Several(Countdown, AutoresetMode.NEXT_STEP)
    assert (batch_axes(EnvView(envs)), batch_axes(EnvView(envs, 1)), batch_axes(Countdown(2))) == ((N,), (), ())


def test_view_exposes_spaces_frames_and_attributes() -> None:
    envs = Several(Countdown, AutoresetMode.NEXT_STEP)
    envs.reset()
    assert EnvView(envs, 1).observation_space is envs.single_observation_space
    assert EnvView(envs, 1).action_space is envs.single_action_space
    assert EnvView(envs, 1).render().tolist() == np.full((2, 2, 3), LENGTHS[1]).tolist()
    assert EnvView(envs).render().shape == (N, 2, 2, 3)
    assert EnvView(envs).metadata is envs.metadata
    assert EnvView(envs).np_random is envs.np_random


@pytest.mark.parametrize("name, arguments", [("reset", ()), ("step", (0,))])
def test_view_cannot_be_reset_or_stepped(name: str, arguments: tuple[Any, ...]) -> None:
    view = EnvView(Several(Countdown, AutoresetMode.NEXT_STEP))
    with pytest.raises(TypeError, match=f"a vectorized wrapper cannot call {name}; define"):
        getattr(view, name)(*arguments)


def test_copy_includes_the_state() -> None:
    envs = vectorized(Summed, Several(Countdown, AutoresetMode.NEXT_STEP))
    envs.reset()
    other = copy.deepcopy(envs)
    assert_same(envs.step(np.ones(N, int)), other.step(np.ones(N, int)))
    assert isinstance(other, VectorizedWrapper)


class Scaled(ObservationWrapper[Any, Any, Any]):
    """A batched wrapper that multiplies observations by a factor."""

    batched = True

    def __init__(self, env: Any, factor: float = 2.0, *, offset: float = 0.0) -> None:
        super().__init__(env)
        self.factor, self.offset = factor, offset

    def observation(self, observation: Any) -> Any:
        return observation * self.factor + self.offset


class VectorScaled(VectorizedObservationWrapper[Any, Any, Any, Any]):
    single = Scaled

    @parameters_of(Scaled)
    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None: ...


class Derived(VectorScaled):
    """A subclass that inherits its constructor."""


def test_parameters_are_those_of_the_single_wrapper() -> None:
    parameters = inspect.signature(VectorScaled).parameters
    assert list(parameters) == ["env", "factor", "offset"]
    assert parameters["factor"] == inspect.signature(Scaled).parameters["factor"]
    assert parameters["offset"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "single" not in parameters


@pytest.mark.parametrize("cls", [VectorScaled, Derived])
def test_parameters_are_passed_to_the_single_wrapper(cls: Any) -> None:
    envs = cls(env=Several(Countdown, AutoresetMode.NEXT_STEP), offset=1.0)
    assert isinstance(envs, VectorScaled)
    assert (vars(envs.wrapper)["factor"], vars(envs.wrapper)["offset"]) == (2.0, 1.0)
    assert envs.reset()[0][:, 0].tolist() == [2 * length + 1 for length in LENGTHS]
    assert envs._saved_kwargs == {"factor": 2.0, "offset": 1.0}
    with pytest.raises(TypeError, match="nothing"):
        cls(envs, nothing=3)


def test_plain_space_attributes_are_enough() -> None:
    observed, actions = Box(0, 1, (2,)), Discrete(3)

    view = EnvView(SimpleNamespace(observation_space=observed, action_space=actions))  # type: ignore[arg-type]

    assert view.observation_space is observed
    assert view.action_space is actions
