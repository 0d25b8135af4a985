"""The `HumanRendering` wrapper, which shows rendered frames in a window."""

from __future__ import annotations

from typing import SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_human_rendering.window import Showing, Window, check, picture

__all__ = ["HumanRendering"]


class HumanRendering(Showing, Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that renders a frame after each reset and step, and shows the frames in a window.

    `make` adds this wrapper if `render_mode="human"` is requested and the environment can only render arrays. If no
    display is available, set the environment variable `SDL_VIDEODRIVER=dummy`.

    Args:
        env: the wrapped environment. Its render mode must return arrays, and its `metadata["render_fps"]` must be set
            to the frame rate.

    Raises:
        ValueError: if the render mode does not return arrays or `metadata["render_fps"]` is missing.

    >>> import os
    >>> import numpy as np
    >>> os.environ["SDL_VIDEODRIVER"] = "dummy"  # only needed without a screen
    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def render(self):
    ...         return np.zeros((40, 60, 3), np.uint8)
    >>> env = HumanRendering(Dark())
    >>> _ = env.reset()
    >>> env.render_mode, env.screen_size
    ('human', (60, 40))
    >>> env.close()
    """

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        Wrapper.__init__(self, env)
        self.metadata = check(self.env)
        self._window = Window(self.metadata["render_fps"])

    screen_size = property(
        lambda self: self._window.size,
        doc="The (width, height) of the window in pixels, or None before the first frame.",
    )

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment, and show the first frame of the episode."""
        result = self.env.reset(seed=seed, options=options)
        self._window.show(picture(self.env.render()))
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, and show a frame."""
        result = self.env.step(action)
        self._window.show(picture(self.env.render()))
        return result

    def close(self) -> None:
        """Close the window and the environment."""
        self._window.close()
        self.env.close()
