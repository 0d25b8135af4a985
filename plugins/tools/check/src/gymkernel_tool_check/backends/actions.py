"""Test cases that check that vector backends pass actions on unchanged and reject invalid batches of actions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gymkernel.error import ResetNeeded
from gymkernel_tool_check.backends.cases import Backend, case, refuses
from gymkernel_tool_check.backends.comparison import assert_same, beside, play
from gymkernel_tool_check.backends.observations import EVERY_SPACE
from gymkernel_tool_check.backends.players import box, players

__all__: list[str] = []


@case(
    *((name, {"make": make}) for name, make in EVERY_SPACE if name != "Tuple1")
)  # a batch of empty tuples would have no length
def actions_of_every_space(backend: Backend, make: Any) -> None:
    """Check that a backend preserves the types and dtypes of actions, for every action space."""
    play(backend, players(box, make), "NextStep", steps=6)


@case(
    ("list", {"actions": [3, 4, 5, 6, 7]}),
    ("int32", {"actions": np.arange(3, 8, dtype=np.int32)}),
    ("tuple", {"actions": (3,) * 5}),
)
def actions_arrive_in_the_types_in_which_they_were_given(backend: Backend, actions: Any) -> None:
    """Check that each environment receives its action with the same type as in a plain loop."""
    with beside(backend, players(box)) as (envs, plain):
        assert_same(envs.step(actions), plain.step(actions), "step")


@case()
def a_wrong_number_of_actions_steps_nothing(backend: Backend) -> None:
    """Check that a wrong number of actions raises before any environment is stepped, and that the next step works."""
    with beside(backend, players(box)) as (envs, plain):
        for actions in (np.full(4, 3), [3] * 6, np.full(0, 3)):
            refuses(partial(envs.step, actions), ValueError, "5")
        assert_same(envs.step(np.full(5, 3)), plain.step(np.full(5, 3)), "step")


@case()
def stepping_too_early_is_refused(backend: Backend) -> None:
    """Check that `step` raises before the first reset and, in DISABLED mode, after an episode has ended."""
    with backend(players(box, n=2), autoreset_mode="Disabled") as envs:
        refuses(lambda: envs.step(np.array([3, 3])), ResetNeeded)
        envs.reset()
        while not any(map(np.any, envs.step(np.array([3, 3]))[2:4])):
            pass
        refuses(lambda: envs.step(np.array([3, 3])), ResetNeeded, "(?i)environment")
