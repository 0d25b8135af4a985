"""GK319, GK320 and GK321: rules about the contents of infos."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gymkernel import ops
from gymkernel.infos import batch_infos
from gymkernel_tool_check.definition import Faults, first_fault
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.masks import KEY, Mask
from gymkernel_tool_check.probes.trace import Call, Trace, action_space
from gymkernel_tool_check.rules.outputs import fault, good_calls, parts_of, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch
from gymkernel_util_spaces.texts import error_text

SEVERAL: Final = 200


@first_fault
def infos_are_pickled(subject: Subject, trace: Trace) -> Faults:
    """Pickle the infos that reset and step return, including the info of the last step of an episode.

    Why: The workers of a vector environment send infos to the main process, and replay buffers are saved together with
    the infos.
    Fix: Put only plain data, such as numbers, strings and arrays, into infos. Leave out lambdas, locks and simulator
    handles.
    """
    calls = [call for call in trace.good if is_a(call.info, dict)]
    for call in [*calls[:SEVERAL], *(call for call in calls[SEVERAL:] if call.ended or call.method == "reset")]:
        for key, value in call.info.items():
            if is_a(value, bool | int | float | str | np.ndarray | None):
                continue
            try:
                pickle.dumps(value)
            except Exception as exc:  # noqa: BLE001 - a value may raise any exception
                error = error_text(exc, 100)
                message = f"info[{key!r}] of {stamp(trace, call)} is {short(value)}, which cannot be pickled: {error}"
                yield fault(trace, call, message, f"pickle.dumps(info[{key!r}])")


@first_fault
def outputs_are_batched(subject: Subject, trace: Trace) -> Faults:
    """Batch pairs of infos and pairs of observations, as vector environments do.

    Arrays with the same info key must have the same shape.

    Why: A vector environment fails, often late in a run, when two infos contain arrays of different shapes under the
    same key.
    Fix: Always use the same type and shape for an info key. If a value is missing, use NaN, -1 or a mask.
    """
    calls = [(run, call) for run, call in good_calls(subject) if is_a(call.info, dict)][: 10 * SEVERAL]
    seen: dict[str, tuple[Any, Call]] = {}
    for run, call in calls:
        for path, value in parts_of(call.info_kept, "info", dict):
            seen_type, (before, earlier) = _array_type(value), seen.setdefault(path, (_array_type(value), call))
            if seen_type != before and None not in {seen_type, before}:
                message = f"{path} is {seen_type} at {stamp(run, call)}, and was {before} at {earlier.when}: "
                message += "the infos of two environments do not fit into one array"
                found = fault(run, call, message, f"print(repr({path}))")
                grows = str(before).startswith("an array") and str(seen_type).startswith("an array")
                yield replace(found, severity="warning") if grows else found
    yield from _pairs(trace, calls)


def _array_type(value: Any) -> str | None:
    """Return the type of a value as text, or None if a batch of values of this type would be an object array."""
    if is_a(value, np.ndarray) and value.dtype.kind in "biufc":
        return f"an array of shape {value.shape}"
    if is_a(value, str):
        return "a string"
    return "a number" if is_a(value, bool | int | float | np.number | np.bool_) else None


def _pairs(trace: Trace, calls: list[tuple[Trace, Call]]) -> Faults:
    space = read(trace.env, "observation_space", None)
    picked = [pair for pair in calls if pair[1].step in {0, 1} or pair[1].ended][:SEVERAL]
    for (_, a), (run, b) in itertools.pairwise(picked):
        try:
            batch = batch_infos([(0, a.info_kept), (1, b.info_kept)], 2)
        except Exception as exc:  # noqa: BLE001 - a value may raise any exception
            message = f"the infos of {a.when} and of {stamp(run, b)} cannot be batched: {error_text(exc)}"
            yield fault(run, b, message, "from gymkernel.infos import batch_infos\nbatch_infos([(0, info)], 1)")
        for key in b.info_kept:
            if is_a(key, str) and key.startswith("_") and key[1:] in batch:
                message = f"info[{key!r}] of {stamp(run, b)} is lost in a batch, where this key holds the mask of "
                yield fault(run, b, f"{message}{key[1:]!r}", "print(list(info))")
        if space is None or mismatch(space, a.kept) or mismatch(space, b.kept):
            continue
        try:
            ops.concatenate(space, (a.kept, b.kept), ops.create_empty_array(space, 2))
        except Exception as exc:  # noqa: BLE001 - a third-party space may raise any exception
            message = f"the observations of {a.when} and of {stamp(run, b)} cannot be batched: {error_text(exc)}"
            yield fault(run, b, message, "print(observation)")


@first_fault
def masks_fit(subject: Subject, trace: Trace) -> Faults:
    """Check every action mask that is in the info or the observation, or that the method `action_masks` returns.

    Why: A mask of the wrong size forbids the wrong actions. A mask that contains only zeros forbids all actions, so
    sampling fails.
    Fix: Return a numpy.int8 array of zeros and ones with one element per action and at least one 1. If the action space
    consists of several choices, return a tuple of such arrays.
    """
    space = None
    for run, call in good_calls(subject):
        if call.mask is None:
            continue
        space = action_space(trace.env) if space is None else space
        if found := _mask_fault(space, call.mask, call):
            last = f"mask = {call.mask.show}\nprint(mask, env.action_space)"
            place = f"{KEY} in the {call.mask.where}" if call.mask.where != "method" else "action_masks()"
            yield fault(run, call, f"the mask {place} of {stamp(run, call)} {found}", last)


def _mask_fault(space: Any, mask: Mask, call: Call) -> str | None:
    flags, sizes = mask.flags, _sizes(space)
    if sizes is None:
        return None  # masks for this kind of space have a different structure
    dtype, wrong = getattr(mask.value, "dtype", flags.dtype), ~np.isin(flags, (0, 1))
    problem = None
    if flags.dtype.kind not in "biuf" or flags.size != sum(sizes):
        problem = f"has {flags.size} elements, but {space} has {sum(sizes)} values"
    elif wrong.any():
        problem = f"has {flags[wrong][0]} as element {int(np.argmax(wrong))}; expected 0 or 1"
    elif flags.dtype.kind == "f":
        problem = f"has the dtype {dtype}; expected numpy.int8"
    elif not call.ended and not all(part.any() for part in np.split(flags, np.cumsum(sizes)[:-1])):
        problem = "is all zeros: no action is legal, but the episode continues"
    elif mask.where == "info" and not call.ended and is_a(mask.value, np.ndarray | tuple):
        problem = _problem(space, mask.value)
    return problem


def _sizes(space: Any) -> list[int] | None:
    """Return the number of values for each choice in a discrete space, or None if the space is not discrete."""
    n: Any = getattr(space, "n", None)
    nvec: Any = getattr(space, "nvec", None)
    if is_a(nvec, np.ndarray):
        return [int(size) for size in nvec.ravel()]
    if is_a(n, int | np.integer) and getattr(space, "shape", ()) in {(), None}:
        return [int(n)]
    return None


def _problem(space: Any, value: Any) -> str | None:
    try:
        space.sample(value)
    except TypeError:
        return None  # sample does not accept a mask
    except Exception as exc:  # noqa: BLE001 - a third-party space may raise any exception
        dtype = getattr(value, "dtype", type(value).__name__)
        return f"({dtype}) is rejected by action_space.sample(mask): {error_text(exc, 120)}"
    return None
