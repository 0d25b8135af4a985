"""`[tool.gymkernel.check]`: what the project of a target says of its checks."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from gymkernel import error, plugins
from gymkernel_tool_check.findings import SEVERITIES
from gymkernel_tool_check.targets import Target
from gymkernel_util_tools.target_lookup import parse

__all__ = ["Project", "ProjectError", "project_of", "read"]

INSTALLED: Final = {"site-packages", "dist-packages"}
LISTS: Final = {"select", "ignore", "compat"}
TABLES: Final = {"expected_failures", "make_kwargs", "targets"}
FLAGS: Final = {"single_instance", "nondeterministic"}
TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(LISTS, list),
    **dict.fromkeys(TABLES, dict),
    **dict.fromkeys(FLAGS, bool),
    "severity": str,
}


class ProjectError(error.Error):
    """A pyproject.toml says something of the checks that cannot be meant."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a project asks for; what the command line says goes before.

    Attributes:
        file: the pyproject.toml, None where there is none.
        select, ignore: beginnings of the codes to check, and not to check.
        severity: show and count findings from this one on.
        compat: libraries whose own limits are checked, too.
        expected_failures: codes of rules that are known to be broken, with the reason.
        single_instance, nondeterministic, make_kwargs: as for `gymkernel.checks.check`.
        targets: the same for targets whose names fit a pattern.
    """

    file: Path | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: str | None = None
    compat: tuple[str, ...] = ()
    expected_failures: dict[str, str] = field(default_factory=dict)
    single_instance: bool = False
    nondeterministic: bool = False
    make_kwargs: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, dict[str, Any]] = field(default_factory=dict)

    def for_target(self, name: str) -> Project:
        """These settings with what they say of one target put over them; tables are joined, lists replaced."""
        merged = {one.name: getattr(self, one.name) for one in fields(self)}
        for pattern, more in self.targets.items():
            if fnmatchcase(name, pattern):
                for key, value in more.items():
                    merged[key] = {**merged[key], **value} if isinstance(value, dict) else value
        return Project(**merged)


def project_of(target: Target) -> Project:
    """What the project of a target says: the nearest pyproject.toml with such a section above its source.

    An installed target has no project; for it counts the one of the current folder. Nothing is imported.
    """
    folder = _folder(target)
    if folder is None or INSTALLED & set(folder.parts):
        folder = Path.cwd()
    for parent in (folder, *folder.parents):
        if (found := read(parent / "pyproject.toml")) is not None:
            return found.for_target(target.text)
    return Project()


def _folder(target: Target) -> Path | None:
    """Where the source of a target is, as far as that can be known without importing it."""
    if target.origin == "file":
        return Path(parse(target.text).place).resolve().parent
    module = target.name.partition(":")[0]
    if target.origin in {"id", "plugin"}:
        providers = plugins.providers(target.kind, target.name)
        if not providers:
            return None
        module = providers[0].value.partition(":")[0]
    try:
        spec = PathFinder.find_spec(module.partition(".")[0], [str(Path.cwd()), *sys.path])
    except (ImportError, ValueError):
        return None
    places = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
    return next((Path(place).resolve().parent for place in places if place), None)


def read(file: Path) -> Project | None:
    """The section of a pyproject.toml; None where there is no such file or section.

    Raises:
        ProjectError: it says something that cannot be meant.
    """
    if not file.is_file():
        return None
    return _parsed(file, file.stat().st_mtime_ns)


@cache
def _parsed(file: Path, _changed: int) -> Project | None:
    try:
        section = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("gymkernel", {}).get("check")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ProjectError(f"{file} cannot be read: {exc}") from exc
    if section is None:
        return None
    found = _checked(file, "tool.gymkernel.check", section)
    several = found.get("targets", {})
    found["targets"] = {key: _checked(file, f'tool.gymkernel.check.targets."{key}"', several[key]) for key in several}
    return Project(file=file, **found)


def _checked(file: Path, where: str, section: dict[str, Any]) -> dict[str, Any]:
    """A section with its keys as attributes, lists as tuples, and codes in capitals."""
    found: dict[str, Any] = {}
    for written, value in section.items():
        key = written.replace("-", "_")
        if key not in TYPES:
            raise ProjectError(f"{file}: [{where}] has {written!r}; expected one of {', '.join(sorted(TYPES))}")
        if not isinstance(value, TYPES[key]) or (key == "severity" and value not in SEVERITIES):
            names = {list: "a list", dict: "a table", bool: "true or false", str: f"one of {', '.join(SEVERITIES)}"}
            raise ProjectError(f"{file}: {written} of [{where}] is {value!r}; expected {names[TYPES[key]]}")
        found[key] = tuple(value) if isinstance(value, list) else value
    if "expected_failures" in found:
        found["expected_failures"] = {code.upper(): str(why) for code, why in found["expected_failures"].items()}
    return found
