"""The `PassiveEnvChecker` wrapper, which checks the results of an environment's first resets and steps."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.specs import EnvSpec
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper, is_vector_env
from gymkernel_wrapper_passive_env_checker import inspection
from gymkernel_wrapper_passive_env_checker.findings import note_error

__all__ = ["PassiveEnvChecker"]


class PassiveEnvChecker(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that checks an environment's spaces and the results of the first calls of its methods.

    Serious violations of the API raise an error, and all other violations cause a warning. After enough checks, the
    wrapper replaces its methods `step` and `reset` with those of the environment, so that it no longer slows the
    environment down. `gymkernel check` runs many more checks.

    Raises:
        AttributeError: if the environment has no observation space or no action space.
        TypeError: if the observation space or the action space is not a space, or if `reset` or `step` returns a value
            that violates the API.

    >>> from gymkernel import Env, Space
    >>> class Coin(Space):
    ...     def contains(self, x):
    ...         return x in {"heads", "tails"}
    >>> class Toss(Env):
    ...     observation_space = action_space = Coin()
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return "heads", {}
    >>> PassiveEnvChecker(Toss()).reset()
    ('heads', {})
    >>> class NoSpaces(Env):
    ...     pass
    >>> PassiveEnvChecker(NoSpaces())
    Traceback (most recent call last):
    AttributeError: NoSpaces has no action_space; set self.action_space to a space in its constructor
    """

    checked_calls: ClassVar[int] = 3
    """The number of resets and the number of steps that are checked for each environment."""

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        Wrapper.__init__(self, env)
        _check_spaces(env)
        self._resets = self._steps = 0
        self._last: inspection.Kept | None = None
        self.checked_render = self.close_called = False

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment, and check the result."""
        if self._resets >= self.checked_calls:  # the caller kept a reference to this method
            return self.env.reset(seed=seed, options=options)
        if self._resets == 0:
            inspection.check_reset_signature(self.env)
        result = self.env.reset(seed=seed, options=options)
        self._last = inspection.check_reset(result, self.env, self._last)
        self._resets += 1
        self._stop_checking()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, and check the result."""
        result = self.env.step(action)
        if self._steps >= self.checked_calls:  # the caller kept a reference to this method
            return result
        self._last = inspection.check_step(result, self.env, self._last)
        self._steps += 1
        self._stop_checking()
        return result

    def _stop_checking(self) -> None:
        """After enough checks, replace `step` and `reset` with the environment's methods unless they are overridden."""
        cls = type(self)
        if self._steps >= self.checked_calls and cls.step is PassiveEnvChecker.step:
            self.step = self.env.step  # type: ignore[method-assign]
        if self._resets >= self.checked_calls and cls.reset is PassiveEnvChecker.reset:
            self.reset = self.env.reset  # type: ignore[method-assign]
            self._last = None

    def render(self) -> Any:
        """Render the environment, and check the first frame."""
        frame = self.env.render()
        if not self.checked_render:
            self.checked_render = True
            inspection.check_frame(frame, self.env)
        return frame

    checked_reset = property(lambda self: self._resets > 0, doc="Whether a reset has been checked.")
    checked_step = property(lambda self: self._steps > 0, doc="Whether a step has been checked.")
    checked_data_reuse = property(
        lambda self: self._resets + self._steps > 1, doc="Whether the results of two calls have been compared."
    )

    def close(self) -> None:
        """Close the wrapped environment."""
        self.close_called = True
        self.env.close()

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """Set the field `disable_env_checker` of the spec to False instead of adding this wrapper to the spec."""
        checked = copy.copy(spec)
        checked.disable_env_checker = False
        return checked


def _check_spaces(env: Any) -> None:
    """Raise an error if the environment is a vector environment, or if one of its spaces is missing or invalid."""
    if is_vector_env(getattr(env, "unwrapped", env)):
        message = (
            f"{inspection.name_of(env)} is a vector environment, not a single environment; register it as the "
            "vector_entry_point of a spec, and create it with make_vec"
        )
        raise note_error("GK002", TypeError(message), env)
    for name in ("action_space", "observation_space"):
        if not hasattr(env, name):
            message = f"{inspection.name_of(env)} has no {name}; set self.{name} to a space in its constructor"
            raise note_error("GK101", AttributeError(message), env)
        space = getattr(env, name)
        if isinstance(space, type) or not (hasattr(space, "contains") and hasattr(space, "sample")):
            message = f"the {name} of {inspection.name_of(env)} must be a space, got {space!r} ({type(space).__name__})"
            raise note_error("GK102", TypeError(message), env)
