"""`space_rule`: a rule about spaces, written as a plain function of a space that yields a `Fault` for each defect.

What the rules share is here, too: copies whose generator may be moved, and elements to try. Elements are those that the
space itself contains, so that a space which is wrong about membership is not accused of everything else.
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
from gymkernel_tool_check.definition import Fault, Probe, Skip, first_fault
from gymkernel_tool_check.probes.space_instances import SpaceInstances, quiet, space_instances
from gymkernel_tool_check.probes.trace import is_space
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short, snapshot
from gymkernel_util_spaces.texts import error_text

__all__ = ["SEED", "batched", "copied", "derived", "draws_elements", "elements", "inside"]
__all__ += ["place", "reproducible", "samples"]
__all__ += ["space_rule"]

SpaceCheck = Callable[..., Iterable[Fault]]
SEED: Final = 7
DRAWN: Final = 5
TRIED: Final = 16
NOT_ITS_OWN: Final = (sys.base_prefix, sys.prefix, str(Path(__file__).parents[1]))


def space_rule(function: SpaceCheck, others: str = "") -> SpaceCheck:
    """Let a function of a space end with its first fault, and add a probe that holds the spaces of a target to it.

    Args:
        function: yields a `Fault` for each defect of a space.
        others: "made_twice" if the function also takes the same space, created again; "different" for the other
            spaces of the class.
    """
    first = first_fault(function)

    def judge(subject: Subject) -> list[Fault]:
        return _judge(first, others, subject)

    judge.__module__, judge.__qualname__ = function.__module__, function.__qualname__
    first.probe = Probe(judge, quick=True)  # type: ignore[attr-defined]
    return first


def _judge(function: SpaceCheck, others: str, subject: Subject) -> list[Fault]:
    """What a rule says of the first space that breaks it."""
    tried = subject.get(space_instances)
    spaces = [space for space in tried.spaces if is_space(space)]
    if not spaces:
        raise Skip("there is no space to try (GK700)")
    reasons, broken = [], []
    for k, space in enumerate(spaces):
        subject.at("the space")
        try:
            with subject.catching_exit(), quiet():
                faults = _of(function, space, _others(others, tried, k))
        except Skip as skip:
            reasons.append(str(skip))
            continue
        if faults:
            broken.append((k, faults[0]))
    if len(reasons) == len(spaces):
        raise Skip(reasons[0])
    if not broken:
        return []
    k, fault = broken[0]
    message = fault.message
    if len(spaces) > 1:
        message = f"{_named(spaces[k])}: {message}"
        message += f" ({len(broken)} of the {len(spaces)} spaces tried)" if len(broken) > 1 else ""
    method = getattr(type(spaces[k]), fault.method, None)
    owner = "class" if method is getattr(Space, fault.method, object) else fault.method
    made = tried.programs[k : k + 1]
    show = Program(f"{made[0]}\n{fault.show}") if made else fault.show
    return [replace(fault, message=message, method=owner, show=show)]


def _of(function: SpaceCheck, space: Any, others: list[Any]) -> list[Fault]:
    try:
        return list(function(space, *others))
    except Skip:
        raise
    except Exception as exc:  # noqa: BLE001 - of the space, whatever it is
        name = getattr(function, "__name__", "").replace("_", " ")
        return [Fault(f"it raised {error_text(exc)} (while checking that {name})", place=place(exc))]


def _others(which: str, tried: SpaceInstances, k: int) -> list[Any]:
    if which == "made_twice":
        if tried.made_twice is None:
            raise Skip("needs a second instance; check the class")
        return [tried.made_twice[k]]
    if which == "different":
        if len(tried.spaces) < 2:
            raise Skip("needs several spaces; give the class a classmethod test_instances()")
        return [*tried.spaces[:k], *tried.spaces[k + 1 :]]
    return []


def _named(space: Any) -> str:
    try:
        return short(space)
    except Exception:  # noqa: BLE001 - told as GK724
        return f"a {type(space).__name__}"


def copied(space: Any) -> Any:
    """A copy to draw from; the space itself where it cannot be copied (GK707)."""
    try:
        return copy.deepcopy(space)
    except Exception:  # noqa: BLE001 - told as GK707
        return space


def inside(space: Any, x: Any) -> bool:
    """Whether a space contains a value; what it answers instead of True counts as that, since GK703 tells of it."""
    answer = space.contains(x)
    if isinstance(answer, bool | np.bool_):
        return bool(answer)
    return answer is not None and (np.size(answer) != 1 or bool(answer))


def draws_elements(space: Any) -> bool:
    """Whether samples of a space are elements, so that those of its batch may be; else GK701 tells of it."""
    return all(inside(space, x) for x in samples(copied(space), 3 * DRAWN))


def place(exc: BaseException) -> tuple[str, int] | None:
    """Where an exception comes from, if not from a library or from the check itself."""
    frames = [frame for frame in traceback.extract_tb(exc.__traceback__) if not frame.filename.startswith(NOT_ITS_OWN)]
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


def samples(space: Any, n: int = DRAWN) -> list[Any]:
    """Elements that are drawn, as they were when they were drawn."""
    return [snapshot(space.sample()) for _ in range(n)]


def elements(space: Any, n: int = TRIED) -> list[Any]:
    """Examples and samples that the space contains.

    Raises:
        Skip: there are none.
    """
    twin, found = copied(space), []
    with contextlib.suppress(Exception), quiet():
        twin.seed(SEED)
    for source in (examples, lambda space: iter(samples(space))):
        with contextlib.suppress(Exception), quiet():
            found += [snapshot(x) for x in itertools.islice(source(twin), n) if inside(twin, x)]
    if not found:
        raise Skip("there is no element to test with: the space contains none of its samples (GK701)")
    return found


def reproducible(space: Any) -> None:
    """Raise `Skip` where one seed does not give one sequence of samples, which GK704 tells of."""
    with contextlib.suppress(Exception), quiet():
        twin = copied(space)
        twin.seed(SEED)
        first = samples(twin)
        twin.seed(SEED)
        if difference(first, samples(twin)) is None:
            return
    raise Skip("one seed does not give one sequence of samples (GK704)")


def derived(operation: Callable[..., Any], *arguments: Any) -> Any:
    """What an operation gives; where it is not defined for the space, the rule cannot be checked."""
    try:
        return operation(*arguments)
    except NotImplementedError as exc:
        raise Skip(str(exc)) from exc


def batched(space: Any, n: int = 3) -> tuple[Any, list[Any], Any]:
    """The space of n elements, such elements, and their batch."""
    from gymkernel import ops

    found = elements(space)
    rows = [found[i * (len(found) - 1) // max(n - 1, 1)] for i in range(n)]
    together = derived(ops.batch_space, space, n)
    batch = ops.concatenate(space, rows, ops.create_empty_array(space, n))
    return together, rows, batch
