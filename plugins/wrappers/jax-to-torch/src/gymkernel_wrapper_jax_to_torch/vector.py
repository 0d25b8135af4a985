"""The `JaxToTorch` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import torch

from gymkernel.protocols import VectorEnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.wrappers import VectorConverted

__all__ = ["JaxToTorch"]


class JaxToTorch(VectorConverted):
    """A vector wrapper that lets PyTorch code use a vector environment written in JAX.

    Rewards, terminations and truncations are converted as well. This wrapper must be the outermost wrapper, because
    other vector wrappers expect NumPy arrays.

    The arguments and exceptions are the same as for `gymkernel.wrappers.JaxToTorch`.

    >>> from gymkernel.vector import VectorEnv
    >>> class Zeros(VectorEnv):
    ...     num_envs = 2
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return jnp.zeros((2, 3)), {}
    >>> JaxToTorch(Zeros()).reset()[0]
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """

    def __init__(self, env: VectorEnvLike[Any, Any, Any], device: torch.device | str | None = None) -> None:
        RecordConstructorArgs.__init__(self, device=device if device is None else str(device))
        super().__init__(env, jnp, torch, target_device=device)
        self.device = device
