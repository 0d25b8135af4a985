"""`ArrayConversion`: arrays of one library around an environment of another."""

from __future__ import annotations

from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["ArrayConversion"]


class ArrayConversion(Converted):
    """Use an environment that computes with one library of the array API with arrays of another.

    Actions and options are converted to the environment's library, observations, infos and frames to the other, without
    a copy where DLPack allows it; what an info holds besides arrays and numbers stays as it is. Rewards become float,
    flags bool.

    Args:
        env_xp: its library: the module that makes arrays (`numpy`, `torch`, `jax.numpy`), or its name.
        target_xp: the other library.
        env_device: where the environment wants its actions; None for where they are.
        target_device: where observations shall be; None for where they are.

    Raises:
        ValueError: a module makes no arrays of the array API.

    >>> import numpy as np
    >>> from gymkernel import Env
    >>> class Zeros(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2), {}
    >>> ArrayConversion(Zeros(), "numpy", "numpy").reset()
    (array([0., 0.]), {})
    """
