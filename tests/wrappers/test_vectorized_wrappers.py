"""Tests that a vectorized wrapper of n environments behaves like n single wrappers, however episodes start and end."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel import ActionWrapper, Env, ObservationWrapper, RewardWrapper, spaces
from gymkernel.vector import (
    AsyncVectorEnv,
    AutoresetMode,
    SyncVectorEnv,
    VectorizedActionWrapper,
    VectorizedObservationWrapper,
    VectorizedRewardWrapper,
)
from gymkernel.vector.utils import batch_axes, info_of, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

N = 3
STEPS = 20


class Walk(Env[Any, Any]):
    """An environment with random observations, random rewards that depend on the action, and short episodes."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 - Env declares it in the same way

    def __init__(self, observation_space: Any, action_space: Any, render_mode: str | None = None) -> None:
        self.observation_space, self.action_space = copy.deepcopy(observation_space), copy.deepcopy(action_space)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.left, self.time = int(self.np_random.integers(2, 9)), 0
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        return self.observation_space.sample(), {"began": True}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        self.left -= 1
        reward = float(self.np_random.normal()) + float(
            np.sum(np.asarray(spaces.utils.flatten(self.action_space, action), float))
        )
        return (
            self.observation_space.sample(),
            reward,
            self.left == 0,
            self.left == 1 and bool(self.np_random.random() < 0.3),
            {"time": self.time},
        )

    def render(self) -> Any:
        return np.full((4, 6, 3), self.time, np.uint8)


class Summed(ObservationWrapper[Any, Any, Any]):
    """An observation wrapper, written for batches, that sums the observations of an episode."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_space = spaces.Box(-np.inf, np.inf, env.observation_space.shape)
        self.sum = np.zeros(batch_axes(env) + env.observation_space.shape, np.float32)

    def on_reset(self, where: Any = ...) -> None:
        self.sum[where] = 0

    def observation(self, observation: Any, where: Any = ...) -> Any:
        self.sum[where] += observation[where]
        return self.sum.copy()


class Previous(ObservationWrapper[Any, Any, Any]):
    """An observation wrapper, written for one environment, that returns the previous observation."""

    def on_reset(self, where: Any = ...) -> None:
        self.last: Any = None

    def observation(self, observation: Any) -> Any:
        last, self.last = self.last, observation
        return observation if last is None else last


class Late(ActionWrapper[Any, Any, Any]):
    """An action wrapper, written for one environment, that passes the previous action on."""

    last: Any = None

    def on_reset(self, where: Any = ...) -> None:
        self.last = None

    def action(self, action: Any) -> Any:
        last, self.last = self.last, action
        return action if last is None else last


class LateBatch(ActionWrapper[Any, Any, Any]):
    """An action wrapper, written for batches, that passes the previous actions on."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.last = np.full(batch_axes(env), -1, np.int64)

    def on_reset(self, where: Any = ...) -> None:
        self.last[where] = -1

    def action(self, action: Any, where: Any = ...) -> Any:
        late = np.where(self.last < 0, action, self.last)
        self.last[where] = np.asarray(action)[where]
        return late if late.ndim else int(late)


class Return(RewardWrapper[Any, Any]):
    """A reward wrapper, written for one environment, that returns the sum of rewards in the episode."""

    total: Any = 0.0

    def on_reset(self, where: Any = ...) -> None:
        self.total = 0.0

    def reward(self, reward: Any) -> Any:
        self.total += reward
        return self.total


class ReturnBatch(RewardWrapper[Any, Any]):
    """A reward wrapper, written for batches, that returns the sum of rewards in the episode plus one."""

    batched = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.total = np.zeros(batch_axes(env))

    def on_reset(self, where: Any = ...) -> None:
        self.total[where] = 0

    def reward(self, reward: Any, where: Any = ...) -> Any:
        self.total[where] += np.asarray(reward)[where]
        return self.total + 1


OWN: dict[Any, Any] = {
    Summed: VectorizedObservationWrapper,
    Previous: VectorizedObservationWrapper,
    Late: VectorizedActionWrapper,
}
OWN |= {LateBatch: VectorizedActionWrapper, Return: VectorizedRewardWrapper, ReturnBatch: VectorizedRewardWrapper}


