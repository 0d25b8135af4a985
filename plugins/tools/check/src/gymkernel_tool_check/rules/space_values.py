"""GK72x: rules about the equality, the hash, the text and the JSON form of a space."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from gymkernel import plugins
from gymkernel.space import Space
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.rules.space_rules import copy_of, elements, place_of, space_rule, why_outside
from gymkernel_util_spaces.compare import difference, short, snapshot
from gymkernel_util_spaces.texts import error_text

UNEQUAL: Any = object.__eq__
FOREIGN = (None, 3, "space", object(), ())


def _twin(space: Any) -> Any:
    twin = copy_of(space)
    if twin is space:
        raise Skip("the space cannot be copied (GK707)")
    return twin


@space_rule
def copies_are_equal(space: Any) -> Faults:
    """Compare the space with itself, with a copy in both orders, and with objects of other types.

    Why: Vector backends compare the spaces of their environments, which are often pickled copies of each other.
    Fix: In __eq__, compare everything that defines the space, but not its generator. Return NotImplemented for other
    types.
    """
    twin = _twin(space)
    for text, left, right in (
        ("space == space", space, space),
        ("space == twin", space, twin),
        ("twin == space", twin, space),
    ):
        show = f"twin = copy.deepcopy(space)\nprint({text}, space != twin)  # True False"
        if not left == right or left != right:  # noqa: SIM201 - both operators are tested
            what = "itself" if left is right else "its copy"
            how = "; it has no __eq__" if type(space).__eq__ is UNEQUAL else ""
            yield Fault(f"the space is not equal to {what}{how}", "__eq__", show=show)
    for foreign in FOREIGN:
        if space == foreign or not space != foreign:  # noqa: SIM202 - both operators are tested
            show = f"print(space == {foreign!r})" if type(foreign) is not object else "print(space == object())"
            yield Fault(f"the space is equal to {short(foreign)}", "__eq__", show=show)


@partial(space_rule, others="different")
def different_spaces_differ(space: Any, *others: Any) -> Faults:
    """Compare the space with the other test instances of the class.

    Why: If different spaces are equal, vector backends do not notice the difference between environments, and try to
    batch elements that do not fit together.
    Fix: In __eq__, compare everything that defines the space: bounds, sizes, dtypes and inner spaces.
    """
    for other in others:
        if space == other:
            show = "print([space == other for other in type(space).test_instances()])  # True once"
            yield Fault(f"the space is equal to {short(other)}", "__eq__", show=show)


@space_rule
def equal_spaces_hash_alike(space: Any) -> Faults:
    """Compare the hashes of the space and an equal copy.

    Why: If equal spaces have different hashes, a dictionary or a set may contain the same space twice.
    Fix: Set __hash__ = None, or compute the hash from the values that __eq__ compares.
    """
    twin = _twin(space)
    if not space == twin:
        raise Skip("the space is not equal to its copy (GK721)")
    try:
        found = hash(space), hash(space), hash(twin)
    except TypeError:
        return
    if len(set(found)) > 1:
        show = "print(hash(space) == hash(copy.deepcopy(space)))  # False"
        message = f"the space is equal to its copy, but the hashes are {found[0]} and {found[-1]}"
        yield Fault(message, "__hash__", show=show)


@space_rule
def space_is_shown(space: Any) -> Faults:
    """Call `repr` and `str`, and the method for notebooks if there is one.

    Why: Error messages contain the repr of the space. If repr raises an exception, it hides the original error.
    Fix: In __repr__, return a string that shows what defines the space, such as Interval(0, 1).
    """
    ways: list[tuple[str, Callable[[Any], Any]]] = [("repr(space)", repr), ("str(space)", str)]
    if callable(getattr(space, "_repr_html_", None)):
        ways.append(("space._repr_html_()", lambda space: space._repr_html_()))
    for text, show in ways:
        try:
            shown = show(space)
        except Exception as exc:  # noqa: BLE001 - any exception is a defect
            message = f"{text} raised {error_text(exc)}"
            yield Fault(message, "__repr__", show=f"print({text})", place=place_of(exc))
        if not isinstance(shown, str) or not shown:
            yield Fault(f"{text} returned {shown!r}", "__repr__", show=f"print({text})")


@space_rule
def elements_survive_json(space: Any) -> Faults:
    """Convert elements to JSON with `to_jsonable`, restore them with `from_jsonable`, and compare the results.

    Why: Recorded episodes and datasets store elements as JSON.
    Fix: In to_jsonable, return lists, numbers and strings. In from_jsonable, create elements from them.
    """
    if not callable(getattr(space, "to_jsonable", None)):
        raise Skip("the space has no method to_jsonable")
    kept = elements(space)
    cls = type(space)
    inherited = cls.to_jsonable is Space.to_jsonable and cls.from_jsonable is Space.from_jsonable
    severity = "warning" if inherited else None
    show = "kept = [space.sample() for _ in range(5)]\ntext = json.dumps(space.to_jsonable(kept))\n"
    show += "print(kept, space.from_jsonable(json.loads(text)))"
    why = "to_jsonable and from_jsonable of Space support numbers and arrays only: " if inherited else ""
    try:
        made = list(space.from_jsonable(json.loads(json.dumps(space.to_jsonable(snapshot(kept))))))
    except Exception as exc:  # noqa: BLE001 - any exception is a defect
        message = f"{why}{error_text(exc)}"
        yield Fault(message, "to_jsonable", show=show, place=place_of(exc), severity=severity)
    changed = difference(kept, made, "the elements")
    outside = next(filter(None, (why_outside(space, x) for x in made)), "")
    if changed or outside:
        message = f"{why}{changed or f'the result is not an element: {outside}'}"
        yield Fault(message, "from_jsonable", show=show, severity=severity)


@space_rule
def space_survives_its_description(space: Any) -> Faults:
    """Convert the space to JSON with `space_to_spec`, restore it with `space_from_spec`, and compare the result.

    Why: Datasets and model files store spaces as JSON.
    Fix: In to_spec(), return everything that from_spec() needs to create an equal space.
    """
    from gymkernel_util_spaces.descriptions import space_from_spec, space_to_spec

    if reason := _undescribed(space):
        raise Skip(reason)
    spec = json.loads(json.dumps(space_to_spec(space)))
    made = space_from_spec(spec)
    if not made == space:  # noqa: SIM201 - `!=` may be defined differently
        show = "from gymkernel.spaces.utils import space_from_spec, space_to_spec\n"
        show += "print(space_from_spec(space_to_spec(space)), space)"
        message = f"the description {short(spec['space'])} creates {short(made)}, which is not equal to the space"
        yield Fault(message, "to_spec", show=show)


def _undescribed(space: Any) -> str:
    """Return the reason why a space does not need a description, or "" if it should have one."""
    cls = type(space)
    if not isinstance(space, Space) or cls.to_spec is Space.to_spec:
        return f"{cls.__name__} has no to_spec"
    for plugin in plugins.providers("spaces", cls.__name__):
        with contextlib.suppress(ImportError):
            if plugin.load() is cls:
                return next(filter(None, (_undescribed(part) for _, part in space.parts())), "")
    return f"no installed distribution offers {cls.__name__} as an entry point of that name"
