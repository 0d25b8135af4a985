"""Operations on Gymnasium's own spaces: loaded by gymkernel when it first meets one, subclasses of third parties too.

Each is Gymnasium's function for that space, so that what comes back are Gymnasium's spaces and values.
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

# A space of gymkernel may derive from Gymnasium's `Space`: what is registered for gymkernel's `Space` is found first,
# or the default of a table where nothing is. What other plugins register for that class has to be there before.
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
    """As in Gymnasium; a space of a third party, alone or inside another, has none, as gymkernel says it."""
    try:
        return create_zero_array(space)
    except gymnasium.error.CustomSpaceError as exc:
        raise NotImplementedError(str(exc)) from exc


@ops.batch_differing_spaces.register(Space)
def _batch_differing_spaces(space: Any, spaces: Sequence[Any]) -> Any:
    """By the class of the space or the nearest base that Gymnasium knows; a tuple of all where it knows none."""
    known = batched.batch_differing_spaces.registry
    for cls in type(space).__mro__:
        if cls in known and cls is not object:
            return known[cls](spaces)
    return gymnasium.spaces.Tuple([deepcopy(one) for one in spaces])
