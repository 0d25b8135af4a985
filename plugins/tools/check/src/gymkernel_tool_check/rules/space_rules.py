"""`space_rule`, which turns a function into a rule about spaces, and functions that such rules share.

The shared functions copy spaces, so that a rule does not advance the generator of the original. They also provide the
elements to test. Values that the space itself does not contain are not used as elements. Otherwise, every rule would
report a wrong `contains`.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from gymkernel.space import Space, examples
from gymkernel_tool_check.definition import Fault, Skip, first_fault
from gymkernel_tool_check.probes.space_instances import SpaceInstances, quiet, space_instances
from gymkernel_tool_check.probes.trace import is_space
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short, snapshot
from gymkernel_util_spaces.membership import explain
from gymkernel_util_spaces.texts import error_text

__all__ = ["SEED", "batch_elements", "call_or_skip", "copy_of", "draw_samples", "draws_elements", "elements"]
__all__ += ["is_element", "place_of", "require_reproducible", "space_rule", "why_outside"]

SpaceCheck = Callable[..., Iterable[Fault]]
SEED: Final = 7
SAMPLE_COUNT: Final = 5
ELEMENT_COUNT: Final = 16
LIBRARIES: Final = (sys.base_prefix, sys.prefix, str(Path(__file__).parents[1]))


def space_rule(function: SpaceCheck, others: str = "") -> SpaceCheck:
    """Turn a function that checks one space into a rule that checks all spaces of a target, up to the first fault.

    Args:
        function: a function that yields a `Fault` for each defect of a space.
        others: "made_twice" if the function also takes an equal second instance, "different" if it also takes the other
            test instances of the class, or "" if it takes only the space.
    """
    first = first_fault(function)

    def for_all_spaces(subject: Subject, _seen: None) -> list[Fault]:
        tried = subject.get(space_instances)
        spaces = [space for space in tried.spaces if is_space(space)]
        if not spaces:
            raise Skip("no space can be tested (GK700)")
        reasons, broken = [], []
        for k, space in enumerate(spaces):
            subject.at("the space")
            try:
                with subject.catching_exit(), quiet():
                    broken += [(k, fault) for fault in first(space, *_others(others, tried, k))]
            except Skip as skip:
                reasons.append(str(skip))
            except Exception as exc:  # noqa: BLE001 - a third-party space may raise any exception
                verified = f"while the check verified that {function.__name__.replace('_', ' ')}"
                broken.append((k, Fault(f"the space raised {error_text(exc)} {verified}", place=place_of(exc))))
        if len(reasons) == len(spaces):
            raise Skip(reasons[0])
        return [_describe(tried, spaces, *broken[0], len(broken))] if broken else []

    first.for_all_spaces = for_all_spaces  # type: ignore[attr-defined]
    return first


def _describe(tried: SpaceInstances, spaces: list[Any], k: int, fault: Fault, count: int) -> Fault:
    """Add to a fault which space breaks the rule, how many spaces do so, and how to create the space."""
    message = fault.message
    if len(spaces) > 1:
        message = f"{short(spaces[k])}: {message}"
        message += f" ({count} of the {len(spaces)} spaces tried)" if count > 1 else ""
    method = getattr(type(spaces[k]), fault.method, None)
    owner = "class" if method is getattr(Space, fault.method, object) else fault.method
    made = tried.programs[k : k + 1]
    show = Program(f"{made[0]}\n{fault.show}") if made else fault.show
    return replace(fault, message=message, method=owner, show=show)


def _others(which: str, tried: SpaceInstances, k: int) -> list[Any]:
    if which == "made_twice":
        if tried.made_twice is None:
            raise Skip("a second instance is needed; check the class")
        return [tried.made_twice[k]]
    if which == "different":
        if len(tried.spaces) < 2:
            raise Skip("several spaces are needed; give the class a classmethod test_instances()")
        return [*tried.spaces[:k], *tried.spaces[k + 1 :]]
    return []


def copy_of(space: Any) -> Any:
    """Return a copy of a space to draw samples from, or the space itself if it cannot be copied (GK707)."""
    try:
        return copy.deepcopy(space)
    except Exception:  # noqa: BLE001 - GK707 reports the exception
        return space


def is_element(space: Any, x: Any) -> bool:
    """Return whether a space contains a value. A result that is not a bool, which GK703 reports, is converted."""
    answer = space.contains(x)
    if isinstance(answer, bool | np.bool_):
        return bool(answer)
    return answer is not None and (np.size(answer) != 1 or bool(answer))


def why_outside(space: Any, x: Any) -> str:
    """Explain why a space does not contain a value. Return "" if the space contains the value."""
    return "" if is_element(space, x) else explain(space, x) or "contains returned False"


def draws_elements(space: Any) -> bool:
    """Return whether a space contains its own samples. GK701 reports spaces that do not."""
    return all(is_element(space, x) for x in draw_samples(copy_of(space), 3 * SAMPLE_COUNT))


def place_of(exc: BaseException) -> tuple[str, int] | None:
    """Return the file and line that raised an exception, unless the line is in a library or in the checker itself."""
    frames = [frame for frame in traceback.extract_tb(exc.__traceback__) if not frame.filename.startswith(LIBRARIES)]
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


def draw_samples(space: Any, n: int = SAMPLE_COUNT) -> list[Any]:
    """Draw samples, copying each of them before the next one is drawn."""
    return [snapshot(space.sample()) for _ in range(n)]


def elements(space: Any, n: int = ELEMENT_COUNT) -> list[Any]:
    """Return those examples and samples of a space that the space contains.

    Raises:
        Skip: if the space contains none of them.
    """
    twin, found = copy_of(space), []
    with contextlib.suppress(Exception), quiet():
        twin.seed(SEED)
    for source in (examples, lambda space: iter(draw_samples(space))):
        with contextlib.suppress(Exception), quiet():
            found += [snapshot(x) for x in itertools.islice(source(twin), n) if is_element(twin, x)]
    if not found:
        raise Skip("the space contains none of its samples, so no element can be tested (GK701)")
    return found


def require_reproducible(space: Any) -> None:
    """Raise `Skip` if the same seed gives different samples, which GK704 reports."""
    with contextlib.suppress(Exception), quiet():
        twin = copy_of(space)
        twin.seed(SEED)
        first = draw_samples(twin)
        twin.seed(SEED)
        if difference(first, draw_samples(twin)) is None:
            return
    raise Skip("the same seed gives different samples (GK704)")


def call_or_skip(operation: Callable[..., Any], *arguments: Any) -> Any:
    """Call an operation. Raise `Skip` if it is not defined for the space."""
    try:
        return operation(*arguments)
    except NotImplementedError as exc:
        raise Skip(str(exc)) from exc


def batch_elements(space: Any, n: int = 3) -> tuple[Any, list[Any], Any]:
    """Return the batched space for n elements, a list of n elements, and a batch of these elements."""
    from gymkernel import ops

    found = elements(space)
    rows = [found[i * (len(found) - 1) // max(n - 1, 1)] for i in range(n)]
    together = call_or_skip(ops.batch_space, space, n)
    batch = ops.concatenate(space, rows, ops.create_empty_array(space, n))
    return together, rows, batch
