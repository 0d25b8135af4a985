"""The `Autoreset` wrapper, which resets an environment automatically at the end of an episode."""

from __future__ import annotations

import copy
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode
from gymkernel.wrapper import Wrapper

__all__ = ["AutoResetWrapper", "Autoreset"]


class Autoreset(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that automatically resets the environment after an episode, so that the caller only has to call `step`.

    Args:
        autoreset_mode: a member of `AutoresetMode` or its value. In NEXT_STEP mode, the first step after the end of an
            episode resets the environment, ignores the action and returns the reward 0. In SAME_STEP mode, the last
            step of an episode also resets the environment and returns the first observation and info of the next
            episode. The info then also contains the final observation and info of the previous episode, under the keys
            `final_obs` and `final_info`.

    Raises:
        ValueError: if the mode is DISABLED or unknown.

    >>> from gymkernel import Env
    >>> class Count(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         self.time = 0
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return self.time, 1.0, self.time == 2, False, {}
    >>> env = Autoreset(Count())
    >>> _ = env.reset()
    >>> [env.step(0)[0] for _ in range(5)]
    [1, 2, 0, 1, 2]
    >>> env = Autoreset(Count(), "SameStep")
    >>> _ = env.reset()
    >>> [env.step(0)[0] for _ in range(5)]
    [1, 0, 1, 0, 1]
    """

    _final_keys = "final_obs", "final_info"
    """The info keys of the final observation and the final info in SAME_STEP mode."""

    def __init__(
        self, env: EnvLike[ObsType, ActType], autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            message = "Autoreset expects the autoreset_mode NEXT_STEP or SAME_STEP; for DISABLED, omit the wrapper"
            raise ValueError(message)
        RecordConstructorArgs.__init__(self, autoreset_mode=mode.value)
        Wrapper.__init__(self, env)
        self.autoreset_mode = mode
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.autoreset = False
        """Whether the next step resets the environment."""

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment."""
        self.autoreset = False
        return self.env.reset(seed=seed, options=options)

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment. In NEXT_STEP mode, reset the environment instead if the episode has ended."""
        if self.autoreset:
            self.autoreset = False
            observation, info = self.env.reset()
            return observation, 0.0, False, False, info
        result = self.env.step(action)
        if result[2] or result[3]:
            if self._same_step:
                return self._start_next_episode(*result)
            self.autoreset = True
        return result

    def _start_next_episode(
        self, last: ObsType, reward: Any, terminated: Any, truncated: Any, info: dict[str, Any]
    ) -> tuple[ObsType, Any, Any, Any, Info]:
        """Reset the environment, and combine the results of the last step with the first observation and info."""
        last_results = copy.deepcopy(last), info  # the reset may overwrite arrays in the results
        observation, next_info = self.env.reset()
        final = dict(zip(self._final_keys, last_results, strict=True))
        return observation, reward, terminated, truncated, final | next_info | final


class AutoResetWrapper(Autoreset[ObsType, ActType]):
    """A wrapper that resets the environment in the step that ends an episode.

    This wrapper works like `Autoreset` in SAME_STEP mode, but has the name and the info keys that Gymnasium used in
    2022. The last step of an episode returns the first observation and info of the next episode together with its own
    reward, `terminated` and `truncated`. The info also contains the final observation and info of the previous episode,
    under the keys `terminal_observation` and `terminal_info`. `make(..., autoreset=True)` adds this wrapper.

    >>> from gymkernel import Env
    >>> class Count(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         self.time = 0
    ...         return 0, {"began": True}
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return self.time, 1.0, self.time == 2, False, {"time": self.time}
    >>> env = AutoResetWrapper(Count())
    >>> _ = env.reset(), env.step(0)
    >>> env.step(0)
    (0, 1.0, True, False, {'terminal_observation': 2, 'terminal_info': {'time': 2}, 'began': True})
    """

    _final_keys = "terminal_observation", "terminal_info"

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env, AutoresetMode.SAME_STEP)
