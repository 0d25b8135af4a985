"""`gymkernel.wrappers.numpy_to_torch`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_wrapper_numpy_to_torch import NumpyToTorch as NumpyToTorch
    from gymkernel_wrapper_numpy_to_torch import numpy_to_torch as numpy_to_torch
    from gymkernel_wrapper_numpy_to_torch import torch_to_numpy as torch_to_numpy

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
