"""The `OrderEnforcing` wrapper, which raises an error if `step` or `render` is called before the first `reset`."""

from __future__ import annotations

import copy
from typing import Any, SupportsFloat

from gymkernel.error import ResetNeeded
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.specs import EnvSpec
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper

__all__ = ["OrderEnforcing"]


class OrderEnforcing(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that raises `ResetNeeded` if `step` or `render` is called before the first `reset`.

    Args:
        disable_render_order_enforcing: whether to allow `render` before the first `reset`.

    >>> from gymkernel import Env
    >>> class Still(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 1.0, False, False, {}
    >>> env = OrderEnforcing(Still())
    >>> env.reset(), env.step(0)
    ((0, {}), (0, 1.0, False, False, {}))
    >>> OrderEnforcing(Still()).step(0)
    Traceback (most recent call last):
    gymkernel.error.ResetNeeded: Cannot call env.step() before calling env.reset()
    """

    def __init__(self, env: EnvLike[ObsType, ActType], disable_render_order_enforcing: bool = False) -> None:
        Wrapper.__init__(self, env)
        self._has_reset = False
        self._disable_render_order_enforcing = disable_render_order_enforcing

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, or raise `ResetNeeded` if it has not been reset."""
        if not self._has_reset:
            raise ResetNeeded("Cannot call env.step() before calling env.reset()")
        return self.env.step(action)

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment."""
        self._has_reset = True
        return self.env.reset(seed=seed, options=options)

    def render(self) -> Any:
        """Render the environment, or raise `ResetNeeded` if it has not been reset."""
        if not self._has_reset and not self._disable_render_order_enforcing:
            wish = (
                "if this is an intended action, set `disable_render_order_enforcing=True` on the OrderEnforcer wrapper."
            )
            raise ResetNeeded(f"Cannot call `env.render()` before calling `env.reset()`, {wish}")
        return self.env.render()

    @property
    def has_reset(self) -> bool:
        """Return whether `reset` has been called."""
        return self._has_reset

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """Set the field `order_enforce` of the spec instead of adding this wrapper to the spec."""
        ordered = copy.copy(spec)
        ordered.order_enforce = True
        return ordered
