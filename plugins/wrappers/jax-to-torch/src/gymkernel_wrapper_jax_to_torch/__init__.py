"""`JaxToTorch`: tensors of torch around an environment of JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import torch

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike

__all__ = ["Device", "JaxToTorch", "jax_to_torch", "torch_to_jax"]

Device = str | torch.device


class JaxToTorch(Converted):
    """Use an environment that computes with JAX with tensors of torch.

    Actions become arrays of JAX; observations, infos and frames become tensors of torch, without a copy where DLPack
    allows it. What an info holds besides arrays and numbers stays as it is.

    Args:
        device: where the tensors shall be, such as "cuda"; None for where the environment computes.

    >>> from gymkernel import Env
    >>> class Zeros(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return jnp.zeros(2), {}
    >>> JaxToTorch(Zeros()).reset()
    (tensor([0., 0.]), {})
    """

    def __init__(self, env: EnvLike[Any, Any], device: torch.device | str | None = None) -> None:
        RecordConstructorArgs.__init__(self, device=device if device is None else str(device))
        super().__init__(env, jnp, torch, target_device=device)
        self.device = device


def jax_to_torch(value: Any, device: Any = None) -> Any:
    """Arrays of JAX, and what holds them, as tensors of torch.

    `device` says where they shall be; None leaves them where they are.

    >>> jax_to_torch(jnp.arange(3))
    tensor([0, 1, 2], dtype=torch.int32)
    """
    return array_conversion(value, module_namespace(torch), device)


def torch_to_jax(value: Any, device: Any = None) -> Any:
    """Tensors of torch, and what holds them, as arrays of JAX.

    `device` says where they shall be; None leaves them where they are.

    >>> torch_to_jax(torch.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(jnp), device)
