"""The `RenderCollection` wrapper, which collects rendered frames in a list."""

from __future__ import annotations

import copy
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Generics, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper

__all__ = ["Frames", "RenderCollection"]


class Frames(Generics, list[Any]):
    """A list of frames that notebooks display as a video with `fps` frames per second.

    Args:
        *args: the arguments for `list`.
        **kwargs: keyword arguments, which are ignored.
    """

    fps: float = 30.0


class RenderCollection(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that renders a frame after each reset and step. Its `render` method returns a list of these frames.

    Args:
        env: the wrapped environment. Its render mode must return a single frame.
        pop_frames: whether to empty the list when `render` is called.
        reset_clean: whether to empty the list when the environment is reset. If both `pop_frames` and `reset_clean` are
            False, the list grows without limit.

    Raises:
        ValueError: if the environment has no render mode or its render mode already returns a list.

    >>> from gymkernel import Env
    >>> class Film(Env):
    ...     metadata = {"render_modes": ["ansi"]}
    ...     render_mode = "ansi"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         self.time = 0
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return 0, 0.0, False, False, {}
    ...
    ...     def render(self):
    ...         return f"frame {self.time}"
    >>> env = RenderCollection(Film())
    >>> _ = env.reset(), env.step(0), env.step(0)
    >>> env.render(), env.render(), env.render_mode
    (['frame 0', 'frame 1', 'frame 2'], [], 'ansi_list')
    """

    def __init__(self, env: EnvLike[ObsType, ActType], pop_frames: bool = True, reset_clean: bool = True) -> None:
        Wrapper.__init__(self, env)
        mode = self.env.render_mode
        if mode is None or mode.endswith("_list"):
            raise ValueError(
                f"RenderCollection expects a render mode that returns a single frame, such as 'rgb_array', got {mode!r}"
            )
        self.frame_list: list[Any] = self._new_list()
        self.pop_frames, self.reset_clean = pop_frames, reset_clean
        metadata = copy.deepcopy(dict(self.env.metadata))
        modes = list(metadata.get("render_modes", ()))
        metadata["render_modes"] = modes if f"{mode}_list" in modes else [*modes, f"{mode}_list"]
        self.metadata = metadata

    @property
    def render_mode(self) -> str:  # type: ignore[override] # read-only
        """The render mode of the wrapped environment with the suffix `_list`."""
        return f"{self.env.render_mode}_list"

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment, and store the first frame of the episode."""
        result = self.env.reset(seed=seed, options=options)
        if self.reset_clean:
            self.frame_list = self._new_list()
        self.frame_list.append(self.env.render())
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, and store a frame."""
        result = self.env.step(action)
        self.frame_list.append(self.env.render())
        return result

    def _new_list(self) -> list[Any]:
        frames = Frames()
        frames.fps = self.env.metadata.get("render_fps") or Frames.fps
        return frames

    def render(self) -> list[Any]:
        """Return the stored frames, oldest first."""
        frames = self.frame_list
        if self.pop_frames:
            self.frame_list = self._new_list()
        return frames
