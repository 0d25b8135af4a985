"""What installed distributions say of themselves; the only module that imports `importlib_metadata`.

Folders on `sys.path` are read here: the import alone takes longer than reading them. Zip files, eggs, and whatever
finders on `sys.meta_path` find besides are left to `importlib_metadata`.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from typing import Any, NamedTuple

PREFIX = "gymkernel."
_BOUND = r"(?mi)^Requires-Dist: *gymkernel *(?:\[[^]]*\])? *\(?([<>=!~][^;)\n]*)(?![^\n]*\bextra *==)"
"""The bound on the kernel, of a requirement that belongs to no extra."""


class Distribution(NamedTuple):
    """A distribution that has entry points for gymkernel."""

    name: str
    version: str
    requires: str
    """Version bounds on the kernel, for example ">=0.1,<1"; empty where there are none."""
    entry_points: tuple[tuple[str, str, str], ...]
    """(group without the prefix, name, value) of each."""
    summary: str
    """What it says of itself, in a line."""


def scan() -> tuple[list[Distribution], list[str]]:
    """Read every distribution on `sys.path` once; return those with entry points for us, and what could not be read."""
    found: dict[str, Distribution] = {}
    unreadable = []
    for source in _sources(sys.path):
        try:
            if f"[{PREFIX}" in (text := source.read_text("entry_points.txt") or ""):
                distribution = _read(source, text)
                found.setdefault(normalize(distribution.name), distribution)
        except Exception as exc:  # noqa: BLE001 - one damaged installation must not hide the others
            unreadable.append(f"{getattr(source, '_path', source)}: {type(exc).__name__}: {exc}")
    return list(found.values()), unreadable


def dependencies(name: str) -> list[str]:
    """What an installed distribution requires, without its extras; nothing where it is not installed."""
    import importlib_metadata

    try:
        return [need for need in importlib_metadata.requires(name) or () if "extra ==" not in need]
    except importlib_metadata.PackageNotFoundError:
        return []


class _Folder:
    """A distribution in a plain folder, with what is used here of a distribution of `importlib_metadata`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read_text(self, name: str) -> str | None:
        try:
            with open(os.path.join(self._path, name), "rb", 0) as file:  # noqa: PTH118, PTH123 - half the time of a Path
                return file.read().decode().replace("\r\n", "\n")
        except (FileNotFoundError, NotADirectoryError):
            return None


def _sources(path: list[str]) -> Iterator[Any]:
    """Every distribution there is, in the order of a path."""
    known = {PathFinder.__module__, "importlib_metadata"}
    if any(hasattr(one, "find_distributions") and one.__module__ not in known for one in sys.meta_path):
        yield from _by_library(path)
        return
    for entry in map(str, path):  # a Path works in importlib_metadata, too
        if entry.endswith(".egg") or os.path.isfile(entry):  # noqa: PTH113 - half the time of a Path
            yield from _by_library([entry])
            continue
        try:
            inside = os.listdir(entry or ".")  # noqa: PTH208 - as above
        except (OSError, ValueError):  # not there, not for us, or no name of a folder
            continue
        for name in inside:
            if name.endswith((".dist-info", ".egg-info")):
                yield _Folder(os.path.join(entry, name))  # noqa: PTH118 - as above


def _by_library(path: list[str]) -> Iterable[Any]:
    import importlib_metadata

    return importlib_metadata.distributions(path=path)


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
    fields = {"Version": "unknown", "Summary": ""}
    fields |= dict(re.findall(r"^(Name|Version|Summary): *(.+?) *$", headers, re.MULTILINE))
    if "Name" not in fields:
        raise ValueError("expected a Name in its METADATA; install it again")
    bound = re.search(_BOUND, headers)
    group, points = "", list[tuple[str, str, str]]()
    for line in filter(None, map(str.strip, entry_points.splitlines())):
        if line.startswith("["):
            group = line.strip("[]")
        elif group.startswith(PREFIX) and not line.startswith("#"):
            name, value = line.split("=", 1)
            points.append((group.removeprefix(PREFIX), name.strip(), value.strip()))
    requires = bound[1].strip() if bound else ""
    return Distribution(fields["Name"], fields["Version"], requires, tuple(points), fields["Summary"])
