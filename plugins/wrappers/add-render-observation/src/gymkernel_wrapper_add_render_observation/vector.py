"""`AddRenderObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.error import UnsupportedMode
from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import AutoresetMode, VectorObservationForm
from gymkernel_wrapper_add_render_observation import AddRenderObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["AddRenderObservation"]


class AddRenderObservation(VectorObservationForm[Any, ActType, Any, ArrayType]):
    """Show the rendered frame of every environment instead of the observation, or beside it.

    The vector environment inside is reset once, without a seed, to see how large a frame is.

    Args:
        env: the vector environment inside, with a render mode whose frames are arrays, such as "rgb_array".
        render_only: whether the frame is the observation; otherwise a dict has both. Observations of a `Dict` get one
            more key then.
        render_key: the key of the frame.
        obs_key: the key of the observation, where it is not a dict itself.

    Raises:
        ValueError: the render mode is None or "human", or the key of the frame is taken.
        TypeError: `render` returns no arrays.
        UnsupportedMode: the autoreset mode is SAME_STEP, in which nobody sees the last frame of an episode.
    """

    single = Single

    def __init__(
        self,
        env: VectorEnv[Any, ActType, ArrayType],
        render_only: bool = True,
        render_key: str = "pixels",
        obs_key: str = "state",
    ) -> None:
        mode = env.metadata.get("autoreset_mode")
        if getattr(mode, "value", mode) == AutoresetMode.SAME_STEP.value:
            message = (
                "AddRenderObservation cannot show the last frame of an episode under SAME_STEP, where the next one has "
                "begun already; wrap each environment: make_vec(..., wrappers=[AddRenderObservation])"
            )
            raise UnsupportedMode(message)
        if env.render_mode not in {None, "human"}:
            env.reset()
        super().__init__(env, render_only, render_key, obs_key)
