"""The `TransformReward` wrapper, which applies a function to rewards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import RewardWrapper

__all__ = ["TransformReward"]


class TransformReward(RewardWrapper[ObsType, ActType], RecordConstructorArgs):
    """A wrapper that applies a function to each reward.

    Args:
        func: a function that takes a reward and returns the transformed reward.
        f: a keyword-only alias of `func`.

    Raises:
        TypeError: if `func` is not callable or if both `func` and `f` are given.

    >>> from gymkernel import Env
    >>> class Generous(Env):
    ...     def step(self, action):
    ...         return 0, 7.0, False, False, {}
    >>> TransformReward(Generous(), lambda reward: -reward).step(0)[1]
    -7.0
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        func: Callable[[SupportsFloat], SupportsFloat] | None = None,
        *,
        f: Callable[[SupportsFloat], SupportsFloat] | None = None,
    ) -> None:
        func = function(func, f)
        RecordConstructorArgs.__init__(self, func=func)
        RewardWrapper.__init__(self, env)
        self.func = func
        self._direct = type(self).reward is TransformReward.reward

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and transform the reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self.func if self._direct else self.reward  # avoids calling `reward`
        return observation, change(reward), terminated, truncated, info

    def reward(self, reward: SupportsFloat) -> SupportsFloat:
        """Apply the function to a reward."""
        func = self.func  # a local variable is faster
        return func(reward)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformReward[Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its function returns the argument unchanged."""
        yield cls(env, identity)


def identity(reward: Any) -> Any:
    """Return the argument unchanged."""
    return reward


def function(func: Any, f: Any) -> Any:
    """Return the function that was passed as `func` or as `f`."""
    given = f if func is None else func
    if not callable(given) or (func is not None and f is not None):
        got = repr(given) if f is None or func is None else "both func and f, which are two names for the same argument"
        raise TypeError(f"TransformReward expects func to be a function of the reward, got {got}")
    return given
