"""`FilterObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_filter_observation import FilterObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["FilterObservation"]


class FilterObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Keep some parts of the observations of every environment, of a `Dict` or a `Tuple`.

    Args:
        env: the vector environment inside.
        filter_keys: the keys of the parts to keep, or their indexes in a Tuple; any iterable. None keeps all, and
            changes nothing.

    Raises:
        TypeError: the single observation space has no parts, or `filter_keys` are no such keys.
        ValueError: a key that is not there, that is given twice, or none at all.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
