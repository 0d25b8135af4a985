"""`NumpyToTorch`: tensors of torch around an environment of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike

__all__ = ["Device", "NumpyToTorch", "numpy_to_torch", "torch_to_numpy"]

Device = str | torch.device


class NumpyToTorch(Converted):
    """Use an environment that computes with NumPy with tensors of torch.

    Actions become NumPy arrays; observations, infos and frames become tensors of torch, without a copy where DLPack
    allows it. What an info holds besides arrays and numbers stays as it is.

    Args:
        device: where the tensors shall be, such as "cuda"; None for where the environment computes.

    >>> from gymkernel import Env
    >>> class Zeros(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2), {}
    >>> NumpyToTorch(Zeros()).reset()
    (tensor([0., 0.], dtype=torch.float64), {})
    """

    def __init__(self, env: EnvLike[Any, Any], device: torch.device | str | None = None) -> None:
        RecordConstructorArgs.__init__(self, device=device if device is None else str(device))
        super().__init__(env, np, torch, target_device=device)
        self.device = device


def numpy_to_torch(value: Any, device: Any = None) -> Any:
    """NumPy arrays, and what holds them, as tensors of torch.

    `device` says where they shall be; None leaves them where they are.

    >>> numpy_to_torch(np.arange(3))
    tensor([0, 1, 2])
    """
    return array_conversion(value, module_namespace(torch), device)


def torch_to_numpy(value: Any, device: Any = None) -> Any:
    """Tensors of torch, and what holds them, as NumPy arrays.

    `device` says where they shall be; None leaves them where they are.

    >>> torch_to_numpy(torch.arange(3))
    array([0, 1, 2])
    """
    return array_conversion(value, module_namespace(np), device)
