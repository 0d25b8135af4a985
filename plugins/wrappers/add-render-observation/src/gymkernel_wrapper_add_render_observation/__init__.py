"""`AddRenderObservation`: what a person would see, as an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ObservationWrapper
from gymkernel.protocols import ActType
from gymkernel.spaces import Box, Dict
from gymkernel.utils import RecordConstructorArgs
from gymkernel.vector.utils import lead
from gymkernel.wrappers.utils import parts_of

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike

__all__ = ["AddRenderObservation"]


class AddRenderObservation(ObservationWrapper[Any, ActType, Any], RecordConstructorArgs):
    """Show the rendered frame instead of the observation, or beside it.

    The environment inside is reset once, without a seed, to see how large a frame is.

    Args:
        env: the environment inside, with a render mode whose frames are arrays, such as "rgb_array".
        render_only: whether the frame is the observation; otherwise a dict has both. Observations of a `Dict` get one
            more key then.
        render_key: the key of the frame.
        obs_key: the key of the observation, where it is not a dict itself.

    Raises:
        ValueError: the render mode is None or "human", or the key of the frame is taken.
        TypeError: `render` returns no array.

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

    def __init__(
        self,
        env: EnvLike[Any, ActType],
        render_only: bool = True,
        render_key: str = "pixels",
        obs_key: str = "state",
    ) -> None:
        if env.render_mode in {None, "human"}:
            message = (
                f"AddRenderObservation expects a render mode whose frames are arrays, got {env.render_mode!r}; make "
                'the environment with render_mode="rgb_array"'
            )
            raise ValueError(message)
        RecordConstructorArgs.__init__(self, render_only=render_only, render_key=render_key, obs_key=obs_key)
        ObservationWrapper.__init__(self, env)
        self.render_only, self.render_key = render_only, render_key
        self.obs_key: str | None = obs_key
        pixels = _frame_space(env)
        parts = parts_of(env.observation_space)
        if render_only:
            self.observation_space = pixels
        elif isinstance(parts, dict):
            if render_key in parts:
                message = f"AddRenderObservation expects a render_key that is free, got {render_key!r} of {list(parts)}"
                raise ValueError(message)
            keeps = getattr(env.observation_space, "sort_keys", True)
            self.observation_space, self.obs_key = Dict({render_key: pixels, **parts}, sort_keys=keeps), None
        else:
            self.observation_space = Dict({obs_key: env.observation_space, render_key: pixels})

    def observation(self, observation: Any) -> Any:
        """The frame, or a dict with the observation and the frame; or batches of them."""
        frame = self.env.render()
        if self.render_only:
            return frame
        if self.obs_key is None:
            return {self.render_key: frame, **observation}
        return {self.obs_key: observation, self.render_key: frame}


def _frame_space(env: Any) -> Box[Any]:
    """The space of one frame."""
    several = lead(env)
    if not several:
        env.reset()
    frame = env.render()
    if not isinstance(frame, np.ndarray):
        message = (
            f"AddRenderObservation expects render to return an array, got {type(frame).__name__} in the render mode "
            f"{env.render_mode!r}"
        )
        raise TypeError(message)
    return Box(0, 255, frame.shape[len(several) :], np.uint8)
