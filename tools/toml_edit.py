"""Edits a TOML file where a value differs and leaves every other character as people wrote it."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from typing import Any

__all__ = ["Toml"]


class Toml:
    """A TOML file as text, edited where a value differs, so that everything else stays as people wrote it."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()

    @property
    def text(self) -> str:
        """The file as it now is."""
        return "\n".join(self.lines) + "\n"

    @property
    def data(self) -> dict[str, Any]:
        """What the file now says."""
        return tomllib.loads(self.text)

    def _section(self, name: str) -> tuple[int, int]:
        """The lines of a table: from the one after its header to the last that is not empty."""
        headers = [i for i, line in enumerate(self.lines) if re.match(r"\[.*\]\s*(#.*)?$", line)]
        start = next((i for i in headers if self.lines[i].startswith(f"[{name}]")), None)
        if start is None:
            self.lines += ["", f"[{name}]"]
            return len(self.lines), len(self.lines)
        end = next((i for i in headers if i > start), len(self.lines))
        while not self.lines[end - 1].strip():
            end -= 1
        return start + 1, end

    def _find(self, section: str, key: str) -> tuple[int, int] | None:
        """The lines of one value, which may be several: as many as it takes until they parse."""
        start, end = self._section(section)
        for first in range(start, end):
            if re.match(rf"{re.escape(key)}\s*=", self.lines[first]):
                for last in range(first + 1, end + 1):
                    if _parsed("\n".join(self.lines[first:last])) is not None:
                        return first, last
        return None

    def set(self, section: str, key: str, value: object, after: str | None = None) -> None:
        """Give a key its value; a new key stands after the one named."""
        new = f"{key} = {_literal(value)}".splitlines()
        found = self._find(section, key)
        if found is None:
            before = self._find(section, after) if after else None
            at = before[1] if before else self._section(section)[1]
            self.lines[at:at] = new
        elif (_parsed("\n".join(self.lines[slice(*found)])) or {})[key] != value:
            self.lines[slice(*found)] = new

    def fill(self, section: str, values: dict[str, Any]) -> None:
        """Set the keys and values of a table, in this order, and remove all other keys."""
        table: Any = self.data
        for part in section.split("."):
            table = table.get(part, {})
        if list(table.items()) != list(values.items()):
            self.lines[slice(*self._section(section))] = [f"{key} = {_literal(value)}" for key, value in values.items()]


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> dict[str, Any] | None:
    """What a few lines say, None where they are not complete; kept, since files have many lines in common."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _literal(value: object) -> str:
    """A value as TOML: a list that does not fit in a line goes over several, a mapping stays in one."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_literal(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        items = [_literal(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) < 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return json.dumps(value, ensure_ascii=False)
