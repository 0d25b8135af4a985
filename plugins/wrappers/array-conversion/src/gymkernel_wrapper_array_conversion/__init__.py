"""`ArrayConversion`, which connects an environment to code that uses a different array library."""

from __future__ import annotations

from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["ArrayConversion"]


class ArrayConversion(Converted):
    """A wrapper that makes an environment written for one array-API library usable with another library.

    Actions and options are converted to the environment's library. Observations, infos and frames are converted to the
    caller's library, without copying if DLPack allows it. Other objects in an info dictionary are left unchanged.
    Rewards become floats, and `terminated` and `truncated` become bools.

    Args:
        env_xp: the environment's library: the module that creates arrays (`numpy`, `torch`, `jax.numpy`), or its name.
        target_xp: the caller's library, as a module or a name.
        env_device: the device to which actions are moved; None leaves actions on their device.
        target_device: the device to which observations are moved; None leaves observations on their device.

    Raises:
        ValueError: if a module does not implement the array API.

    >>> import numpy as np
    >>> from gymkernel import Env
    >>> class Zeros(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2), {}
    >>> ArrayConversion(Zeros(), "numpy", "numpy").reset()
    (array([0., 0.]), {})
    """
