"""A space as a description that JSON holds, and back: for data sets and model files that carry their spaces.

A space is an object with its kind, the name of its entry point, and what `Space.to_spec` gives; nothing else is an
object. Only installed spaces are built from a description, and only as large as the caller allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from gymkernel import plugins
from gymkernel.space import Space

__all__ = ["space_from_spec", "space_to_spec"]

VERSION: Final = 1


def space_to_spec(space: Any) -> dict[str, Any]:
    """Describe a space by what `json.dumps` takes; its generator's state is no part of that.

    Raises:
        TypeError: the space, or one inside, is not that of a plugin, or has a key that JSON does not hold.

    `Discrete(3)` becomes `{"version": 1, "space": {"kind": "Discrete", "n": 3}}`.
    """
    if not isinstance(space, Space):
        message = f"space_to_spec expects a space, got {space!r} ({type(space).__name__})"
        raise TypeError(message)
    return {"version": VERSION, "space": _describe(space)}


def _describe(value: Any) -> Any:
    if isinstance(value, Space):
        cls = type(value)
        if not any(plugin.load() is cls for plugin in plugins.providers("spaces", cls.__name__)):
            message = (
                f"{cls.__qualname__} has no description: no installed distribution offers this class as an entry point "
                "of that name in gymkernel.spaces"
            )
            raise TypeError(message)
        return {"kind": cls.__name__, **{key: _describe(part) for key, part in value.to_spec().items()}}
    if isinstance(value, list | tuple):
        return [_describe(part) for part in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    message = f"A description holds spaces, lists, strings, finite numbers and None, got {value!r}"
    raise TypeError(message)


def space_from_spec(spec: Any, *, max_depth: int = 100, max_size: int = 10_000_000) -> Any:
    """Build the space of a description, which nobody needs to have checked.

    Args:
        spec: what `space_to_spec` gave, also after a way through JSON.
        max_depth: how deep lists and spaces may be nested.
        max_size: how many numbers, names and characters the description, and the arrays of its spaces, may have.

    Raises:
        ValueError: this is no description, one of a later version, one that is too large or too deep, or one whose
            parts do not make a space.
        MissingPlugin: a kind is known and not installed; the message has the pip command.
        UnknownName: a kind is unknown.
    """
    if not isinstance(spec, Mapping) or set(spec) != {"version", "space"} or not isinstance(spec["space"], Mapping):
        message = f"Expected the description of a space, with 'version' and 'space', got {type(spec).__name__}"
        raise ValueError(message)
    if spec["version"] != VERSION:
        message = (
            f"Expected a description of version {VERSION}, got {spec['version']!r}; "
            "run: pip install --upgrade gymkernel"
        )
        raise ValueError(message)
    return _Builder(max_depth, max_size).build(spec["space"], 0)


class _Builder:
    """Builds what a description says while it counts."""

    def __init__(self, max_depth: int, max_size: int) -> None:
        self.max_depth, self.max_size, self.size = max_depth, max_size, 0

    def claim(self, size: int) -> None:
        self.size += size
        if self.size > self.max_size:
            message = f"The description of the space has more than max_size={self.max_size} parts"
            raise ValueError(message)

    def build(self, value: Any, depth: int) -> Any:
        if depth > self.max_depth:
            message = f"The description of the space is nested deeper than max_depth={self.max_depth}"
            raise ValueError(message)
        self.claim(len(value) if isinstance(value, str) else 1)
        if isinstance(value, Mapping):
            return self.space({key: self.build(part, depth + 1) for key, part in value.items()})
        return [self.build(part, depth + 1) for part in value] if isinstance(value, list | tuple) else value

    def space(self, spec: dict[str, Any]) -> Any:
        kind = spec.pop("kind", None)
        cls = plugins.get("spaces", kind) if isinstance(kind, str) else None
        if not (isinstance(cls, type) and issubclass(cls, Space)):
            message = f"Expected the kind of a space, such as 'Box', got {kind!r}"
            raise ValueError(message)  # noqa: TRY004 - a value in a description
        try:
            self.claim(max(cls.spec_size(spec), 0))
            return cls.from_spec(spec)
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as exc:
            message = f"The description of a {kind} does not make one: {exc}"
            raise ValueError(message) from exc
