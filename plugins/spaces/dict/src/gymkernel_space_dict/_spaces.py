"""The `Spaces` class, which is the type of a Dict's attribute `spaces`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from gymkernel.ops import changed
from gymkernel.space import Space, require_space

__all__ = ["Spaces"]


class Spaces(dict[Any, Any]):
    """A dictionary that accepts only spaces as values.

    A change to this dictionary invalidates all cached values that depend on its spaces. They are cached by the Dict to
    which the dictionary belongs and by spaces that contain the Dict.
    """

    reports_changes = True

    def __init__(self, spaces: Any) -> None:
        dict.__init__(self, spaces)
        for space in self.values():
            if not isinstance(space, Space):
                for key, value in self.items():
                    _require_space(key, value)
                break

    def __setitem__(self, key: Any, space: Any) -> None:
        _require_space(key, space)
        if any(spaces is self for spaces in _inner_dicts(space)):
            raise ValueError(f"Dict cannot contain itself, but it would under the key {key!r}")
        super().__setitem__(key, space)
        changed()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        changed()

    def update(self, spaces: Any = (), /, **more: Any) -> None:
        """Set several spaces."""
        for key, space in {**dict(spaces), **more}.items():
            self[key] = space

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the space with the given key. If the key is missing, add the default space."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its space."""
        changed()
        return super().pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        """Remove and return the last key and its space."""
        changed()
        return super().popitem()

    def clear(self) -> None:
        """Remove all spaces."""
        super().clear()
        changed()

    def __ior__(self, spaces: Any) -> Self:  # type: ignore[misc]
        self.update(spaces)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def _require_space(key: Any, space: Any) -> None:
    require_space(space, f"Dict expects a space under the key {key!r}")


def _inner_dicts(space: Any) -> Iterable[Any]:
    """Yield the dictionaries of all Dict spaces that a space contains, at any depth."""
    yield getattr(space, "spaces", None)
    for _, part in space.parts() if hasattr(space, "parts") else ():
        yield from _inner_dicts(part)
