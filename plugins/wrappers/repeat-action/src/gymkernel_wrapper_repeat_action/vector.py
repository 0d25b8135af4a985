"""`RepeatAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel_util_wrappers.repeated_steps import RepeatedSteps
from gymkernel_wrapper_repeat_action import repeats

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["RepeatAction"]


class RepeatAction(RepeatedSteps[ObsType, ActType, ArrayType]):
    """Act several times with each action in every environment; the end of an episode ends its repetition.

    Under NEXT_STEP, a step that begins an episode is taken once.

    Arguments and errors are those of `gymkernel.wrappers.RepeatAction`.

    Raises:
        UnsupportedMode: on the first step in which not all environments act, the vector environment inside cannot step
            a part of its environments (`step_masked`).
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], num_repeats: int) -> None:
        self.num_repeats = repeats(num_repeats)
        super().__init__(env, self.num_repeats)
