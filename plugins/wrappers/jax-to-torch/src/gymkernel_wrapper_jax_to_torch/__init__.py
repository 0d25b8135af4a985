"""The `JaxToTorch` wrapper, which lets PyTorch code use a JAX environment."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import torch

from gymkernel.protocols import EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["Device", "JaxToTorch", "jax_to_torch", "torch_to_jax"]

Device = str | torch.device


class JaxToTorch(Converted):
    """A wrapper that lets PyTorch code use an environment written in JAX.

    Actions are converted to JAX arrays. Observations, infos and frames are converted to PyTorch tensors, without
    copying if DLPack allows it. All other objects in the infos are left unchanged.

    Args:
        device: the device of the tensors, such as "cuda"; None means the device of the environment's arrays.

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
    """Convert JAX arrays, including those in containers, to PyTorch tensors.

    If `device` is None, each array stays on its current device.

    >>> jax_to_torch(jnp.arange(3))
    tensor([0, 1, 2], dtype=torch.int32)
    """
    return array_conversion(value, module_namespace(torch), device)


def torch_to_jax(value: Any, device: Any = None) -> Any:
    """Convert PyTorch tensors, including those in containers, to JAX arrays.

    If `device` is None, each array stays on its current device.

    >>> torch_to_jax(torch.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    return array_conversion(value, module_namespace(jnp), device)
