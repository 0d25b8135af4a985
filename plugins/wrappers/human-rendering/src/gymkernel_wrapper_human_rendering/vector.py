"""The `HumanRendering` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, VectorEnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_wrapper_human_rendering.window import Showing, Window, check, grid, picture, tile

__all__ = ["HumanRendering"]


class HumanRendering(Showing, VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """A vector wrapper that renders all environments after each reset and step, and shows the frames in a window.

    Args:
        env: the wrapped vector environment. Its render mode must return arrays, and its `metadata["render_fps"]` must
            be set to the frame rate.
        screen_size: the (width, height) of the window in pixels, or None to use the size of a single frame.

    Raises:
        ValueError: if the render mode does not return arrays or `metadata["render_fps"]` is missing.

    >>> import os
    >>> import numpy as np
    >>> os.environ["SDL_VIDEODRIVER"] = "dummy"  # only needed without a screen
    >>> from gymkernel.vector import VectorEnv
    >>> class Dark(VectorEnv):
    ...     num_envs = 2
    ...     metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2), {}
    ...
    ...     def render(self):
    ...         return tuple(np.zeros((40, 60, 3), np.uint8) for _ in range(2))
    >>> envs = HumanRendering(Dark(), screen_size=(120, 40))
    >>> _ = envs.reset()
    >>> envs.num_rows, envs.num_cols
    (1, 2)
    >>> envs.close()
    """

    def __init__(
        self, env: VectorEnvLike[ObsType, ActType, ArrayType], screen_size: tuple[int, int] | None = None
    ) -> None:
        size = None if screen_size is None else (int(screen_size[0]), int(screen_size[1]))
        RecordConstructorArgs.__init__(self, screen_size=size)
        VectorWrapper.__init__(self, env)
        self.metadata = check(self.env)
        self.screen_size = size
        self.num_rows: int | None = None
        self.num_cols: int | None = None
        self.scaled_subenv_size: tuple[int, int] | None = None
        """The (width, height) of a frame in the window, or None if no frame has been shown yet."""
        self._window = Window(self.metadata["render_fps"])

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environments, and show their frames."""
        results = self.env.reset(seed=seed, options=options)
        self._show()
        return results

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments, and show their frames."""
        results = self.env.step(actions)
        self._show()
        return results

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments that the mask selects, and show the frames of all environments."""
        results = self.env.step_masked(actions, mask)
        self._show()
        return results

    def _show(self) -> None:
        frames = self.env.render() or ()
        if (
            self.scaled_subenv_size is None
            or self.screen_size is None
            or self.num_rows is None
            or self.num_cols is None
        ):
            height, width, _ = picture(frames[0]).shape
            self.screen_size = screen = self.screen_size or (width, height)
            self.num_rows, self.num_cols = grid(len(frames), (width, height), screen)
            scale = min(screen[0] / (self.num_cols * width), screen[1] / (self.num_rows * height))
            self.scaled_subenv_size = max(1, int(width * scale)), max(1, int(height * scale))
        self._window.show(tile(frames, self.screen_size, self.num_cols, self.scaled_subenv_size))

    def close(self, **kwargs: Any) -> None:
        """Close the window and the vector environment."""
        self._window.close()
        self.env.close(**kwargs)
