"""The `ArrayConversion` wrapper for vector environments."""

from __future__ import annotations

from gymkernel_util_array_conversion.wrappers import VectorConverted

__all__ = ["ArrayConversion"]


class ArrayConversion(VectorConverted):
    """A vector wrapper that lets code written for one array library use environments written for another library.

    Rewards, terminations and truncations are converted as well. This wrapper must be the outermost wrapper, because
    other vector wrappers expect NumPy arrays.

    The arguments and exceptions are the same as for `gymkernel.wrappers.ArrayConversion`.

    >>> import numpy as np
    >>> from gymkernel.vector import VectorEnv
    >>> class Zeros(VectorEnv):
    ...     num_envs = 2
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros((2, 3)), {}
    >>> ArrayConversion(Zeros(), "numpy", "numpy").reset()[0]
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