@dataclass(frozen=True)
class Case:
    """A wrapper with arguments, and an environment for it."""

    name: Any
    kwargs: dict[str, Any] = field(default_factory=dict)
    observations: Any = field(default_factory=lambda: spaces.Box(-1.0, 1.0, (4,)))
    actions: Any = field(default_factory=lambda: spaces.Discrete(3))
    render_mode: str | None = None
    modes: tuple[AutoresetMode, ...] = tuple(AutoresetMode)
    vector_name: str | None = None
    """The name of the vectorized wrapper if it has another name than the single-environment wrapper.

    `Vectorize...` wrappers take the single-environment wrapper as an argument.
    """
    vector_kwargs: dict[str, Any] | None = None
    """The arguments of the vectorized wrapper if they are not those of the single-environment wrapper."""

    limit: int | None = None
    """The number of steps after which episodes are truncated."""

    def env(self) -> Any:
        env = Walk(self.observations, self.actions, self.render_mode)
        return env if self.limit is None else gym.wrappers.TimeLimit(env, self.limit)

    def single(self) -> Any:
        wrapper = getattr(gym.wrappers, self.name) if isinstance(self.name, str) else self.name
        return wrapper(self.env(), **self.kwargs)

    def vector(self, envs: Any) -> Any:
        if isinstance(self.name, str):
            if self.vector_name is not None and self.vector_name.startswith("Vectorize"):
                return getattr(gym.wrappers.vector, self.vector_name)(
                    envs, getattr(gym.wrappers, self.name), **self.kwargs
                )
            kwargs = self.kwargs if self.vector_kwargs is None else self.vector_kwargs
            return getattr(gym.wrappers.vector, self.name)(envs, **kwargs)
        return type(f"Vector{self.name.__name__}", (OWN[self.name],), {"single": self.name})(envs, **self.kwargs)

    def __str__(self) -> str:
        name = self.name if isinstance(self.name, str) else self.name.__name__
        arguments = ", ".join(f"{key}={getattr(value, '__name__', value)!r}" for key, value in self.kwargs.items())
        return f"{f'{self.vector_name} of ' if self.vector_name else ''}{name}({arguments})"


CASES = [
    Case("ClipReward", {"min_reward": -0.5, "max_reward": 1.5}),
    Case("ReshapeObservation", {"shape": (2, 2)}),
]
BOX = spaces.Box(np.array([-1.0, 0.0]), np.array([1.0, 4.0]), dtype=np.float64)
NESTED = spaces.Dict({"a": spaces.Discrete(3), "b": spaces.Tuple((spaces.Box(-1.0, 1.0, (2,)), spaces.MultiBinary(2)))})


def less(action: Any) -> Any:
    """Subtract one from an action or from every action in a batch."""
    return action - 1


def plus_one(reward: Any) -> Any:
    """Add one to a reward or to every reward in a batch."""
    return reward + 1


CASES += [
    Case("ClipAction", actions=BOX),
    Case("ClipAction", actions=spaces.Box(-2, 3, (2, 2), np.int32)),
    Case("RescaleAction", {"min_action": -1.0, "max_action": 1.0}, actions=BOX),
    Case("RescaleAction", {"min_action": np.array([0.0, -3.0]), "max_action": np.array([1.0, 0.0])}, actions=BOX),
    Case("DiscretizeAction", {"bins": 3}, actions=BOX),
    Case("DiscretizeAction", {"bins": (2, 5), "multidiscrete": True}, actions=BOX),
    Case(
        "TransformAction",
        {"func": less, "action_space": spaces.Discrete(3, start=1)},
        vector_kwargs={"func": less, "single_action_space": spaces.Discrete(3, start=1)},
    ),
    Case(
        "TransformAction",
        {"func": less, "action_space": spaces.Discrete(3, start=1)},
        vector_name="VectorizeTransformAction",
    ),
    Case("RescaleAction", {"min_action": -1.0, "max_action": 1.0}, actions=BOX, vector_name="VectorizeTransformAction"),
    *(
        Case("StickyAction", {"repeat_action_probability": 0.4, "repeat_action_duration": duration}, actions=actions)
        for duration in (1, 3, (1, 4))
        for actions in (spaces.Discrete(3), BOX, NESTED)
    ),
    *(Case("TimeLimit", {"max_episode_steps": limit}, item) for limit in (1, 2, 5) for item in (BOX, NESTED)),
    Case("TransformReward", {"func": plus_one}),
    Case("TransformReward", {"func": plus_one}, vector_name="VectorizeTransformReward"),
    Case("ClipReward", {"max_reward": 0.5}, vector_name="VectorizeTransformReward"),
    *(
        Case("RepeatAction", {"num_repeats": number}, item)
        for number in (1, 3)
        for item in (BOX, NESTED, spaces.Text(5))
    ),
]
IMAGE = spaces.Box(0, 255, (6, 8, 3), np.uint8)
MIXED = spaces.Dict(
    {"pose": spaces.Box(-1, 1, (2,)), "row": spaces.Tuple([spaces.Discrete(3, start=1), spaces.Box(0, 9, (), np.int8)])}
)
WORDS = spaces.Tuple([spaces.Text(3), spaces.MultiDiscrete([2, 4]), spaces.MultiBinary(3)])
GRAPH = spaces.Graph(spaces.Box(-1, 1, (2,)), spaces.Discrete(3))
NUMBERS = (spaces.Box(-9, 9, (2,), np.float64), spaces.Box(-1, 1, ()), IMAGE, spaces.Discrete(4, start=3))
EACH_KIND = (*NUMBERS, MIXED, WORDS, GRAPH, spaces.Sequence(BOX), spaces.OneOf([BOX, spaces.Discrete(2)]))


