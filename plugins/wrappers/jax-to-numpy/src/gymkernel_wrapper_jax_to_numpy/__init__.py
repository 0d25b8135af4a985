"""The `JaxToNumpy` wrapper, which lets NumPy code use a JAX environment."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from gymkernel.protocols import EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["JaxToNumpy", "jax_to_numpy", "numpy_to_jax"]


class JaxToNumpy(Converted):
    """A wrapper that lets NumPy code use an environment written in JAX.

    Actions are converted to JAX arrays. Observations, infos and frames are converted to NumPy arrays, without copying
    if DLPack allows it. All other objects in the infos are left unchanged.

    >>> from gymkernel import Env
    >>> class Zeros(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return jnp.zeros(2), {}
    >>> JaxToNumpy(Zeros()).reset()
    (array([0., 0.], dtype=float32), {})
    """

    def __init__(self, env: EnvLike[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env, jnp, np)


def jax_to_numpy(value: Any, device: Any = None) -> Any:
    """Convert JAX arrays, including those in containers, to NumPy arrays.

    If `device` is None, each array stays on its current device.

    >>> jax_to_numpy(jnp.arange(3))
    array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(np), device)


def numpy_to_jax(value: Any, device: Any = None) -> Any:
    """Convert NumPy arrays, including those in containers, to JAX arrays.

    If `device` is None, each array stays on its current device.

    >>> numpy_to_jax(np.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(jnp), device)
