"""The `AddRenderObservation` wrapper, which uses rendered frames as observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from gymkernel.error import UnsupportedMode
from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_util_wrappers.checks import parts_of
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["AddRenderObservation", "PixelObservationWrapper"]

STATE: Final = "state"
"""The default key of an original observation that is not a dictionary."""


class AddRenderObservation(ObservationWrapper[Any, ActType, Any], RecordConstructorArgs):
    """A wrapper that replaces the observation with the rendered frame, or adds the frame to the observation.

    The wrapped environment is reset once, without a seed, to determine the frame size.

    Args:
        env: the wrapped environment. Its render mode must return arrays, as "rgb_array" does.
        render_only: whether to replace the observation with the frame. Otherwise, the wrapper returns a dictionary that
            contains the observation and the frame. If the observation is already a dictionary, the frame is added to
            the dictionary.
        render_key: the key of the frame.
        obs_key: the key of the original observation. This argument is ignored if the observation is a dictionary.

    Raises:
        ValueError: if the render mode is None or "human", or if observations already contain `render_key`.
        TypeError: if `render` does not return an array.

    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     observation_space = Box(-1.0, 1.0)
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(1, np.float32), {}
    ...
    ...     def render(self):
    ...         return np.zeros((4, 6, 3), np.uint8)
    >>> env = AddRenderObservation(Dark())
    >>> env.observation_space, env.reset()[0].shape
    (Box(0, 255, (4, 6, 3), uint8), (4, 6, 3))
    """

    batched = True
    _is_dict = True
    """Whether observations of the wrapped environment are dictionaries."""

    def __init__(
        self,
        env: EnvLike[Any, ActType],
        render_only: bool = True,
        render_key: str = "pixels",
        obs_key: str = STATE,
    ) -> None:
        ObservationWrapper.__init__(self, env)
        _require_frames(env, "AddRenderObservation")
        self.render_only, self.render_key = render_only, render_key
        self.obs_key = obs_key
        pixels = _frame_space(env, "AddRenderObservation", {})
        parts = parts_of(env.observation_space)
        if render_only:
            self.observation_space = pixels
        elif isinstance(parts, dict):
            if render_key in parts:
                message = f"AddRenderObservation expects an unused render_key, got {render_key!r} of {list(parts)}"
                raise ValueError(message)
            keeps = getattr(env.observation_space, "sort_keys", True)
            self.observation_space = Dict({render_key: pixels, **parts}, sort_keys=keeps)
        else:
            self._is_dict = False
            self.observation_space = Dict({obs_key: env.observation_space, render_key: pixels})

    def observation(self, observation: Any) -> Any:
        """Return the frame or a dictionary of the observation and the frame, or a batch if the argument is a batch."""
        frame = self.env.render()
        if self.render_only:
            return frame
        if self._is_dict:
            return {self.render_key: frame, **observation}
        return {self.obs_key: observation, self.render_key: frame}

    func = property(lambda self: self.observation, doc="An alias of `observation`.")


class PixelObservationWrapper(ObservationWrapper[dict[str, Any], ActType, Any], RecordConstructorArgs):
    """A wrapper that returns a dictionary of rendered frames, with or without the original observation.

    This class has the name and signature that Gymnasium used in 2022. Its replacement, `AddRenderObservation`,
    returns a single frame, by default without a dictionary. The wrapped environment is reset once, without a seed, to
    determine the frame size.

    Args:
        env: the wrapped environment. Its render mode must return arrays, as "rgb_array" does.
        pixels_only: whether to return only the frames. Otherwise, the entries of a `Dict` observation are included
            under their own keys, and any other observation is included under the key "state".
        render_kwargs: a dictionary that maps the key of a frame to the keyword arguments for rendering this frame. The
            arguments are passed to the innermost environment, because the `render` method of a wrapper has no
            parameters.
        pixel_keys: the keys of the frames.

    Raises:
        ValueError: if the render mode is None or "human", if `pixel_keys` is empty or contains a key that is repeated
            or already used, or if `render_kwargs` has an unknown key.
        TypeError: if `render` does not return an array.

    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     observation_space = Box(-1.0, 1.0)
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(1, np.float32), {}
    ...
    ...     def render(self, zoom=1):
    ...         return np.zeros((4 * zoom, 6 * zoom, 3), np.uint8)
    >>> PixelObservationWrapper(Dark()).reset()[0]["pixels"].shape
    (4, 6, 3)
    >>> env = PixelObservationWrapper(Dark(), False, {"near": {"zoom": 2}}, ("far", "near"))
    >>> {key: space.shape for key, space in env.observation_space.items()}
    {'far': (4, 6, 3), 'near': (8, 12, 3), 'state': (1,)}
    """

    batched = True

    def __init__(
        self,
        env: EnvLike[Any, ActType],
        pixels_only: bool = True,
        render_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
        pixel_keys: Iterable[str] = ("pixels",),
    ) -> None:
        ObservationWrapper.__init__(self, env)
        name, keys, arguments = "PixelObservationWrapper", tuple(pixel_keys), dict(render_kwargs or {})
        _require_frames(env, name)
        if isinstance(pixel_keys, str) or not keys or len({*keys}) < len(keys):
            raise ValueError(f"{name} expects pixel_keys to contain one or more different keys, got {pixel_keys!r}")
        if others := [key for key in arguments if key not in keys]:
            raise ValueError(f"{name} expects render_kwargs for keys in pixel_keys, {list(keys)}, got {others}")
        RecordConstructorArgs.__init__(self, pixels_only=pixels_only, render_kwargs=arguments, pixel_keys=keys)
        if batch_axes(env) and any(arguments.values()):
            raise UnsupportedMode(
                f"{name} does not support render_kwargs for vector environments; wrap each environment: "
                f"make_vec(..., wrappers=[partial({name}, render_kwargs=...)])"
            )
        self.pixels_only, self.pixel_keys = pixels_only, keys
        self.render_kwargs = {key: dict(arguments.get(key, {})) for key in keys}
        parts = parts_of(env.observation_space)
        self._is_dict = isinstance(parts, dict)
        kept: dict[str, Any] = {}
        if not pixels_only:
            kept = dict(parts) if isinstance(parts, dict) else {STATE: env.observation_space}
        if taken := [key for key in keys if key in kept]:
            raise ValueError(f"{name} expects unused pixel_keys, got {taken}, but {list(kept)} are in use")
        frames = {key: _frame_space(env, name, kwargs) for key, kwargs in self.render_kwargs.items()}
        self.observation_space = Dict({**kept, **frames}, sort_keys=getattr(env.observation_space, "sort_keys", True))

    def observation(self, observation: Any) -> dict[str, Any]:
        """Return a dictionary (or a batch) of the frames and, unless `pixels_only` is set, the observation."""
        frames = {key: _frame(self.env, kwargs) for key, kwargs in self.render_kwargs.items()}
        if self.pixels_only:
            return frames
        return {**observation, **frames} if self._is_dict else {STATE: observation, **frames}


def _require_frames(env: Any, name: str) -> None:
    """Check that the environment renders arrays, and reset it so that a frame can be rendered."""
    if env.render_mode in {None, "human"}:
        raise ValueError(
            f"{name} expects a render mode that returns arrays, got {env.render_mode!r}; make the environment with "
            'render_mode="rgb_array"'
        )
    if not batch_axes(env):
        env.reset()


def _frame(env: Any, kwargs: Mapping[str, Any]) -> Any:
    return env.unwrapped.render(**kwargs) if kwargs else env.render()


def _frame_space(env: Any, name: str, kwargs: Mapping[str, Any]) -> Box[Any]:
    """Return the space of the frames. The space of floating-point frames, such as depth images, is unbounded."""
    frame = _frame(env, kwargs)
    if not isinstance(frame, np.ndarray):
        raise TypeError(
            f"{name} expects render to return an array, got {type(frame).__name__} in render mode {env.render_mode!r}"
        )
    shape = frame.shape[len(batch_axes(env)) :]
    if np.issubdtype(frame.dtype, np.floating):
        return Box(-np.inf, np.inf, shape, frame.dtype)
    return Box(0, 255, shape, np.uint8)
