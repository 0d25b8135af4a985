"""`AddRenderObservation` for vector environments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gymkernel.error import UnsupportedMode
from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_vector.episodes import EpisodeBoundaries
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper
from gymkernel_wrapper_add_render_observation import AddRenderObservation as Single
from gymkernel_wrapper_add_render_observation import PixelObservationWrapper as SinglePixels

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["AddRenderObservation", "PixelObservationWrapper"]


class AddRenderObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Show the rendered frame of every environment instead of the observation, or beside it.

    The vector environment inside is reset once, without a seed, to see how large a frame is.

    Arguments and errors are those of `gymkernel.wrappers.AddRenderObservation`.

    Raises:
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
        _prepare(env, "AddRenderObservation")
        super().__init__(env, render_only, render_key, obs_key)


class PixelObservationWrapper(VectorizedObservationWrapper[dict[str, Any], ActType, Any, ArrayType]):
    """Show the rendered frames of every environment under a key of a dict, alone or beside the observations.

    A name of 2022; `AddRenderObservation` shows the frames by default without a dict around them.

    The vector environment inside is reset once, without a seed, to see how large a frame is.

    Arguments and errors are those of `gymkernel.wrappers.PixelObservationWrapper`; there can be no
    `render_kwargs`, as a vector environment renders without arguments.

    Raises:
        UnsupportedMode: there are `render_kwargs`; or the autoreset mode is SAME_STEP, in which nobody sees the last
            frame of an episode.
    """

    single = SinglePixels

    def __init__(
        self,
        env: VectorEnv[Any, ActType, ArrayType],
        pixels_only: bool = True,
        render_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
        pixel_keys: Iterable[str] = ("pixels",),
    ) -> None:
        if any((render_kwargs or {}).values()):
            raise UnsupportedMode(
                "PixelObservationWrapper cannot render with arguments around a vector environment; wrap each "
                "environment: make_vec(..., wrappers=[partial(PixelObservationWrapper, render_kwargs=...)])"
            )
        _prepare(env, "PixelObservationWrapper")
        super().__init__(env, pixels_only, render_kwargs, pixel_keys)


def _prepare(env: Any, name: str) -> None:
    """Make sure that there is a frame to look at, and that every later one is to be seen."""
    if EpisodeBoundaries.around(env).is_same_step:
        raise UnsupportedMode(
            f"{name} cannot show the last frame of an episode under SAME_STEP, where the next one has begun already; "
            f"wrap each environment: make_vec(..., wrappers=[{name}])"
        )
    if env.render_mode not in {None, "human"}:
        env.reset()
