"""The `StickyAction` wrapper, which randomly repeats the previous action."""

from __future__ import annotations

import operator
from typing import Any

from gymkernel.error import InvalidBound, InvalidProbability
from gymkernel.protocols import ActType, EnvLike, ObsType, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper

__all__ = ["StickyAction"]


class StickyAction(ActionWrapper[ObsType, ActType, ActType], RecordConstructorArgs):
    """A wrapper that, with a given probability, repeats the previous action for one or more steps.

    Sticky actions make an environment stochastic, so that an agent cannot memorize a fixed sequence of actions (Machado
    et al., "Revisiting the Arcade Learning Environment", 2018, section 5). The random numbers come from the
    environment's own `np_random`. Each step in which a repetition can start uses one number.

    Args:
        repeat_action_probability: the probability that a repetition starts, in [0, 1).
        repeat_action_duration: the number of steps in a repetition, at least 1, or a pair (minimum, maximum), in which
            case the number is chosen at random from this range (inclusive).

    Raises:
        InvalidProbability: if the probability is not in [0, 1).
        InvalidBound: if the minimum is greater than the maximum.
        ValueError: if the duration is neither an integer of at least 1 nor a pair of such integers.

    >>> from gymkernel import Env
    >>> class Echo(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         super().reset(seed=seed)
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return action, 0.0, False, False, {}
    >>> env = StickyAction(Echo(), repeat_action_probability=0.5)
    >>> _ = env.reset(seed=1)
    >>> [env.step(action)[0] for action in range(8)]
    [0, 1, 2, 2, 4, 4, 4, 7]
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        repeat_action_probability: float,
        repeat_action_duration: int | tuple[int, int] = 1,
    ) -> None:
        if not 0 <= repeat_action_probability < 1:
            message = f"StickyAction expects the probability to be in [0, 1), got {repeat_action_probability}"
            raise InvalidProbability(message)
        duration = _duration(repeat_action_duration)
        RecordConstructorArgs.__init__(
            self,
            repeat_action_probability=float(repeat_action_probability),
            repeat_action_duration=duration if hasattr(repeat_action_duration, "__iter__") else duration[0],
        )
        ActionWrapper.__init__(self, env)
        self.repeat_action_probability = repeat_action_probability
        self.repeat_action_duration_range = duration
        self._fixed = duration[0] if duration[0] == duration[1] else 0
        self.on_reset()

    def on_reset(self, where: Where = ...) -> None:
        """Discard the previous action."""
        self.last_action: Any = None
        self._left: Any = 0
        """The number of remaining steps in the current repetition."""
        self._series = 0

    @property
    def is_sticky_actions(self) -> bool:
        """Return whether the next step will certainly repeat the previous action."""
        return bool(self._left > 0)

    @property
    def num_repeats(self) -> int:
        """Return the number of steps in the current repetition, or 0 if no action is being repeated."""
        return self._series if self._left else 0

    @property
    def repeats_taken(self) -> int:
        """Return how many steps of the current repetition have been taken."""
        return self._series - self._left if self._left else 0

    def action(self, action: ActType) -> ActType:
        """Return the action or, during a repetition, the previous action."""
        if self._left:
            self._left -= 1
            return self.last_action  # type: ignore[no-any-return]
        if self.last_action is not None and self.np_random.random() < self.repeat_action_probability:
            self._series = series = self._fixed or self._draw()
            self._left = series - 1
            return self.last_action  # type: ignore[no-any-return]
        self.last_action = action
        return action

    def _draw(self) -> int:
        least, most = self.repeat_action_duration_range
        return int(self.np_random.integers(least, most + 1))


def _duration(duration: Any) -> tuple[int, int]:
    try:
        pair = tuple(map(operator.index, duration if hasattr(duration, "__iter__") else (duration, duration)))
    except TypeError:
        pair = ()
    if len(pair) != 2 or min(pair) < 1:
        raise ValueError(
            f"StickyAction expects repeat_action_duration to be an integer of at least 1 or a pair of such integers, "
            f"got {duration!r}"
        )
    if pair[0] > pair[1]:
        raise InvalidBound(f"StickyAction expects repeat_action_duration to be (minimum, maximum), got {duration!r}")
    return pair
