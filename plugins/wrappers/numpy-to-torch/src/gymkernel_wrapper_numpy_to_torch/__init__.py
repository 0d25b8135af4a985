"""The `NumpyToTorch` wrapper, which lets PyTorch code use a NumPy environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gymkernel.protocols import EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_array_conversion.conversion import array_conversion, module_namespace
from gymkernel_util_array_conversion.wrappers import Converted

__all__ = ["Device", "NumpyToTorch", "numpy_to_torch", "torch_to_numpy"]

Device = str | torch.device


class NumpyToTorch(Converted):
    """A wrapper that lets PyTorch code use an environment that uses NumPy.

    Actions are converted to NumPy arrays. Observations, infos and frames are converted to PyTorch tensors, without
    copying if DLPack allows it. All other objects in the infos are left unchanged.

    Args:
        device: the device of the tensors, such as "cuda"; None means the device of the environment's arrays.

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
    """Convert NumPy arrays, including those in containers, to PyTorch tensors.

    If `device` is None, each array stays on its current device.

    >>> numpy_to_torch(np.arange(3))
    tensor([0, 1, 2])
    """
    return array_conversion(value, module_namespace(torch), device)


def torch_to_numpy(value: Any, device: Any = None) -> Any:
    """Convert PyTorch tensors, including those in containers, to NumPy arrays.

    If `device` is None, each array stays on its current device.

    >>> torch_to_numpy(torch.arange(3))
    array([0, 1, 2])
    """
    return array_conversion(value, module_namespace(np), device)
