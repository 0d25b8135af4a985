"""Functions that square arrays and give exactly the same results as squaring each element as a scalar.

For a Python float or a NumPy scalar, `x**2` is `pow(x, 2)` from the C library. For an array, `x**2` is the product `x *
x`. For about one number in a thousand, the two results differ in the last bit. If a single environment computes `x**2`
of a scalar, its vector version must compute exactly the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PRODUCT", "SQUARE", "squares"]

FEW = 160
"""The maximum number of values for which squaring Python floats is faster than squaring an array."""
DOUBTFUL = 0.45
"""The rounding error of a product, in units in the last place, above which `pow` may differ from the product.

The error of a C library's `pow` is at most 0.55 units, whereas the error of a product is at most 0.5 units.
"""
SPLIT = 2.0**27 + 1


def squares(x: NDArray[Any]) -> NDArray[Any]:
    """Return the squares of finite numbers. Each square is equal to that of a scalar of the same type.

    Args:
        x: a float array. If its dtype is neither float32 nor float64, the elements are squared one by one.

    >>> x = np.linspace(-3, 3, 1001)
    >>> squares(x).tolist() == [number**2 for number in x.tolist()]
    True
    """
    if x.ndim != 1:
        return squares(x.ravel()).reshape(x.shape)
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
    product[doubtful] = [scalar**2 for scalar in (scalars.tolist() if x.dtype == np.float64 else scalars)]
    return product


class Exponent:
    """A substitute for the exponent 2. For an array, `array**exponent` calls a given function.

    Args:
        function: a function that returns the squares of an array.
    """

    __array_ufunc__ = None  # makes NumPy call `__rpow__`

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __rpow__(self, x: Any) -> Any:
        return self._function(x)


SQUARE = Exponent(squares)
"""An exponent of 2 that gives exactly the same results for arrays as for scalars."""
PRODUCT = Exponent(np.square)
"""An exponent of 2 that multiplies arrays by themselves, which is faster."""


def _error(x: NDArray[Any], product: NDArray[Any]) -> NDArray[Any]:
    """Return the exact rounding errors of products (Dekker, "A floating-point technique", 1971)."""
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
