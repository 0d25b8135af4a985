"""Tests that `SyncVectorEnv` passes observations and actions of all spaces on unchanged, even of third-party spaces."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.spaces import Box, Discrete, Field, MultiDiscrete, Space, Tuple
from gymkernel.vector import SyncVectorEnv
from gymkernel.vector.utils import batch_differing_spaces, batch_space, iterate

if TYPE_CHECKING:
    from gymkernel.spaces import Layout

N = 3


class Word(Space[str]):
    """A third-party space with elements of any length."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "x" * int(self.np_random.integers(1, 9))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word)

    __hash__ = None  # type: ignore[assignment]


class Reading(Word):
    """A third-party space with a layout. Its elements are pairs of a number and the index of a unit."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return float(self.np_random.random()), int(self.np_random.integers(3))

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == 2

    def layout(self) -> Layout:
        return (Field.of(float), Field.of(int))

    def encode(self, x: Any, out: Any) -> None:
        out[0][...], out[1][...] = x

    def decode(self, arrays: Any) -> Any:
        return float(arrays[0]), int(arrays[1])


class Bounded(Box[Any]):
    """A subclass of a plugin's space."""

    def __init__(self) -> None:
        super().__init__(-1, 1, (2,), np.float64)


SPACES = [
    Box(0, 1, (2, 3)),
    Box(0, 1, ()),
    Box(0, 255, (4, 4), np.uint8),
    Box(0, 1, (0,)),
    Box(0, 1, (2, 0)),
    Box(0, 1, (3,), bool),
    Discrete(3),
    Discrete(3, start=-1, dtype=np.int8),
    MultiDiscrete([3, 2]),
    MultiDiscrete([[3], [2]]),
    Tuple([Box(0, 1), Discrete(3)]),
    Tuple([Tuple([Box(0, 1, ()), Word()]), MultiDiscrete([2])]),
    Tuple([Reading(), Reading()]),
    Bounded(),
    Word(),
    Reading(),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=[f"{i}-{type(s).__name__}" for i, s in enumerate(SPACES)])


class Sampling(Env[Any, Any]):
    """An environment whose observations are samples from one space, and which records actions from another space."""

    def __init__(self, observation_space: Any, action_space: Any, seed: int) -> None:
        self.observation_space, self.action_space = copy.deepcopy((observation_space, action_space))
        self.observation_space.seed(seed)
        self.observed: list[Any] = []
        self.done: list[Any] = []

    def observe(self) -> Any:
        self.observed.append(self.observation_space.sample())
        return self.observed[-1]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return self.observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.done.append(action)
        return self.observe(), 0.0, len(self.observed) % 3 == 0, False, {}


def make(observation_space: Any, action_space: Any = None, **arguments: Any) -> SyncVectorEnv[Any, Any, Any]:
    action_space = Discrete(2) if action_space is None else action_space
    return SyncVectorEnv([lambda i=i: Sampling(observation_space, action_space, i) for i in range(N)], **arguments)  # type: ignore[misc]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b))


@every_space
class TestObservations:
    @pytest.mark.parametrize("mode", ["same", "different", "pair"])
    @pytest.mark.parametrize("fresh", [True, False], ids=["copy", "view"])
    def test_batch_is_in_its_space_with_all_observations(self, space: Any, mode: Any, fresh: bool) -> None:
        pair = (batch_space(copy.deepcopy(space), N), space)
        envs = make(space, copy=fresh, observation_mode=pair if mode == "pair" else mode)
        batch, _ = envs.reset()
        for _ in range(4):
            assert batch in envs.observation_space
            rows = list(iterate(envs.observation_space, batch))
            assert all(same(row, env.observed[-1]) for row, env in zip(rows, envs.envs, strict=True))
            batch, *_ = envs.step(envs.action_space.sample())

    def test_copies_are_not_modified(self, space: Any) -> None:
        envs = make(space)
        first, _ = envs.reset()
        kept = copy.deepcopy(first)

        envs.step(envs.action_space.sample())

        assert same(first, kept)

    def test_final_observation_is_in_the_infos(self, space: Any) -> None:
        envs = make(space, autoreset_mode="SameStep")
        envs.reset()
        envs.step(envs.action_space.sample())

        *_, infos = envs.step(envs.action_space.sample())

        assert all(same(last, env.observed[-2]) for last, env in zip(infos["final_obs"], envs.envs, strict=True))
        assert all(last in space for last in infos["final_obs"])

    def test_first_partial_reset_returns_a_full_batch(self, space: Any) -> None:
        envs = make(space)

        batch, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})

        assert batch in envs.observation_space
        assert same(list(iterate(envs.observation_space, batch))[1], envs.envs[1].observed[0])


@every_space
def test_each_environment_gets_its_action(space: Any) -> None:
    envs = make(Box(0, 1), space)
    envs.reset()
    actions = envs.action_space.sample()

    envs.step(actions)

    rows = list(iterate(envs.action_space, actions))
    assert all(same(env.done[0], row) for env, row in zip(envs.envs, rows, strict=True))


class TestRefusals:
    @pytest.mark.parametrize("actions", [([0, 1, 0], [0]), ([0, 1, 0],), ()], ids=str)
    def test_action_parts_of_different_lengths_are_rejected(self, actions: Any) -> None:
        envs = make(Box(0, 1), Tuple([Discrete(2), Discrete(2)]))
        envs.reset()

        with pytest.raises(ValueError, match=r"Expected actions for 3 environments from Tuple\(.*\), got"):
            envs.step(actions)

        assert [env.done for env in envs.envs] == [[]] * N

    def test_single_number_is_not_a_batch_of_actions(self) -> None:
        envs = make(Box(0, 1))
        envs.reset()

        with pytest.raises(TypeError, match=r"Expected actions for 3 environments from MultiDiscrete.*, got 1"):
            envs.step(1)


def test_bounds_can_differ() -> None:
    spaces = [Box(0, high, (2,)) for high in (1, 2, 3)]

    envs = SyncVectorEnv(
        [lambda s=s: Sampling(s, Discrete(2), 0) for s in spaces],  # type: ignore[misc]
        observation_mode="different",
    )

    assert envs.observation_space == batch_differing_spaces(spaces)
    assert envs.reset()[0] in envs.observation_space
