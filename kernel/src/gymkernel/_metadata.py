"""What installed distributions say of themselves; the only module that imports `importlib_metadata`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import importlib_metadata

PREFIX = "gymkernel."
_BOUND = r"(?mi)^Requires-Dist: *gymkernel *(?:\[[^]]*\])? *\(?([<>=!~][^;)\n]*)(?![^\n]*\bextra *==)"
"""The bound on the kernel, of a requirement that belongs to no extra."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution that has entry points for gymkernel."""

    name: str
    version: str
    requires: str
    """Version bounds on the kernel, for example ">=0.1,<1"; empty where there are none."""
    entry_points: tuple[tuple[str, str, str], ...]
    """(group without the prefix, name, value) of each."""


def scan() -> tuple[list[Distribution], list[str]]:
    """Read every distribution on `sys.path` once; return those with entry points for us, and what could not be read."""
    found: dict[str, Distribution] = {}
    unreadable = []
    for source in importlib_metadata.distributions():
        try:
            if f"[{PREFIX}" in (text := source.read_text("entry_points.txt") or ""):
                distribution = _read(source, text)
                found.setdefault(normalize(distribution.name), distribution)
        except Exception as exc:  # noqa: BLE001 - one damaged installation must not hide the others
            unreadable.append(f"{getattr(source, '_path', source)}: {type(exc).__name__}: {exc}")
    return list(found.values()), unreadable


def dependencies(name: str) -> list[str]:
    """What an installed distribution requires, without its extras; nothing where it is not installed."""
    try:
        return [need for need in importlib_metadata.requires(name) or () if "extra ==" not in need]
    except importlib_metadata.PackageNotFoundError:
        return []


def normalize(name: str) -> str:
    """The form in which distribution names are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def excludes(requires: str, kernel: str) -> bool:
    """Whether bounds such as ">=0.3,<1" exclude this kernel; other clauses than these two are pip's concern.

    >>> excludes(">=0.3,<1", "0.2.0"), excludes(">=0.1,<1", "0.2.0"), excludes(">=0.1,<1", "1.0")
    (True, False, True)
    """

    def numbers(text: str) -> tuple[int, ...]:
        release = tuple(int(part) for part in re.findall(r"\d+", text.split("+", maxsplit=1)[0])[:3])
        return release + (0,) * (3 - len(release))

    bounds = re.findall(r"(>=|<)\s*([\d.]+)", requires)
    return any(numbers(kernel) < numbers(b) if op == ">=" else numbers(kernel) >= numbers(b) for op, b in bounds)


def _read(source: Any, entry_points: str) -> Distribution:
    """Pick what is needed out of both files: parsing all of them costs ten times as much."""
    headers = (source.read_text("METADATA") or source.read_text("PKG-INFO") or "").split("\n\n", 1)[0]
    fields = dict(re.findall(r"^(Name|Version): *(.+?) *$", headers, re.MULTILINE))
    if "Name" not in fields:
        message = "expected a Name in its METADATA; install it again"
        raise ValueError(message)
    bound = re.search(_BOUND, headers)
    group, points = "", list[tuple[str, str, str]]()
    for line in filter(None, map(str.strip, entry_points.splitlines())):
        if line.startswith("["):
            group = line.strip("[]")
        elif group.startswith(PREFIX) and not line.startswith("#"):
            name, value = line.split("=", 1)
            points.append((group.removeprefix(PREFIX), name.strip(), value.strip()))
    return Distribution(
        fields["Name"],
        fields.get("Version", "unknown"),
        bound[1].strip() if bound else "",
        tuple(points),
    )
