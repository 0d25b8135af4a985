"""The `Toml` class, which edits values in a TOML file without changing anything else."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from typing import Any

__all__ = ["Toml", "parse"]


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> dict[str, Any]:
    """Parse a TOML file. Results are cached and must not be modified."""
    return tomllib.loads(text)


class Toml:
    """The text of a TOML file, in which only values that change are rewritten."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()

    @property
    def text(self) -> str:
        """The current text of the file."""
        return "\n".join(self.lines) + "\n"

    def _section(self, name: str) -> tuple[int, int]:
        """Return the range of a table's lines, from the line after its header to its last line that is not empty."""
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
        """Return the range of a value's lines, which ends as soon as its text is valid TOML."""
        start, end = self._section(section)
        for first in range(start, end):
            if re.match(rf"{re.escape(key)}\s*=", self.lines[first]):
                for last in range(first + 1, end + 1):
                    if _parsed("\n".join(self.lines[first:last])) is not None:
                        return first, last
        return None

    def set(self, section: str, key: str, value: object, after: str | None = None) -> None:
        """Set the value of a key. A new key is inserted after the key `after`."""
        new = f"{key} = {_literal(value)}".splitlines()
        found = self._find(section, key)
        if found is None:
            before = self._find(section, after) if after else None
            at = before[1] if before else self._section(section)[1]
            self.lines[at:at] = new
        elif (_parsed("\n".join(self.lines[slice(*found)])) or {})[key] != value:
            self.lines[slice(*found)] = new

    def fill(self, section: str, values: dict[str, Any]) -> None:
        """Set the keys and values of a table in the given order, and remove all other keys."""
        table: Any = parse(self.text)
        for part in section.split("."):
            table = table.get(part, {})
        if list(table.items()) != list(values.items()):
            self.lines[slice(*self._section(section))] = [f"{key} = {_literal(value)}" for key, value in values.items()]


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> dict[str, Any] | None:
    """Parse TOML. Return None if the text is incomplete. Results are cached because files share many lines."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _literal(value: object) -> str:
    """Format a value as TOML. Long lists are split into several lines, and mappings stay on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_literal(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        items = [_literal(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) < 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return json.dumps(value, ensure_ascii=False)
