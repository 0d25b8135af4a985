"""`gymkernel.wrappers.jax_to_torch`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_wrapper_jax_to_torch import JaxToTorch as JaxToTorch
    from gymkernel_wrapper_jax_to_torch import jax_to_torch as jax_to_torch
    from gymkernel_wrapper_jax_to_torch import torch_to_jax as torch_to_jax

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
