"""A reader of a frequent call opens few files: each call is run, and the files in which it runs are counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.env import Env
from gymkernel.ops import flatten
from gymkernel.space import Field, Space
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_vector_sync import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


class Still(Env[Any, Any]):
    """An environment in which nothing happens."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Box(0, 1, (3,)), Discrete(2)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.zeros(3, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(3, np.float32), 0.0, False, False, {}


class Direction(Space[Any]):
    """A space of a third party, with the layout of its elements alone."""

    def __init__(self) -> None:
        super().__init__((2,), np.float64)

    def draw(self) -> Any:
        return np.zeros(2)

    def contains(self, x: Any) -> bool:
        return True

    def layout(self) -> tuple[Field, ...]:
        return (Field.of(float, (2,)),)


def files_of(call: Callable[[], object]) -> set[str]:
    """Return the files of gymkernel's distributions in which a call runs."""
    found = set()

    def trace(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if "/src/gymkernel" in name:
            found.add(name.partition("/src/")[2])

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(previous)
    return found


def test_a_synchronous_step_runs_in_three_files() -> None:
    envs = SyncVectorEnv([Still] * 3)
    envs.reset()
    actions = envs.action_space.sample()
    envs.step(actions)

    found = files_of(lambda: envs.step(actions))

    assert 0 < len(found) <= 3, found


def test_flattening_of_a_third_partys_space_runs_in_three_files() -> None:
    space, element = Direction(), np.zeros(2)
    flatten(space, element)

    found = files_of(lambda: flatten(space, element))

    assert 0 < len(found) <= 3, found
