"""The `JaxToNumpy` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from gymkernel.protocols import VectorEnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.wrappers import VectorConverted

__all__ = ["JaxToNumpy"]


class JaxToNumpy(VectorConverted):
    """A vector wrapper that lets NumPy code use a vector environment written in JAX.

    Rewards, terminations and truncations are converted as well. This wrapper must be the outermost wrapper, because
    other vector wrappers expect NumPy arrays.

    The arguments and exceptions are the same as for `gymkernel.wrappers.JaxToNumpy`.

    >>> from gymkernel.vector import VectorEnv
    >>> class Zeros(VectorEnv):
    ...     num_envs = 2
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return jnp.zeros((2, 3)), {}
    >>> JaxToNumpy(Zeros()).reset()[0]
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """

    def __init__(self, env: VectorEnvLike[Any, Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env, jnp, np)
