"""The implementations of gymkernel's operations for Gymnasium's own spaces and third-party subclasses of them.

gymkernel imports this module when an operation is first called with such a space. Each operation calls Gymnasium's own
function, so the results are Gymnasium's spaces and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import gymnasium
from gymnasium.spaces import utils as single
from gymnasium.vector import utils as batched
from gymnasium.wrappers.utils import create_zero_array

from gymkernel import ops
from gymkernel.space import Space as KernelSpace

Space = gymnasium.Space

# If a gymkernel space derives from Gymnasium's `Space`, the function for gymkernel's `Space` or an operation's default
# must take precedence. This line loads the functions that other plugins register for gymkernel's `Space`.
ops.is_registered(ops.flatten, KernelSpace)
for _table in ops.OPERATIONS.values():
    if KernelSpace not in _table.registry:
        _table.register(KernelSpace, _table.miss)

for _name in ("flatdim", "flatten", "unflatten", "flatten_space", "is_space_dtype_shape_equiv"):
    ops.OPERATIONS[_name].register(Space, getattr(single, _name))
for _name in ("batch_space", "iterate", "concatenate", "create_empty_array"):
    ops.OPERATIONS[_name].register(Space, getattr(batched, _name))


@ops.create_zero_array.register(Space)
def _create_zero_array(space: Any) -> Any:
    """Call Gymnasium's function. Convert the error that it raises for third-party spaces to gymkernel's error."""
    try:
        return create_zero_array(space)
    except gymnasium.error.CustomSpaceError as exc:
        raise NotImplementedError(str(exc)) from exc


@ops.batch_differing_spaces.register(Space)
def _batch_differing_spaces(space: Any, spaces: Sequence[Any]) -> Any:
    """Call the function that Gymnasium has registered for the space's class or its nearest base class.

    If there is no such function, return a Tuple.
    """
    known = batched.batch_differing_spaces.registry
    for cls in type(space).__mro__:
        if cls in known and cls is not object:
            return known[cls](spaces)
    return gymnasium.spaces.Tuple([deepcopy(single_space) for single_space in spaces])
