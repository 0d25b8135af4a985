"""Tests that frequent calls use few files. Each call is run, and the files of the executed functions are counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.env import Env
from gymkernel.ops import flatten
from gymkernel.space import Field, Space
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_vector_async import AsyncVectorEnv
from gymkernel_vector_sync import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


class Still(Env[Any, Any]):
    """An environment whose steps do nothing."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Box(0, 1, (3,)), Discrete(2)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.zeros(3, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(3, np.float32), 0.0, False, False, {}


class Watching(Still):
    """An environment that records the files whose code its worker executes between the fifth and the sixth step."""

    steps = 0

    def step(self, action: Any) -> Any:
        self.steps += 1
        if self.steps == 5:
            self.files = set[str]()
            sys.settrace(note_files(self.files))
        elif self.steps == 6:
            sys.settrace(None)
        return super().step(action)


class Direction(Space[Any]):
    """A third-party space that only defines the layout of its elements."""

    def __init__(self) -> None:
        super().__init__((2,), np.float64)

    def draw(self) -> Any:
        return np.zeros(2)

    def contains(self, x: Any) -> bool:
        return True

    def layout(self) -> tuple[Field, ...]:
        return (Field.of(float, (2,)),)


def note_files(found: set[str]) -> Callable[[FrameType, str, Any], None]:
    """Return a trace function that records which first-party files contain the called functions."""

    def trace(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if "/src/gymkernel" in name:
            found.add(name.partition("/src/")[2])

    return trace


def files_of(call: Callable[[], object]) -> set[str]:
    """Return the first-party files whose functions a call executes."""
    found, previous = set[str](), sys.gettrace()
    sys.settrace(note_files(found))
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


def test_an_asynchronous_step_runs_in_nine_files_of_both_processes() -> None:
    envs = AsyncVectorEnv([Watching] * 2, num_workers=1)
    try:
        envs.reset()
        actions = envs.action_space.sample()
        in_program = files_of(lambda: [envs.step(actions) for _ in range(6)])
        in_worker = set[str]().union(*envs.get_attr("files"))
    finally:
        envs.close()

    assert in_program
    assert in_worker
    assert len(in_program | in_worker) <= 9, in_program | in_worker


def test_flattening_of_a_third_partys_space_runs_in_three_files() -> None:
    space, element = Direction(), np.zeros(2)
    flatten(space, element)

    found = files_of(lambda: flatten(space, element))

    assert 0 < len(found) <= 3, found
