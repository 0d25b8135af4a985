"""`RescaleObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_rescale_observation import RescaleObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["RescaleObservation"]


class RescaleObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Map the observations of every environment, of a `Box`, onto other bounds.

    Args:
        env: the vector environment inside.
        min_obs: the lower bounds: a number, or an array of the shape of one observation.
        max_obs: the upper bounds: likewise.

    Raises:
        TypeError: the single observation space is no Box, or a bound no number.
        ValueError: bounds that are crossed, NaN, of another shape, or infinite where the old ones are finite.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
