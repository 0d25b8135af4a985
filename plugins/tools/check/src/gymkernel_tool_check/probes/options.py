"""Resetting with options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.trace import Player

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject
    from gymkernel_tool_check.trace import Call

__all__ = ["Watched", "options"]


class Watched(dict[str, Any]):
    """Options that remember which of their methods would have changed them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.changes: list[str] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy is a plain dictionary: changing it is what an environment should do


def _watch(name: str) -> Any:
    plain = getattr(dict, name)

    def method(self: Watched, *arguments: Any, **keywords: Any) -> Any:
        self.changes.append(f"{name}({', '.join(map(repr, arguments))})")
        return plain(self, *arguments, **keywords)

    return method


for _name in ("__setitem__", "__delitem__", "pop", "popitem", "setdefault", "update", "clear", "__ior__"):
    setattr(Watched, _name, _watch(_name))


@probe(quick=True)
def options(subject: Subject) -> list[tuple[Watched, Call]]:
    """Reset with empty options, and with an option that nobody knows (which may well be refused)."""
    player = Player(subject, subject.env())
    if not player.takes["options"]:
        message = "reset takes no options (GK202)"
        raise Skip(message)
    if player.reset(seed=subject.options.seed).error is not None:
        message = "reset does not work (GK203)"
        raise Skip(message)
    tried = [Watched(), Watched({"gymkernel_check": 1})]
    return [(given, player.reset(options=given)) for given in tried]
