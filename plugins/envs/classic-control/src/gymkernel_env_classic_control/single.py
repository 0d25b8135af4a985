"""What the single environments share: a state of Python's numbers, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.protocols import ActType, Info, Options
from gymkernel_env_classic_control.states import checked_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["ClassicEnv", "Observed"]

Observed = tuple["NDArray[np.float32]", float, bool, bool, dict[str, Any]]


class ClassicEnv(Env["NDArray[np.float32]", ActType]):
    """Base of the five environments. The state is a tuple of floats, or the array that `state` handed out.

    The constants of a system, and what draws it, come from a second base, which its vectorised form shares. `step`
    raises InvalidAction for what is no action, and ResetNeeded before the first reset.
    """

    parts: ClassVar[tuple[str, ...]]
    new_renderer: Callable[[], Renderer]
    reset_bounds: Callable[[Mapping[str, Any] | None], tuple[Any, Any]]

    def _begin_life(self, render_mode: str | None) -> None:
        """The part of the constructors that is the same."""
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnsupportedMode(f"Expected render_mode to be 'human', 'rgb_array' or None, got {render_mode!r}")
        self.render_mode = render_mode
        self._shown = render_mode == "human"
        self._state: tuple[float, ...] | NDArray[Any] | None = None
        self._renderer: Renderer | None = None

    @property
    def state(self) -> NDArray[Any] | None:
        """The state as an array, its parts as the class describes them; None before the first reset.

        The next step starts from this array: writing into it moves the system.
        """
        if isinstance(self._state, tuple):
            self._state = np.array(self._state)
        return self._state

    @state.setter
    def state(self, value: Any) -> None:
        self._state = checked_state(value, (len(self.parts),), self.parts)

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Begin an episode; the options say between what the state is drawn.

        Raises:
            ValueError: bounds that are crossed, or an option that is no finite number.
        """
        low, high = self.reset_bounds(options)
        super().reset(seed=seed)
        observation = self._start(low, high)
        if self._shown:
            self.render()
        return observation, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        """Draw the state that an episode begins with, and return what is seen of it."""
        raise NotImplementedError

    def _numbers(self) -> tuple[float, ...]:
        """The state as Python's numbers, from the array that `state` handed out."""
        state = checked_state(self._state, (len(self.parts),), self.parts)
        if state is None:
            raise ResetNeeded("step was called before reset; call reset first, it returns the first observation")
        return tuple(state.tolist())

    def render(self) -> NDArray[np.uint8] | None:
        """Draw the state: return the picture, uint8 of (height, width, 3), for "rgb_array"; show a window for "human".

        Raises:
            DependencyNotInstalled: without pygame-ce.
            ResetNeeded: before the first reset.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass one to make, such as render_mode="rgb_array"')
            return None
        if self._state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._renderer is None:
            self._renderer = self.new_renderer()
        drawn = self._drawn()
        if self.render_mode == "rgb_array":
            return self._renderer.picture(self, drawn)
        self._renderer.show(self, drawn, self.metadata["render_fps"])
        return None

    def _drawn(self) -> tuple[float, ...]:
        """The numbers that the picture shows."""
        return self._state if isinstance(self._state, tuple) else self._numbers()

    def close(self) -> None:
        """Close the window."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
