"""Resetting with options."""

from __future__ import annotations

from typing import Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.trace import Call, Recorder

__all__ = ["WatchedOptions", "options"]


class WatchedOptions(dict[str, Any]):
    """Options that remember which of their methods would have changed them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.changes: list[str] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy is a plain dictionary: changing it is what an environment should do


def _watch(name: str) -> Any:
    plain = getattr(dict, name)

    def method(self: WatchedOptions, *arguments: Any, **keywords: Any) -> Any:
        self.changes.append(f"{name}({', '.join(map(repr, arguments))})")
        return plain(self, *arguments, **keywords)

    return method


for _name in ("__setitem__", "__delitem__", "pop", "popitem", "setdefault", "update", "clear", "__ior__"):
    setattr(WatchedOptions, _name, _watch(_name))


@probe(quick=True)
def options(subject: Subject) -> list[tuple[WatchedOptions, Call]]:
    """Reset with empty options, and with an option that nobody knows (which may well be refused)."""
    recorder = Recorder(subject, subject.env())
    if not recorder.takes["options"]:
        raise Skip("reset takes no options (GK202)")
    if recorder.reset(seed=subject.options.seed).error is not None:
        raise Skip("reset does not work (GK203)")
    tried = [WatchedOptions(), WatchedOptions({"gymkernel_check": 1})]
    return [(given, recorder.reset(options=given)) for given in tried]
