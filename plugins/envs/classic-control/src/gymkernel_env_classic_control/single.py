"""The base class of the single environments, which handles resets, the state and rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.protocols import ActType, Info, Options
from gymkernel_env_classic_control.utils import check_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["FLOAT32", "ClassicEnv", "StepResult"]

FLOAT32 = np.dtype(np.float32)
StepResult = tuple["NDArray[np.float32]", float, bool, bool, dict[str, Any]]


class ClassicEnv(Env["NDArray[np.float32]", ActType]):
    """A base class for the five single environments.

    The state is stored as a tuple of floats or, after a program has accessed `state`, as the array that `state`
    returned. A second base class, which is shared with the vector version, provides the constants, the equations and
    the renderer. `step` raises InvalidAction if the action is invalid, and ResetNeeded before the first reset.
    """

    parts: ClassVar[tuple[str, ...]]
    _state: Any
    """The state as a tuple of floats. It is None before the first reset, or if the state is stored in `_array`."""
    _array: NDArray[Any] | None
    _narrow = False
    """Whether the numbers in the state are float32."""
    new_renderer: Callable[[], Renderer]
    reset_bounds: Callable[[Mapping[str, Any] | None], tuple[Any, Any]]

    def _initialize(self, render_mode: str | None) -> None:
        """Set the attributes that all five environments have in common."""
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnsupportedMode(f"Expected render_mode to be 'human', 'rgb_array' or None, got {render_mode!r}")
        self.render_mode = render_mode
        self._shown = render_mode == "human"
        self._state = self._array = None
        self._renderer: Renderer | None = None

    @property
    def state(self) -> NDArray[Any] | None:
        """The state as an array, with the components described in the class docstring, or None before the first reset.

        The next step starts from this array, so writing to the array changes the state.
        """
        if self._state is not None:
            self._array, self._state = np.array(self._state, np.float32 if self._narrow else np.float64), None
        return self._array

    @state.setter
    def state(self, value: Any) -> None:
        self._set_state(value)

    def _set_state(self, value: Any) -> None:
        """Set the state to a value that a program has assigned to `state`."""
        self._array, self._state = check_state(value, (len(self.parts),), self.parts), None

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Reset the environment.

        The options determine the interval from which the initial state is sampled.

        Raises:
            ValueError: if the lower bound is greater than the upper bound, or if an option is not a finite number.
        """
        low, high = self.reset_bounds(options)
        super().reset(seed=seed)
        observation = self._start(low, high)
        if self._shown:
            self.render()
        return observation, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        """Sample an initial state, and return its observation."""
        raise NotImplementedError

    def _numbers(self) -> tuple[float, ...]:
        """Convert the array that `state` has returned to Python floats."""
        state = check_state(self._array, (len(self.parts),), self.parts)
        if state is None:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observation")
        return tuple(state.tolist())

    def render(self) -> NDArray[np.uint8] | None:
        """Render the current state.

        Returns:
            A uint8 array of shape (height, width, 3) in "rgb_array" mode, or None in "human" mode, which opens a
            window.

        Raises:
            DependencyNotInstalled: if pygame-ce is not installed.
            ResetNeeded: if the environment has not been reset yet.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass one to make, such as render_mode="rgb_array"')
            return None
        if self._state is None and self._array is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._renderer is None:
            self._renderer = self.new_renderer()
        numbers = self._picture_numbers()
        if self.render_mode == "rgb_array":
            return self._renderer.picture(self, numbers)
        self._renderer.show(self, numbers, self.metadata["render_fps"])
        return None

    def _picture_numbers(self) -> tuple[float, ...]:
        """Return the numbers that the renderer draws, such as positions and angles."""
        return self._state or self._numbers()

    def close(self) -> None:
        """Close the window."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
