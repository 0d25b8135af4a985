"""`gymkernel.wrappers.jax_to_numpy`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_wrapper_jax_to_numpy import JaxToNumpy as JaxToNumpy
    from gymkernel_wrapper_jax_to_numpy import jax_to_numpy as jax_to_numpy
    from gymkernel_wrapper_jax_to_numpy import numpy_to_jax as numpy_to_jax

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