def tenth(observation: Any) -> Any:
    return observation / 10


CASES += [
    *(Case("DtypeObservation", {"dtype": dtype}, item) for dtype in ("float64", "int16") for item in NUMBERS),
    Case("DtypeObservation", {"dtype": "float32"}, spaces.MultiDiscrete([2, 3], start=[1, 2])),
    Case("DtypeObservation", {"dtype": "int32"}, spaces.MultiDiscrete([2, 3], start=[1, 2])),
    Case("DtypeObservation", {"dtype": "bool"}, spaces.MultiBinary(5)),
    *(
        Case("DiscretizeObservation", {"bins": bins, "multidiscrete": multidiscrete})
        for bins in (3, (1, 2, 5, 9))
        for multidiscrete in (False, True)
    ),
    Case("FilterObservation", {"filter_keys": ["row"]}, MIXED),
    Case("FilterObservation", {"filter_keys": [2, 0]}, WORDS),
    *(Case("FlattenObservation", {}, item) for item in EACH_KIND),
    Case("RescaleObservation", {"min_obs": -3.0, "max_obs": 5.0}),
    Case("RescaleObservation", {"min_obs": np.zeros(4), "max_obs": [1.0, 2.0, 3.0, 4.0]}),
    Case("ReshapeObservation", {"shape": (3, 48)}, IMAGE),
    Case("TransformObservation", {"func": tenth}),
    Case("TransformObservation", {"func": tenth}, vector_name="VectorizeTransformObservation"),
    Case("FlattenObservation", {}, MIXED, vector_name="VectorizeTransformObservation"),
    *(
        Case("TimeAwareObservation", {"flatten": flatten, "normalize_time": normalized}, item, limit=12)
        for flatten in (False, True)
        for normalized in (False, True)
        for item in (spaces.Box(-1, 1, (2, 2)), MIXED, WORDS)
    ),
    *(Case("DelayObservation", {"delay": delay}, item) for delay in (0, 1, 3) for item in (BOX, spaces.Discrete(3))),
    *(Case("DelayObservation", {"delay": 2}, item) for item in (IMAGE, NUMBERS[1], MIXED, WORDS, GRAPH)),
    *(Case("FrameStackObservation", {"stack_size": 3}, item) for item in EACH_KIND),
    *(
        Case("FrameStackObservation", {"stack_size": size, "padding_type": padding}, BOX)
        for size in (1, 4)
        for padding in ("zero", np.array([0.5, 3.0]))
    ),
    Case("FrameStackObservation", {"stack_size": 3, "padding_type": "zero"}, MIXED),
    *(Case("GrayscaleObservation", {"keep_dim": keep_dim}, IMAGE) for keep_dim in (False, True)),
    *(Case("MaxAndSkipObservation", {"skip": skip}, item) for skip in (2, 4) for item in NUMBERS),
    *(
        Case(
            "AddRenderObservation",
            {"render_only": render_only},
            item,
            render_mode="rgb_array",
            modes=(AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED),
        )
        for render_only in (False, True)
        for item in (BOX, MIXED)
    ),
]
CASES += [Case(name) for name in OWN]
SLOW = [pytest.mark.slow]
PAIRS = [
    pytest.param(case, mode, id=f"{number}-{case}-{mode.name}")
    for number, case in enumerate(CASES)
    for mode in case.modes
]
EACH_IN_TURN = [
    pytest.param(case, mode, id=f"{number}-{case}-{mode.name}", marks=[] if k == number % len(case.modes) else SLOW)
    for number, case in enumerate(CASES)
    for k, mode in enumerate(case.modes)
]
"""One autoreset mode for each case. The tests that are marked as slow cover the other modes."""


def both(case: Case, mode: AutoresetMode, backend: Any = SyncVectorEnv) -> tuple[Any, Any]:
    """Return the vectorized wrapper around n environments, and a vector environment of n wrapped environments."""
    outside = case.vector(backend([case.env] * N, autoreset_mode=mode))
    return outside, SyncVectorEnv([case.single] * N, autoreset_mode=mode)


def assert_same(got: Any, wanted: Any) -> None:
    """Assert that structures, dtypes and values are equal."""
    if isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for key, value in wanted.items():
            assert_same(got[key], value)
    elif isinstance(wanted, tuple | list):
        assert len(got) == len(wanted)
        for item, other in zip(got, wanted, strict=True):
            assert_same(item, other)
    elif isinstance(wanted, np.ndarray) and wanted.dtype == object:
        assert_same(list(got), list(wanted))
    elif isinstance(wanted, np.ndarray):
        assert got.dtype == wanted.dtype
        if got.shape != wanted.shape or not (got == wanted).all():
            np.testing.assert_array_equal(got, wanted, strict=True)
    else:
        assert got == wanted


