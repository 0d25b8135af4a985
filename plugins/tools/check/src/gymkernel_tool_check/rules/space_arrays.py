"""GK75x: rules about encoding elements of a space in arrays and in shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.error import CustomSpaceError, MissingPlugin
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.rules.space_rules import batch_elements, elements, is_element, space_rule
from gymkernel_util_spaces.compare import difference, short, snapshot
from gymkernel_util_spaces.membership import explain

__all__ = ["decoded_elements_stand_alone", "elements_survive_shared_memory", "elements_survive_their_layout"]

ENCODE = "x = space.sample()\narrays = [np.zeros(f.shape, f.dtype) for f in space.layout()]\n"
ENCODE += "space.encode(x, arrays)\n"


def _arrays(space: Any) -> list[Any]:
    fields = ops.layout(space)
    if fields is None:
        raise Skip("the space has no layout")
    return [np.zeros(field.shape, field.dtype) for field in fields]


@space_rule
def elements_survive_their_layout(space: Any) -> Faults:
    """Encode elements into new arrays and into reused arrays, decode them, and compare the results with the originals.

    Why: In shared memory, elements are stored in the arrays that the layout describes, and each element overwrites the
    previous one.
    Fix: Choose a layout that represents every element without loss, and make sure that encode writes everything that
    decode reads.
    """
    used = _arrays(space)
    for x in elements(space):
        for arrays, how in ((_arrays(space), ""), (used, " in arrays that previously held another element")):
            space.encode(snapshot(x), arrays)
            made = space.decode(arrays)
            if changed := difference(x, made, "the element"):
                yield Fault(f"{changed}{how}", "encode", show=f"{ENCODE}print(x, space.decode(arrays))")
            if not is_element(space, made):
                why = explain(space, made) or short(made)
                show = f"{ENCODE}print(space.contains(space.decode(arrays)))  # False"
                yield Fault(f"the decoded value is not an element: {why}", "decode", show=show)


@space_rule
def decoded_elements_stand_alone(space: Any) -> Faults:
    """Decode an element, overwrite the arrays, and check that the decoded element has not changed.

    Why: The next step writes into the same arrays, so elements that share memory with them would change.
    Fix: Copy the data in decode: arrays[0].copy().
    """
    for x in elements(space):
        arrays = _arrays(space)
        space.encode(snapshot(x), arrays)
        made = space.decode(arrays)
        before = snapshot(made)
        for array in arrays:
            raw = array.reshape(-1).view(np.uint8)
            raw[...] = ~raw
        if changed := difference(before, made, "the element"):
            show = f"{ENCODE}made = space.decode(arrays)\nbefore = str(made)\narrays[0][...] = 0\nprint(before, made)"
            yield Fault(f"a decoded element changed when the arrays changed: {changed}", "decode", show=show)


@space_rule
def elements_survive_shared_memory(space: Any) -> Faults:
    """Write elements into shared memory, iterate over the batch, and compare the items with the elements.

    Why: Asynchronous vector environments send observations through shared memory.
    Fix: Correct the layout, or the functions that are registered for the shared-memory operations of this space.
    """
    together, rows, batch = batch_elements(space)
    if difference(rows, list(ops.iterate(together, batch))) is not None:
        raise Skip("iterating over a batch does not yield its elements (GK744)")
    try:
        memory = ops.create_shared_memory(space, 3)
    except CustomSpaceError as exc:
        raise Skip("the elements of the space have no fixed size") from exc
    except MissingPlugin as exc:
        raise Skip(str(exc)) from exc
    show = "rows = [space.sample() for _ in range(3)]\nmemory = ops.create_shared_memory(space, 3)\n"
    show += "for i, x in enumerate(rows):\n    ops.write_to_shared_memory(space, i, x, memory)\n"
    show += "print(rows, ops.read_from_shared_memory(space, memory, 3))"
    for i, x in enumerate(rows):
        ops.write_to_shared_memory(space, i, snapshot(x), memory)
    made = list(ops.iterate(together, ops.read_from_shared_memory(space, memory, 3)))
    if changed := difference(rows, made, "the elements"):
        yield Fault(changed, "class", show=show)
