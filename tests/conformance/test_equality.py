"""Test that a space's `==` lets an object of another class decide, and that such an object is unequal by default."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from tests.cases import every_case

from gymkernel import Space, plugins
from gymkernel.spaces import Dict, Discrete, Graph, OneOf, Sequence, Tuple

KINDS = [name for name in plugins.names("spaces") if issubclass(plugins.get("spaces", name), Space)]
UNRELATED: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "a text": "Discrete(3)",
    "a tuple": (),
    "a dict": {},
    "an object": object(),
    "an array": np.zeros(3),
    "an empty array": np.zeros(0),
    "a number of NumPy": np.float32(3),
    "a class": Space,
}
ANSWERS: dict[str, Callable[[Any, Any], Any]] = {"==": operator.eq, "!=": operator.ne}
NESTS: dict[str, Callable[[Any], Any]] = {
    "list": lambda space: [space],
    "tuple": lambda space: (space,),
    "dict": lambda space: {"a": space},
    "Tuple": lambda space: Tuple((Discrete(2), space)),
    "Dict": lambda space: Dict(a=space),
    "OneOf": lambda space: OneOf([space]),
    "Sequence": Sequence,
    "Graph, nodes": lambda space: Graph(space, None),
    "Graph, edges": lambda space: Graph(Discrete(2), space),
    "a Dict in a Tuple in a list": lambda space: [Tuple((Dict(a=space),))],
}


def instances(kind: str) -> list[Any]:
    return list(plugins.get("spaces", kind).test_instances())


class Foreign(Space[Any]):
    """A third-party space whose `__eq__` returns a fixed result."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer, self.compared = answer, list[Any]()

    def __eq__(self, other: object) -> bool:
        self.compared.append(other)
        return self.answer  # type: ignore[no-any-return]

    __hash__ = None  # type: ignore[assignment]

    def draw(self) -> int:
        return 0

    def contains(self, x: Any) -> bool:
        return isinstance(x, int)


@pytest.mark.parametrize("kind", KINDS)
def test_space_equals_an_object_that_equals_everything(kind: str) -> None:
    for space in instances(kind):
        assert space == ANY
        assert ANY == space  # noqa: SIM300 - both orders are tested
        assert not space != ANY  # noqa: SIM202 - both operators are tested
        assert [space, {"a": space}] == [ANY, {"a": ANY}]


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_other_object_decides_about_equality(kind: str, answer: bool) -> None:
    for space in instances(kind):
        foreign = Foreign(answer)
        assert (space == foreign) is answer
        assert (space != foreign) is not answer
        assert foreign.compared == [space, space]


@pytest.mark.parametrize("sign", ANSWERS)
@pytest.mark.parametrize("kind", KINDS)
def test_undecided_objects_differ(kind: str, sign: str) -> None:
    others = {**UNRELATED, "a space that does not decide": Foreign(NotImplemented)}
    for space in instances(kind):
        for name, other in others.items():
            assert ANSWERS[sign](space, other) is (sign == "!="), name


@pytest.mark.parametrize("kind", KINDS)
def test_spaces_of_different_kinds_differ(kind: str) -> None:
    others = [space for other in KINDS if other != kind for space in instances(other)]
    for space in instances(kind):
        assert not any(space == other or other == space for other in others)
        assert all(space != other and other != space for other in others)


@pytest.mark.parametrize("kind", KINDS)
def test_subclass_with_its_own_equality_decides(kind: str) -> None:
    for space in instances(kind):
        other = next(type(space).test_instances())
        other.__class__ = type("Own", (type(space),), {"__eq__": lambda *_: True, "__hash__": None})
        assert space == other


@pytest.mark.parametrize("kind", KINDS)
def test_nested_spaces_are_compared_alike(kind: str) -> None:
    with every_case() as case:
        for nest, make in NESTS.items():
            for space in instances(kind):
                with case(f"{nest} of {space}"):
                    assert make(space) == make(Foreign(answer=True))
                    assert make(Foreign(answer=True)) == make(space)
                    assert make(space) != make(Foreign(answer=False))
                    assert make(space) == make(space)
