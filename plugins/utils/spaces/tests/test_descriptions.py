"""Tests of converting spaces to JSON-compatible descriptions and back."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import Space, error
from gymkernel._known import KNOWN
from gymkernel.spaces.utils import space_from_spec, space_to_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

SPACES = """
    import numpy as np
    from gymkernel import Space

    class Line(Space):
        def __init__(self, length, names=None, low=0.0):
            super().__init__((length,), float)
            if length < 0:
                raise ValueError(f"a length is positive, got {length}")
            self.length, self.names, self.low = length, names, low
        def to_spec(self):
            return {"length": self.length, "names": self.names, "low": self.low}
        @classmethod
        def spec_size(cls, spec):
            return spec["length"]

    class Pair(Space):
        def __init__(self, spaces):
            super().__init__()
            self.spaces = spaces
        def to_spec(self):
            return {"spaces": list(self.spaces)}

    class Typed(Space):
        spec_fields = {"n": int, "shape": tuple[int, ...], "flag": bool, "inner": Space | None, "names": list[str]}
        spec_fields["dtype"] = np.dtype
        def __init__(self, **fields):
            super().__init__()
            self.fields = fields

    class Function: pass
"""


@pytest.fixture(autouse=True)
def _spaces(install: Install) -> None:
    install(
        "acme",
        modules={"acme_spaces": SPACES},
        spaces={n: f"acme_spaces:{n}" for n in ("Line", "Pair", "Typed", "Function")},
    )


def line(*arguments: Any) -> Any:
    return gymkernel.spaces.Line(*arguments)  # type: ignore[attr-defined]


def pair(*spaces: Any) -> Any:
    return gymkernel.spaces.Pair(list(spaces))  # type: ignore[attr-defined]


def described(**fields: Any) -> dict[str, Any]:
    return {"version": 1, "space": {"kind": "Line", **fields}}


def test_description_has_kind_and_fields() -> None:
    assert space_to_spec(line(3, ["a", "b"])) == described(length=3, names=["a", "b"], low=0.0)


def test_nested_descriptions_survive_json() -> None:
    space = pair(line(1), pair(line(2), line(3)))

    built = space_from_spec(json.loads(json.dumps(space_to_spec(space))))

    assert type(built) is type(space)
    assert (built.spaces[0].length, built.spaces[1].spaces[1].length) == (1, 3)


@pytest.mark.parametrize("value", [math.inf, math.nan, {"a": 1}, Space, b"x"], ids=repr)
def test_unserializable_field_is_rejected(value: Any) -> None:
    with pytest.raises(
        TypeError, match="A description can contain only spaces, lists, strings, finite numbers and None, got"
    ):
        space_to_spec(line(1, value))


def test_non_space_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"space_to_spec expects a space, got 3 \(int\)"):
        space_to_spec(3)


def test_space_without_a_plugin_is_rejected() -> None:
    with pytest.raises(
        TypeError, match="Space cannot be described, because no installed distribution provides the class"
    ):
        space_to_spec(Space())


@pytest.mark.parametrize(
    "spec", [None, [], {}, {"version": 1}, {"version": 1, "space": 3}, {"space": {}, "version": 1, "x": 1}]
)
def test_invalid_description_is_rejected(spec: Any) -> None:
    with pytest.raises(ValueError, match="Expected a description with the keys 'version' and 'space', got"):
        space_from_spec(spec)


def test_newer_description_error_names_the_upgrade() -> None:
    with pytest.raises(ValueError, match="version 1, got 2; run: pip install --upgrade gymkernel"):
        space_from_spec({"version": 2, "space": {}})


@pytest.mark.parametrize("kind", [None, 3, "Function"])
def test_kind_that_is_not_a_space_is_rejected(kind: Any) -> None:
    with pytest.raises(ValueError, match="Expected the kind of a space, such as 'Box', got"):
        space_from_spec({"version": 1, "space": {"kind": kind}})


def test_missing_known_kind_names_its_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN["spaces"], "Obelisk", "gymkernel-space-obelisk")

    with pytest.raises(error.MissingPlugin, match="pip install gymkernel-space-obelisk"):
        space_from_spec({"version": 1, "space": {"kind": "Obelisk"}})


def test_unknown_kind_gets_a_suggestion() -> None:
    with pytest.raises(error.UnknownName, match=r"did you mean Line\?"):
        space_from_spec({"version": 1, "space": {"kind": "Lime"}})


@pytest.mark.parametrize("fields", [{}, {"length": -1}, {"length": 1, "colour": 3}, {"length": "x"}])
def test_invalid_fields_are_rejected(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="The description of a Line is invalid: "):
        space_from_spec(described(**fields))


RIGHT: list[dict[str, Any]] = [
    {"n": 10**30},
    {"shape": []},
    {"shape": (0, 2)},
    {"flag": False},
    {"inner": None},
    {"names": ["a"]},
    {"dtype": "float32"},
    {"dtype": ">f4"},
]
WRONG: list[dict[str, Any]] = [
    {"seed": 1},
    {3: 1},  # type: ignore[dict-item]
    {"n": True},
    {"n": 1.0},
    {"n": "1"},
    {"shape": 3},
    {"shape": [-1]},
    {"shape": [2**63]},
    {"shape": [[1]]},
    {"shape": [1] * 33},
    {"flag": 0},
    {"flag": "yes"},
    {"inner": "Line"},
    {"names": ["a", 1]},
    {"names": "a"},
    {"dtype": "U1000"},
    {"dtype": "f4,f4"},
    {"dtype": ["float32"]},
]


@pytest.mark.parametrize("fields", RIGHT, ids=repr)
def test_typed_fields_are_converted(fields: dict[str, Any]) -> None:
    built = space_from_spec({"version": 1, "space": {"kind": "Typed", **fields}})

    assert built.fields == {key: list(part) if isinstance(part, tuple) else part for key, part in fields.items()}


@pytest.mark.parametrize("fields", WRONG, ids=repr)
def test_untyped_fields_are_not_converted(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="The description of a Typed is invalid: expected"):
        space_from_spec({"version": 1, "space": {"kind": "Typed", **fields}})


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({"flag": "yes"}, "flag to be true or false, got 'yes'"),
        ({"n": None}, "n to be an integer, got None"),
        ({"shape": 3}, "shape to be a list, each part an integer, got 3"),
        ({"inner": 3}, "inner to be a space or null, got 3"),
        ({"names": "a"}, "names to be a list, each part a string, got 'a'"),
        ({"dtype": "U1000"}, "dtype to be the name of a numeric dtype, got 'U1000'"),
    ],
    ids=str,
)
def test_type_errors_describe_the_expected_type(fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match="is invalid: expected") as caught:
        space_from_spec({"version": 1, "space": {"kind": "Typed", **fields}})
    assert str(caught.value).endswith(f"expected {expected}")


@pytest.mark.parametrize("value", [math.inf, math.nan, {1}, Space, b"x", 1j], ids=repr)
def test_unserializable_nested_field_is_rejected(value: Any) -> None:
    with pytest.raises(
        ValueError, match="A description can contain only spaces, lists, strings, finite numbers and None, got"
    ):
        space_from_spec(described(length=1, names=value))


@pytest.mark.parametrize(
    "version", [None, True, 1.0, "1", [1], 10**5000], ids=["None", "True", "1.0", "text", "list", "huge"]
)
def test_version_must_be_an_integer(version: Any) -> None:
    with pytest.raises(ValueError, match="Expected a description of version 1, got"):
        space_from_spec({"version": version, "space": {"kind": "Line", "length": 1}})


def test_too_deep_description_raises() -> None:
    names: Any = "x"
    for _ in range(5000):
        names = [names]

    with pytest.raises(ValueError, match="nested too deeply for Python; lower max_depth=10000"):
        space_from_spec(described(length=1, names=names), max_depth=10_000)


def test_number_of_spaces_is_limited_by_the_caller() -> None:
    assert space_from_spec(described(length=90), max_size=100).length == 90
    with pytest.raises(ValueError, match="has more than max_size=100 parts"):
        space_from_spec(described(length=100), max_size=100)
    with pytest.raises(ValueError, match="has more than max_size=10 parts"):
        space_from_spec(described(length=1, names=["x" * 20]), max_size=10)


def test_depth_is_limited_by_the_caller() -> None:
    names: Any = "x"
    for _ in range(200):
        names = [names]

    with pytest.raises(ValueError, match="nested deeper than max_depth=100"):
        space_from_spec(described(length=1, names=names))
