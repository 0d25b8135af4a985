"""Squares as `**` computes them.

The C library's `pow(x, 2)`, which `x**2` is for a Python float and for a NumPy scalar, differs from the product
`x * x`, which `array**2` is, in the last bit of about one result in a thousand. Where one environment computes with
powers, an array of them has to do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PRODUCT", "SQUARE", "squared"]

FEW = 160
"""Up to so many numbers, a list of Python's is squared before NumPy has found those where the two may differ."""
DOUBTFUL = 0.45
"""A C library's power is within 0.55 units in the last place, so that it may differ from the product, which is within
0.5, only where rounding the product took more than this."""
SPLIT = 2.0**27 + 1


def squared(x: NDArray[Any]) -> NDArray[Any]:
    """The squares of finite numbers, each as `**` of a scalar of its type computes it.

    Args:
        x: float32 or float64; other types of floats are squared one by one.

    >>> x = np.linspace(-3, 3, 1001)
    >>> squared(x).tolist() == [number**2 for number in x.tolist()]
    True
    """
    if x.ndim != 1:
        return squared(x.ravel()).reshape(x.shape)
    if x.dtype == np.float64 and x.size <= FEW:
        return np.array([number**2 for number in x.tolist()])
    if x.dtype not in {np.dtype(np.float32), np.dtype(np.float64)}:
        return np.array([number**2 for number in x], x.dtype)
    product: NDArray[Any] = x * x
    error = _error(x, product)
    np.abs(error, out=error)
    error /= np.spacing(product)
    (doubtful,) = (error > DOUBTFUL).nonzero()
    scalars = x[doubtful]
    product[doubtful] = [one**2 for one in (scalars.tolist() if x.dtype == np.float64 else scalars)]
    return product


class Exponent:
    """The exponent 2 of equations that arrays run: the power of an array is what a function returns.

    Args:
        function: returns the squares of an array.
    """

    __array_ufunc__ = None  # leaves the power to `__rpow__`

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __rpow__(self, x: Any) -> Any:
        return self._function(x)


SQUARE = Exponent(squared)
"""Squares as numbers have them."""
PRODUCT = Exponent(np.square)
"""Squares as NumPy has them, which take less time."""


def _error(x: NDArray[Any], product: NDArray[Any]) -> NDArray[Any]:
    """What rounding took from the products, exactly (Dekker, "A floating-point technique", 1971)."""
    if x.dtype == np.float32:
        wide = x.astype(np.float64)
        wide *= wide
        wide -= product
        return wide
    high = SPLIT * x
    high -= high - x
    low = x - high
    error = high * high
    error -= product
    high *= 2.0
    high *= low
    error += high
    low *= low
    error += low
    return error
