"""The base class of the single environments, which handles resets and rendering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.protocols import Info, ObsType, Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gymkernel_env_toy_text.screen import Painter, Screen

__all__ = ["ToyEnv"]


class ToyEnv(Env[ObsType, "int | np.integer[Any]"]):
    """A base class for the single toy text environments.

    `step` raises InvalidAction if the action is invalid, and ResetNeeded before the first reset.

    Args:
        render_mode: one of `metadata["render_modes"]`, or None.

    Raises:
        UnsupportedMode: if the render mode is not supported.
    """

    def __init__(self, render_mode: str | None) -> None:
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise UnsupportedMode(f"Expected render_mode to be one of {', '.join(modes)}, or None, got {render_mode!r}")
        self.render_mode = render_mode
        self._shown = render_mode == "human"
        self._screen: Screen | None = None

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment. All options are ignored."""
        super().reset(seed=seed)
        result = self._start_episode()
        if self._shown:
            self.render()
        return result

    def _start_episode(self) -> tuple[ObsType, Info]:
        """Sample the initial state, and return the observation and the info."""
        raise NotImplementedError

    def render(self) -> NDArray[np.uint8] | str | None:
        """Render the current state.

        Returns:
            A uint8 array of shape (height, width, 3) in "rgb_array" mode, text in "ansi" mode, or None in "human" mode,
            which opens a window.

        Raises:
            DependencyNotInstalled: if the render mode requires pygame-ce, but it is not installed.
            ResetNeeded: if the environment has not been reset yet.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass one to make, such as render_mode="rgb_array"')
            return None
        if not self._has_state:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self.render_mode == "ansi":
            return self._text()
        if self._screen is None:
            from gymkernel_env_toy_text.screen import Screen

            self._screen = Screen(self._painter())
        if self.render_mode == "rgb_array":
            return self._screen.picture(*self._scene())
        self._screen.show(self.metadata["render_fps"], *self._scene())
        return None

    def close(self) -> None:
        """Close the window."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    @property
    def _has_state(self) -> bool:
        """Return whether the environment has been reset."""
        raise NotImplementedError

    def _text(self) -> str:
        """Return the current state as text."""
        raise NotImplementedError

    def _painter(self) -> Painter:
        """Return the painter that draws scenes of this environment."""
        raise NotImplementedError

    def _scene(self) -> tuple[Any, ...]:
        """Return the current scene, which is passed to the painter's `pieces` method."""
        raise NotImplementedError
