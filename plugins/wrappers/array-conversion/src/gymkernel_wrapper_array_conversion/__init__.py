"""The `ArrayConversion` wrapper, which converts arrays between an environment's array library and the caller's."""

from __future__ import annotations

from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["ArrayConversion"]


class ArrayConversion(Converted):
    """A wrapper that lets code written for one array library use an environment written for another library.

    Both libraries must implement the array API. Actions and options are converted to the environment's library.
    Observations, infos and frames are converted to the caller's library, without copying if DLPack allows it. All other
    objects in the infos are left unchanged. Rewards become floats, and `terminated` and `truncated` become bools.

    Args:
        env_xp: the environment's library, which is a module (`numpy`, `torch`, `jax.numpy`) or the name of a module.
        target_xp: the caller's library, which is a module or the name of a module.
        env_device: the device to which actions are moved, or None to leave them on their device.
        target_device: the device to which observations are moved, or None to leave them on their device.

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
