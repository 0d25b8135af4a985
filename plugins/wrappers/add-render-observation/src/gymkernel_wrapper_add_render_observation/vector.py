"""The `AddRenderObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.error import UnsupportedMode
from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_vector.episodes import EpisodeBoundaries
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_add_render_observation import AddRenderObservation as Single
from gymkernel_wrapper_add_render_observation import PixelObservationWrapper as SinglePixels

__all__ = ["AddRenderObservation", "PixelObservationWrapper"]


class AddRenderObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that replaces observations with rendered frames or adds the frames to observations.

    The wrapped vector environment is reset once, without a seed, to determine the frame size.

    The arguments and exceptions are the same as for `gymkernel.wrappers.AddRenderObservation`.

    Raises:
        UnsupportedMode: if the autoreset mode is SAME_STEP, in which the last frame of an episode cannot be rendered.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 2, "sync", render_mode="rgb_array")  # doctest: +SKIP
    >>> envs = AddRenderObservation(envs)  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 400, 600, 3)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None:
        _prepare(env, "AddRenderObservation")


class PixelObservationWrapper(VectorizedObservationWrapper[dict[str, Any], ActType, Any, ArrayType]):
    """A vector wrapper that returns a dictionary of rendered frames, with or without the original observations.

    This class has the name and signature that Gymnasium used in 2022. Its replacement, `AddRenderObservation`,
    returns the frames without a dictionary by default. The wrapped vector environment is reset once, without a seed, to
    determine the frame size.

    The arguments and exceptions are the same as for `gymkernel.wrappers.PixelObservationWrapper`. `render_kwargs` must
    be empty, because the `render` method of a vector environment takes no arguments.

    Raises:
        UnsupportedMode: if `render_kwargs` is not empty, or if the autoreset mode is SAME_STEP, in which the last frame
            of an episode cannot be rendered.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 2, "sync", render_mode="rgb_array")  # doctest: +SKIP
    >>> envs = PixelObservationWrapper(envs)  # doctest: +SKIP
    >>> envs.reset(seed=7)[0]["pixels"].shape  # doctest: +SKIP
    (2, 400, 600, 3)
    """

    single = SinglePixels

    @parameters_of(SinglePixels)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None:
        _prepare(env, "PixelObservationWrapper")


def _prepare(env: Any, name: str) -> None:
    """Check the autoreset mode, and reset the environments so that frames can be rendered."""
    if EpisodeBoundaries.around(env).is_same_step:
        raise UnsupportedMode(
            f"{name} cannot show the last frame of an episode in SAME_STEP mode, which has begun the next episode; "
            f"wrap each environment: make_vec(..., wrappers=[{name}])"
        )
    if env.render_mode not in {None, "human"}:
        env.reset()
