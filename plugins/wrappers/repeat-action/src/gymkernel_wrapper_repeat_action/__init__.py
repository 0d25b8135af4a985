"""The `RepeatAction` wrapper, which repeats each action for several steps."""

from __future__ import annotations

from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper

__all__ = ["RepeatAction", "check_repeats"]


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
        self.num_repeats = check_repeats(num_repeats)

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


def check_repeats(number: Any) -> int:
    """Check the number of repetitions, and return it as a Python integer.

    Args:
        number: the argument `num_repeats` of the constructor.

    Raises:
        TypeError: if the number is not an integer.
        ValueError: if the number is less than 1.
    """
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"RepeatAction expects num_repeats to be an integer, got {number!r}")
    if number < 1:
        raise ValueError(f"RepeatAction expects num_repeats to be at least 1, got {number}")
    return int(number)
