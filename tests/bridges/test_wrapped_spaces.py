"""Tests that a Gymnasium space is converted when a wrapper around one of our environments assigns it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces as theirs

import gymkernel
from gymkernel import spaces as ours

KINDS: dict[str, Callable[[], Any]] = {
    "Box": lambda: theirs.Box(0, 1, (2,)),
    "Dict": lambda: theirs.Dict({"a": theirs.Discrete(2), "b": theirs.Tuple([theirs.MultiBinary(3)])}),
    "Discrete": lambda: theirs.Discrete(3, start=1),
    "Graph": lambda: theirs.Graph(theirs.Discrete(2), None),
    "MultiBinary": lambda: theirs.MultiBinary(4),
    "MultiDiscrete": lambda: theirs.MultiDiscrete([2, 3]),
    "OneOf": lambda: theirs.OneOf([theirs.Discrete(2), theirs.Box(0, 1)]),
    "Sequence": lambda: theirs.Sequence(theirs.Discrete(2)),
    "Text": lambda: theirs.Text(4),
    "Tuple": lambda: theirs.Tuple([theirs.Discrete(2), theirs.Dict(x=theirs.Box(0, 1))]),
}


class Setting(gymnasium.Wrapper):
    """A wrapper that assigns a Gymnasium space to one of its attributes, as many third-party wrappers do."""

    def __init__(self, env: Any, name: str, space: Any) -> None:
        super().__init__(env)
        setattr(self, name, space)


class VectorSetting(gymnasium.vector.VectorWrapper):
    """A vector wrapper that assigns a Gymnasium space to one of its attributes."""

    def __init__(self, env: Any, name: str, space: Any) -> None:
        super().__init__(env)
        setattr(self, name, space)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["observation_space", "action_space"])
def test_space_set_on_a_wrapper_of_ours_belongs_to_both(name: str, kind: str, depth: int) -> None:
    env: Any = gymkernel.make("gymnasium/CartPole-v1")
    for _ in range(depth):
        env = Setting(env, name, KINDS[kind]())
    space = getattr(env, name)
    assert isinstance(space, getattr(ours, kind))
    assert isinstance(space, getattr(theirs, kind))
    assert space == KINDS[kind]()
    other = KINDS[kind]()
    assert space.seed(3) == other.seed(3)
    if kind != "Graph" or not hasattr(theirs.Graph, "_generate_sample_space"):  # this exists only since version 1.4
        assert str(space.sample()) == str(other.sample())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["single_observation_space", "single_action_space", "observation_space", "action_space"]
)
def test_space_set_on_a_vector_wrapper_of_ours_belongs_to_both(name: str, kind: str) -> None:
    envs = gymkernel.make_vec("gymnasium/CartPole-v1", num_envs=2, vectorization_mode="sync")
    space = getattr(VectorSetting(envs, name, KINDS[kind]()), name)
    assert isinstance(space, getattr(ours, kind))
    assert isinstance(space, getattr(theirs, kind))
    envs.close()


@pytest.mark.parametrize("kind", KINDS)
def test_space_set_around_gymnasiums_environment_is_unchanged(kind: str) -> None:
    space: Any = KINDS[kind]()
    env = Setting(gymnasium.make("CartPole-v1"), "observation_space", space)
    assert env.observation_space is space


def test_space_of_ours_is_unchanged() -> None:
    space: Any = ours.Box(0, 1, (2,))
    assert Setting(gymkernel.make("gymnasium/CartPole-v1"), "observation_space", space).observation_space is space
