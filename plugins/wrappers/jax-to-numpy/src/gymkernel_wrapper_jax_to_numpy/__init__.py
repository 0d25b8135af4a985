"""`JaxToNumpy`: NumPy arrays around an environment of JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike

__all__ = ["JaxToNumpy", "jax_to_numpy", "numpy_to_jax"]


class JaxToNumpy(Converted):
    """Use an environment that computes with JAX with NumPy arrays.

    Actions become arrays of JAX; observations, infos and frames become NumPy arrays, without a copy where DLPack
    allows it. What an info holds besides arrays and numbers stays as it is.

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
    """Arrays of JAX, and what holds them, as NumPy arrays.

    `device` says where they shall be; None leaves them where they are.

    >>> jax_to_numpy(jnp.arange(3))
    array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(np), device)


def numpy_to_jax(value: Any, device: Any = None) -> Any:
    """NumPy arrays, and what holds them, as arrays of JAX.

    `device` says where they shall be; None leaves them where they are.

    >>> numpy_to_jax(np.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(jnp), device)
