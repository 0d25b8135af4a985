"""The base class of the Box2D environments, which handles rendering, windows and pickling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.protocols import ActType, ObsType
from gymkernel_env_box2d.drawing import Window, load_pygame, to_pixels
from gymkernel_util_compatibility.ezpickle import EzPickle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Box2DEnv", "reset_needed"]


def reset_needed(call: str) -> ResetNeeded:
    """Return the error to raise if a method is called before the first reset."""
    return ResetNeeded(f"{call} was called before reset; call reset first to create the bodies")


class Box2DEnv(Env[ObsType, ActType], EzPickle):
    """A base class for environments that draw the bodies of a Box2D world.

    Box2D's objects can be neither copied nor pickled. Therefore, a copied or unpickled environment is created again
    from the arguments of the constructor, and it must be reset before use.
    """

    window_size: tuple[int, int] = (600, 400)

    def _initialize(self, render_mode: str | None) -> None:
        """Set the attributes that all Box2D environments have in common."""
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            listed = ", ".join(map(repr, modes))
            raise UnsupportedMode(f"Expected render_mode to be {listed} or None, got {render_mode!r}")
        self.render_mode = render_mode
        self.screen: Any = None
        self.clock: Any = None
        self.surf: Any = None
        self.isopen = True
        self._window: Window | None = None

    def render(self) -> NDArray[np.uint8] | None:
        """Draw the current state.

        Returns:
            A uint8 array of shape (height, width, 3), or None in "human" mode, which opens a window.

        Raises:
            DependencyNotInstalled: if pygame-ce is not installed.
            ResetNeeded: if the environment has not been reset yet.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass one to make, such as render_mode="rgb_array"')
            return None
        return self._render(self.render_mode)

    def _render(self, mode: str) -> NDArray[np.uint8] | None:
        """Draw the current state in the given render mode."""
        if mode == "human":
            self._open_window()
        surface, offset = self._paint(load_pygame())
        if mode == "human":
            self._show(surface, offset)
            return None
        return to_pixels(surface)[:, -self.window_size[0] :]

    def _paint(self, pygame: Any) -> tuple[Any, float]:
        """Draw the current state, and return the surface and the horizontal position of the view on it in pixels."""
        raise NotImplementedError

    def _open_window(self) -> None:
        if self._window is None:
            self._window = Window(self.window_size, type(self).__name__)
            self.screen, self.clock = self._window.screen, self._window.clock

    def _show(self, surface: Any, offset: float = 0.0) -> None:
        if self._window is not None:
            self._window.show(surface, self.metadata["render_fps"], offset)

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
            self._window = self.screen = None
            self.isopen = False
