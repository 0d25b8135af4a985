"""Functions that convert spaces to JSON-compatible descriptions and back, for example to store spaces in data sets.

A space is described by a JSON object that contains the kind of the space, which is the name of its entry point, and the
result of `Space.to_spec`. No other values in a description are JSON objects. When a description is read, only spaces
from installed plugins are created, and the caller can limit their size.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from types import GenericAlias, NoneType, UnionType
from typing import Any, Final, NoReturn

import numpy as np

from gymkernel import plugins
from gymkernel.space import Space

__all__ = ["space_from_spec", "space_to_spec"]

VERSION: Final = 1
LONGEST: Final = 200  # the maximum number of characters of a value in an error message
DTYPES: Final = {name for d in map(np.dtype, "?bhilqBHILQefdg") for name in (d.name, d.str, d.newbyteorder().str)}

WORDS: Final[dict[Any, str]] = {bool: "true or false", int: "an integer", float: "a number", NoneType: "null"}
WORDS.update({str: "a string", list: "a list", Space: "a space", np.dtype: "the name of a numeric dtype"})


def space_to_spec(space: Any) -> dict[str, Any]:
    """Return a JSON-compatible description of a space. The state of the random number generator is not included.

    Args:
        space: a space whose class is provided by a plugin.

    Raises:
        TypeError: if no plugin provides the class of the space or of an inner space, or if a key is not
            JSON-compatible.

    For example, the description of `Discrete(3)` is `{"version": 1, "space": {"kind": "Discrete", "n": 3}}`.
    """
    if not isinstance(space, Space):
        raise TypeError(f"space_to_spec expects a space, got {space!r} ({type(space).__name__})")
    return {"version": VERSION, "space": _describe(space)}


def _describe(value: Any) -> Any:
    if isinstance(value, Space):
        cls = type(value)
        if not any(plugin.load() is cls for plugin in plugins.providers("spaces", cls.__name__)):
            raise TypeError(
                f"{cls.__qualname__} cannot be described, because no installed distribution provides the class as an "
                "entry point with the same name in the group gymkernel.spaces"
            )
        return {"kind": cls.__name__, **{key: _describe(part) for key, part in value.to_spec().items()}}
    if isinstance(value, list | tuple):
        return [_describe(part) for part in value]
    if _is_plain(value):
        return value
    raise TypeError(f"A description can contain only spaces, lists, strings, finite numbers and None, got {value!r}")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, int | str) or (isinstance(value, float) and math.isfinite(value))


def space_from_spec(spec: Any, *, max_depth: int = 100, max_size: int = 10_000_000) -> Any:
    """Create a space from a description, which may come from an untrusted source.

    Args:
        spec: the result of `space_to_spec`, possibly after conversion to and from JSON.
        max_depth: the maximum depth of nested lists and spaces.
        max_size: the maximum total number of 64-bit numbers, names and characters in the description, including its
            arrays.

    Raises:
        ValueError: if the description is invalid, too large or nested too deeply, if its version is not supported, or
            if a part is unknown, missing or of the wrong type.
        MissingPlugin: if the plugin for a kind of space is not installed. The message contains the pip command that
            installs the plugin.
        UnknownName: if a kind of space is unknown.
    """
    if not isinstance(spec, Mapping) or set(spec) != {"version", "space"} or not isinstance(spec["space"], Mapping):
        _refuse(f"Expected a description with the keys 'version' and 'space', got {type(spec).__name__}")
    if type(spec["version"]) is not int or spec["version"] != VERSION:
        seen = _shown(spec["version"])
        _refuse(f"Expected a description of version {VERSION}, got {seen}; run: pip install --upgrade gymkernel")
    try:
        return _Builder(max_depth, max_size).build(spec["space"], 0)
    except RecursionError as exc:
        message = f"The description of the space is nested too deeply for Python; lower max_depth={max_depth}"
        raise ValueError(message) from exc


class _Builder:
    """A builder that creates a space from a description. It limits the depth and the total size of the description."""

    def __init__(self, max_depth: int, max_size: int) -> None:
        self.max_depth, self.max_size, self.size = max_depth, max_size, 0

    def claim(self, size: int) -> None:
        self.size += size
        if self.size > self.max_size:
            _refuse(f"The description of the space has more than max_size={self.max_size} parts")

    def build(self, value: Any, depth: int) -> Any:
        if depth > self.max_depth:
            _refuse(f"The description of the space is nested deeper than max_depth={self.max_depth}")
        self.claim(len(value) if isinstance(value, str) else 1)
        if isinstance(value, Mapping):
            return self.space(value, depth + 1)
        if isinstance(value, list | tuple):
            parts = [self.build(part, depth + 1) for part in value]
            return value if type(value) is list and all(map(operator.is_, parts, value)) else parts  # avoid a copy
        if not _is_plain(value):
            _refuse(
                f"A description can contain only spaces, lists, strings, finite numbers and None, got {_shown(value)}"
            )
        return value

    def space(self, description: Mapping[Any, Any], depth: int) -> Any:
        kind = description.get("kind")
        cls = plugins.get("spaces", kind) if isinstance(kind, str) and len(kind) <= LONGEST else None
        if not (isinstance(cls, type) and issubclass(cls, Space)):
            _refuse(f"Expected the kind of a space, such as 'Box', got {_shown(kind)}")
        spec = {key: self.build(part, depth) for key, part in description.items() if key != "kind"}
        try:
            for key, value in spec.items() if cls.spec_fields is not None else ():
                _expect(key, value, cls.spec_fields or {})
            self.claim(max(cls.spec_size(spec), 0))
            return cls.from_spec(spec)
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as exc:
            reason = f"it has no {exc}" if isinstance(exc, KeyError) else str(exc)[:LONGEST]
            raise ValueError(f"The description of a {kind} is invalid: {reason}") from exc


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


def _shown(value: Any) -> str:
    short = isinstance(value, str | float | None) or (isinstance(value, int) and value.bit_length() <= 64)
    return repr(value)[:LONGEST] if short else type(value).__name__


def _expect(key: Any, value: Any, fields: Mapping[str, Any]) -> None:
    if key not in fields:
        _refuse(f"expected {', '.join(fields)}, got {_shown(key)}")
    if not _fits(value, fields[key]):
        _refuse(f"expected {key} to be {_describe_kind(fields[key])}, got {_shown(value)}")


def _describe_kind(kind: Any) -> str:
    """Describe a type from `Space.spec_fields` in words, for error messages."""
    if isinstance(kind, UnionType):
        return " or ".join(map(_describe_kind, kind.__args__))
    if isinstance(kind, GenericAlias):
        return "a list, each part " + _describe_kind(kind.__args__[0])
    return WORDS.get(kind) or str(getattr(kind, "__name__", kind))


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value from a description has the given type, which comes from `Space.spec_fields`."""
    if isinstance(kind, UnionType):
        return any(_fits(value, option) for option in kind.__args__)
    if kind is np.dtype:
        return isinstance(value, str) and value in DTYPES
    if not isinstance(kind, GenericAlias):
        return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    is_list = isinstance(value, list) and all(_fits(part, kind.__args__[0]) for part in value)
    return is_list and (kind.__origin__ is list or (len(value) <= 32 and all(0 <= n < 2**63 for n in value)))