def assert_same_step(got: Any, wanted: Any, space: Any) -> None:
    """Assert that results of reset or step are equal, with the infos compared for each environment."""
    assert_same(list(iterate(space, got[0])), list(iterate(space, wanted[0])))
    assert_same(got[1:-1], wanted[1:-1])
    for i in range(N):
        assert_same(info_of(got[-1], i), info_of(wanted[-1], i))


def play(
    case: Case, mode: AutoresetMode, between: Callable[[Any, int], Any] | None = None, backend: Any = SyncVectorEnv
) -> None:
    """Run both environments with the same seeds and actions, and optionally call a function between the steps."""
    vectorized, singles = both(case, mode, backend)
    assert vectorized.observation_space == singles.observation_space
    assert vectorized.single_observation_space == singles.single_observation_space
    assert vectorized.action_space == singles.action_space
    assert_same_step(vectorized.reset(seed=7), singles.reset(seed=7), singles.observation_space)
    singles.action_space.seed(3)
    for step in range(STEPS):
        actions = singles.action_space.sample()
        got, wanted = vectorized.step(copy.deepcopy(actions)), singles.step(actions)
        assert_same_step(got, wanted, singles.observation_space)
        assert got[0] in vectorized.observation_space
        if mode is AutoresetMode.DISABLED and (ended := wanted[2] | wanted[3]).any():
            options = {"reset_mask": ended}
            assert_same_step(
                vectorized.reset(options=options), singles.reset(options=options), singles.observation_space
            )
        if between is not None and (arguments := between(singles, step)) is not None:
            assert_same_step(vectorized.reset(**arguments), singles.reset(**arguments), singles.observation_space)
    vectorized.close()
    singles.close()


@pytest.mark.parametrize("case, mode", EACH_IN_TURN)
def test_consecutive_episodes(case: Case, mode: AutoresetMode) -> None:
    play(case, mode)


@pytest.mark.slow
@pytest.mark.parametrize("case, mode", PAIRS)
def test_episodes_with_partial_and_full_resets(case: Case, mode: AutoresetMode) -> None:
    draw = np.random.default_rng(5)

    def now_and_then(_: Any, step: int) -> Any:
        if step % 7 == 3:
            mask = draw.random(N) < 0.5
            mask[step % N] = True
            return {"seed": list(range(step, step + N)), "options": {"reset_mask": mask}}
        return {"seed": step} if step % 17 == 16 else None

    play(case, mode, now_and_then)


FIRST = list(
    {str(case.vector_name or getattr(case.name, "__name__", case.name)): case for case in reversed(CASES)}.values()
)


@pytest.mark.slow
@pytest.mark.parametrize("case", FIRST, ids=str)
def test_async_backend_gives_the_same_results(case: Case) -> None:
    play(case, AutoresetMode.NEXT_STEP, backend=AsyncVectorEnv)


STACKS = [
    ("TimeAwareObservation", "MaxAndSkipObservation"),
    ("FrameStackObservation", "RepeatAction", "StickyAction"),
    ("TimeLimit", "DelayObservation", "RepeatAction"),
    ("ClipReward", "TimeLimit", "FrameStackObservation", "MaxAndSkipObservation"),
]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "MaxAndSkipObservation": {"skip": 3},
    "FrameStackObservation": {"stack_size": 2},
    "RepeatAction": {"num_repeats": 2},
    "StickyAction": {"repeat_action_probability": 0.3},
    "TimeLimit": {"max_episode_steps": 4},
    "DelayObservation": {"delay": 1},
    "ClipReward": {"min_reward": -0.5, "max_reward": 0.5},
}


@dataclass(frozen=True)
class Stack(Case):
    """Several wrappers around each other, the innermost first."""

    def single(self) -> Any:
        env = self.env()
        for name in self.name:
            env = getattr(gym.wrappers, name)(env, **ARGUMENTS.get(name, {}))
        return env

    def vector(self, envs: Any) -> Any:
        for name in self.name:
            envs = getattr(gym.wrappers.vector, name)(envs, **ARGUMENTS.get(name, {}))
        return envs


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize("names", STACKS, ids="-".join)
@pytest.mark.parametrize("backend", [SyncVectorEnv, pytest.param(AsyncVectorEnv, marks=pytest.mark.slow)])
def test_stacked_wrappers(names: tuple[str, ...], mode: AutoresetMode, backend: Any) -> None:
    limit = 4 if "TimeLimit" in names else 12
    play(Stack(names, limit=limit), mode, backend=backend)
