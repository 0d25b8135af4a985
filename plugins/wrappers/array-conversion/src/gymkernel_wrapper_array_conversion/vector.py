"""`ArrayConversion` for vector environments."""

from __future__ import annotations

from gymkernel_util_array_conversion.wrappers import VectorConverted

__all__ = ["ArrayConversion"]


class ArrayConversion(VectorConverted):
    """Use a vector environment that computes with one library of the array API with arrays of another.

    Rewards, terminations and truncations are arrays of the other library, too. Put it on last: other wrappers of vector
    environments compute with NumPy.

    Arguments and errors are those of `gymkernel.wrappers.ArrayConversion`.
    """
