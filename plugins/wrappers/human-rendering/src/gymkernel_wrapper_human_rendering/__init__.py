"""`HumanRendering`: rendered frames in a window."""

from __future__ import annotations

from typing import SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_human_rendering.window import Showing, Window, check, picture

__all__ = ["HumanRendering"]


class HumanRendering(Showing, Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """Show a frame of every reset and step in a window, at the environment's own rate.

    `make` puts it on for `render_mode="human"` where an environment renders arrays and nothing else. Without a screen,
    set the environment variable `SDL_VIDEODRIVER=dummy`.

    Args:
        env: the environment inside, with a render mode of arrays, and `metadata["render_fps"]`.

    Raises:
        ValueError: another render mode, or no rate.

    >>> from gymkernel import Env
    >>> HumanRendering(Env())
    Traceback (most recent call last):
    ValueError: HumanRendering expects an environment with a render_mode of rgb_array, ..., got None
    """

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        Wrapper.__init__(self, env)
        self.metadata = check(self.env)
        self._window = Window(self.metadata["render_fps"])

    screen_size = property(
        lambda self: self._window.size, doc="(width, height) in pixels; None before the first frame."
    )

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode, and show its first frame."""
        result = self.env.reset(seed=seed, options=options)
        self._window.show(picture(self.env.render()))
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once, and show the frame."""
        result = self.env.step(action)
        self._window.show(picture(self.env.render()))
        return result

    def close(self) -> None:
        """Close the window and the environment."""
        self._window.close()
        self.env.close()
