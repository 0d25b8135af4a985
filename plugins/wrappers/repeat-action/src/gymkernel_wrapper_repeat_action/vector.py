"""The `RepeatAction` wrapper for vector environments."""

from __future__ import annotations

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike
from gymkernel_util_wrappers.checks import require_integer
from gymkernel_util_wrappers.repeated_steps import RepeatedSteps

__all__ = ["RepeatAction"]


class RepeatAction(RepeatedSteps[ObsType, ActType, ArrayType]):
    """A vector wrapper that repeats each action several times in every environment.

    If an episode ends, the remaining repetitions are skipped in its environment. In NEXT_STEP mode, a step that begins
    an episode is not repeated.

    The arguments and exceptions are the same as for `gymkernel.wrappers.RepeatAction`.

    Raises:
        UnsupportedMode: if the wrapped vector environment has no `step_masked`. This error is raised by the first step
            that would have to step only some of the environments.

    >>> import gymkernel as gym
    >>> envs = RepeatAction(gym.make_vec("CartPole-v1", 2, "sync"), 3)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1]  # doctest: +SKIP
    array([3., 3.])
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType], num_repeats: int) -> None:
        self.num_repeats = require_integer(num_repeats, "RepeatAction expects num_repeats", 1)
        super().__init__(env, self.num_repeats)
