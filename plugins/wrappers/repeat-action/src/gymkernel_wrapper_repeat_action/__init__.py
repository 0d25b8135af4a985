"""The `RepeatAction` wrapper, which repeats each action for several steps."""

from __future__ import annotations

from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.checks import require_integer

__all__ = ["RepeatAction"]


class RepeatAction(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that repeats each action several times, or until the episode ends, and returns the sum of the rewards.

    Args:
        num_repeats: the number of times each action is repeated, at least 1.

    Raises:
        TypeError: if `num_repeats` is not an integer.
        ValueError: if `num_repeats` is less than 1.

    >>> from gymkernel import Env
    >>> class Count(Env):
    ...     time = 0
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return self.time, 1.0, self.time == 5, False, {}
    >>> env = RepeatAction(Count(), 3)
    >>> env.step(0)[:3], env.step(0)[:3]
    ((3, 3.0, False), (5, 2.0, True))
    """

    def __init__(self, env: EnvLike[ObsType, ActType], num_repeats: int) -> None:
        Wrapper.__init__(self, env)
        self.num_repeats = require_integer(num_repeats, "RepeatAction expects num_repeats", 1)

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Repeat the action at most `num_repeats` times, until the episode ends, and return the sum of the rewards."""
        step = self.env.step
        observation, reward, terminated, truncated, info = step(action)
        total, left = float(reward), self.num_repeats
        while left > 1 and not (terminated or truncated):
            left -= 1
            observation, reward, terminated, truncated, info = step(action)
            total += float(reward)
        return observation, total, terminated, truncated, info
