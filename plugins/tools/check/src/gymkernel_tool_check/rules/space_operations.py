"""GK74x and GK75x: rules about flattening elements, combining them into batches and encoding them in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.error import CustomSpaceError, MissingPlugin
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.rules.space_rules import (
    batch_elements,
    call_or_skip,
    draws_elements,
    elements,
    space_rule,
    why_outside,
)
from gymkernel_util_spaces.compare import difference, short, snapshot

BATCH = "rows = [space.sample() for _ in range(3)]\nout = ops.create_empty_array(space, 3)\n"
BATCH += "batch = ops.concatenate(space, rows, out)\n"


def _flattened(space: Any) -> Any:
    """Return the flattened space. Raise `Skip` if flattening is not supported and therefore raises a ValueError."""
    try:
        return call_or_skip(ops.flatten_space, space)
    except ValueError as exc:
        if getattr(space, "is_np_flattenable", False):
            raise
        raise Skip(str(exc)) from exc


@space_rule
def elements_survive_flattening(space: Any) -> Faults:
    """Flatten elements, unflatten the resulting vectors, and compare the results with the elements.

    Why: If an element changes when it is flattened and restored, an agent that uses vectors sees wrong observations,
    and the environment receives wrong actions.
    Fix: Make unflatten the inverse of flatten. If the vector is converted to a wider dtype, unflatten must still return
    the same element.
    """
    _flattened(space)
    show = "x = space.sample()\nprint(x, ops.unflatten(space, ops.flatten(space, x)))"
    for x in elements(space):
        made = ops.unflatten(space, call_or_skip(ops.flatten, space, snapshot(x)))
        if changed := difference(x, made, "the element"):
            yield Fault(changed, "flatten", show=show)
        if why := why_outside(space, made):
            yield Fault(f"the result is not an element: {why}", "unflatten", show=show)


@space_rule
def flattened_elements_are_in_the_flattened_space(space: Any) -> Faults:
    """Compare flattened elements with the results of `flatdim` and `flatten_space`.

    Why: Networks are built with flatdim and flatten_space before any element exists.
    Fix: Use the same length, dtype and bounds in flatdim, flatten_space and flatten.
    """
    flat = _flattened(space)
    for x in elements(space):
        vector = call_or_skip(ops.flatten, space, snapshot(x))
        if getattr(space, "is_np_flattenable", False):
            shape, size = np.shape(vector), ops.flatdim(space)
            if shape != (size,) or flat.shape != (size,):
                show = "print(ops.flatdim(space), ops.flatten_space(space), ops.flatten(space, space.sample()).shape)"
                message = f"flatdim is {size}, flatten_space has shape {flat.shape}, and a vector has shape {shape}"
                yield Fault(message, "flatdim", show=show)
        if why := why_outside(flat, vector):
            show = "print(ops.flatten_space(space).contains(ops.flatten(space, space.sample())))  # False"
            message = f"the flattened form of {short(x)} is not in {short(flat)}: {why}"
            yield Fault(message, "flatten", show=show)


@space_rule
def batches_are_elements_of_the_batched_space(space: Any) -> Faults:
    """Concatenate elements, draw a sample from the batched space, and check that the batched space contains both.

    Why: Buffers are built for the batched space, so the results of a vector environment must be elements of this space.
    Fix: Use the same shape and dtype in batch_space, create_empty_array and concatenate.
    """
    together, _, batch = batch_elements(space)
    tried = [("the batch of elements", batch)]
    tried += [("a sample of the batched space", together.sample())] if draws_elements(space) else []
    for what, x in tried:
        if why := why_outside(together, x):
            show = f"{BATCH}print(ops.batch_space(space, 3).contains(batch))  # False"
            yield Fault(f"{what} is not in {short(together)}: {why}", "sample", show=show)


@space_rule
def iterating_gives_the_elements(space: Any) -> Faults:
    """Concatenate elements, iterate over the batch, and compare the items with the elements.

    Why: Vector environments iterate over a batch of actions to get the action for each environment.
    Fix: For the batched space, register an iterate function that reverses concatenate.
    """
    together, rows, batch = batch_elements(space)
    show = f"{BATCH}print(rows, list(ops.iterate(ops.batch_space(space, 3), batch)))"
    made = list(ops.iterate(together, batch))
    if changed := difference(rows, made, "the elements"):
        yield Fault(changed, "iterate", show=show)
    elif why := next(filter(None, (why_outside(space, x) for x in made)), ""):
        yield Fault(f"an item of the iteration is not an element: {why}", "iterate", show=show)


@space_rule
def batches_go_where_they_should(space: Any) -> Faults:
    """Compare the result of `concatenate` with the arrays that were created for the batch.

    Why: Vector environments write the results of every step into the same arrays. If concatenate creates new arrays,
    the original ones stay empty.
    Fix: In create_empty_array, create arrays with the dtype and the shape of the batch. In concatenate, fill the given
    arrays.
    """
    rows = (elements(space) * 3)[:3]
    out = ops.create_empty_array(space, 3)
    batch = ops.concatenate(space, rows, out)
    for message in _misplaced(out, batch, "the batch"):
        yield Fault(message, "create_empty_array", show=f"{BATCH}print(batch is out)")


def _misplaced(out: Any, batch: Any, path: str) -> Iterator[str]:
    if isinstance(out, np.ndarray) and out.shape[:1] == (3,) and out.dtype != object:
        if not isinstance(batch, np.ndarray):
            yield f"{path} is a {type(batch).__name__}, but an array was created for it"
        elif (batch.dtype, batch.shape) != (out.dtype, out.shape):
            yield f"{path} is {batch.dtype} {batch.shape}, but the array created for it is {out.dtype} {out.shape}"
        elif out.size and not np.shares_memory(out, batch):
            yield f"{path} is a new array; the array created for it was not filled"
    elif isinstance(out, dict) and isinstance(batch, dict):
        for key, part in out.items():
            yield from _misplaced(part, batch.get(key), f"{path}[{key!r}]")
    elif isinstance(out, tuple) and isinstance(batch, tuple):
        for i, (part, other) in enumerate(zip(out, batch, strict=False)):
            yield from _misplaced(part, other, f"{path}[{i}]")


@space_rule
def it_is_equivalent_to_itself(space: Any) -> Faults:
    """Call is_space_dtype_shape_equiv with the same space as both arguments.

    Why: Vector environments call this operation for every pair of spaces, including equal spaces.
    Fix: In is_space_dtype_shape_equiv, return True if the elements of both spaces fit into the same arrays, otherwise
    False.
    """
    try:
        answer = call_or_skip(ops.is_space_dtype_shape_equiv, space, space)
    except Skip as skip:
        if ops.layout(space) is None:
            raise
        raise AssertionError(str(skip)) from skip
    if not isinstance(answer, bool | np.bool_) or not answer:
        show = "print(ops.is_space_dtype_shape_equiv(space, space))"
        yield Fault(f"expected is_space_dtype_shape_equiv to return True, got {short(answer)}", show=show)


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
            if why := why_outside(space, made):
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
