"""The spaces of a Dict: a dict that admits spaces alone and tells when it changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from gymkernel.ops import changed
from gymkernel.space import Space, require_space

__all__ = ["Spaces"]


class Spaces(dict[Any, Any]):
    """Keys and spaces.

    What was worked out from the spaces, here or in a space that contains this one, is forgotten at every change.
    """

    reports_changes = True

    def __init__(self, spaces: Any) -> None:
        dict.__init__(self, spaces)
        for space in self.values():
            if not isinstance(space, Space):
                for key, one in self.items():
                    _require_space(key, one)
                break

    def __setitem__(self, key: Any, space: Any) -> None:
        _require_space(key, space)
        if any(part is self for part in _inside(space)):
            raise ValueError(f"Dict cannot contain itself, as it would under the key {key!r}")
        super().__setitem__(key, space)
        changed()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        changed()

    def update(self, spaces: Any = (), /, **more: Any) -> None:
        """Put every space under its key."""
        for key, space in {**dict(spaces), **more}.items():
            self[key] = space

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The space of a key, which is the default where there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Take a space out."""
        changed()
        return super().pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        """Take the last space out."""
        changed()
        return super().popitem()

    def clear(self) -> None:
        """Take all spaces out."""
        super().clear()
        changed()

    def __ior__(self, spaces: Any) -> Self:  # type: ignore[misc]
        self.update(spaces)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def _require_space(key: Any, space: Any) -> None:
    require_space(space, f"Dict expects a space under the key {key!r}")


def _inside(space: Any) -> Iterable[Any]:
    """The dicts of spaces that a space is made of, at any depth."""
    yield getattr(space, "spaces", None)
    for _, part in space.parts() if hasattr(space, "parts") else ():
        yield from _inside(part)
