"""`Autoreset`: an environment that begins its next episode itself."""

from __future__ import annotations

import copy
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode
from gymkernel.wrapper import Wrapper

__all__ = ["AutoResetWrapper", "Autoreset"]


class Autoreset(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """Begin the next episode where one has ended, so that a loop only steps.

    Args:
        autoreset_mode: NEXT_STEP: the step after the last one resets, its action is not used and its reward is 0.
            SAME_STEP: the last step resets; it returns the observation and info of the next episode, and in that info
            `final_obs` and `final_info` are those of the step itself. By member or value ("NextStep", "SameStep").

    Raises:
        ValueError: another mode.

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
    """Under SAME_STEP: where the info has the observation and the info of the step itself."""

    def __init__(
        self, env: EnvLike[ObsType, ActType], autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            message = "Autoreset expects the autoreset_mode NEXT_STEP or SAME_STEP; without it, nothing is DISABLED"
            raise ValueError(message)
        RecordConstructorArgs.__init__(self, autoreset_mode=mode.value)
        Wrapper.__init__(self, env)
        self.autoreset_mode = mode
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.autoreset = False
        """Whether the next step resets."""

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode."""
        self.autoreset = False
        return self.env.reset(seed=seed, options=options)

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once, or begin the next episode."""
        if self.autoreset:
            self.autoreset = False
            observation, info = self.env.reset()
            return observation, 0.0, False, False, info
        result = self.env.step(action)
        if result[2] or result[3]:
            if self._same_step:
                return self._begun(*result)
            self.autoreset = True
        return result

    def _begun(
        self, last: ObsType, reward: Any, terminated: Any, truncated: Any, info: dict[str, Any]
    ) -> tuple[ObsType, Any, Any, Any, Info]:
        """The last step of an episode, with the beginning of the next."""
        kept = copy.deepcopy(last), info  # an environment may use its arrays again
        observation, begun = self.env.reset()
        final = dict(zip(self._final_keys, kept, strict=True))
        return observation, reward, terminated, truncated, final | begun | final


class AutoResetWrapper(Autoreset[ObsType, ActType]):
    """Begin the next episode in the step that ends one: `Autoreset` under SAME_STEP, with the keys of 2022.

    That step returns the first observation of the next episode, with the reward and the flags of the last step. Its
    info is that of the reset; `terminal_observation` and `terminal_info` in it are what the last step returned.
    `make(..., autoreset=True)` puts it on.

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
