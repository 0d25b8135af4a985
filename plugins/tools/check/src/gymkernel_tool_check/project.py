"""The settings in the section `[tool.gymkernel.check]` of a project's pyproject.toml."""

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
TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(("select", "ignore", "compat"), list),
    **dict.fromkeys(("expected_failures", "make_kwargs", "targets"), dict),
    **dict.fromkeys(("single_instance", "nondeterministic"), bool),
    "severity": str,
}


class ProjectError(error.Error):
    """Raised if the section `[tool.gymkernel.check]` of a pyproject.toml is invalid."""


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a project. Command-line options override them.

    Attributes:
        file: the path of the pyproject.toml, or None if the project has none.
        select, ignore: prefixes of the codes of the rules to check, and of the rules not to check.
        severity: the lowest severity of findings that are reported and that count as failures.
        compat: other libraries whose restrictions the check enforces ("sb3" or "async").
        expected_failures: the rules that are known to be broken, as a dictionary from codes to reasons.
        single_instance, nondeterministic, make_kwargs: the arguments of the same names for `gymkernel.checks.check`.
        targets: maps patterns to settings that apply only to targets whose names match.
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
        """Return the settings for one target: the project's settings, updated with those of every matching pattern.

        Dictionaries are merged. Other values are replaced.
        """
        merged = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        for pattern, more in self.targets.items():
            if fnmatchcase(name, pattern):
                for key, value in more.items():
                    merged[key] = {**merged[key], **value} if isinstance(value, dict) else value
        return Project(**merged)


def project_of(target: Target) -> Project:
    """Return the settings in the closest pyproject.toml above the target's source.

    For an installed target, the search starts in the current folder. The target is not imported.
    """
    folder = _folder(target)
    if folder is None or INSTALLED & set(folder.parts):
        folder = Path.cwd()
    for parent in (folder, *folder.parents):
        if (found := read(parent / "pyproject.toml")) is not None:
            return found.for_target(target.text)
    return Project()


def _folder(target: Target) -> Path | None:
    """Return the folder with the target's source, or None if finding it would require an import of the target."""
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
    """Return the settings in a pyproject.toml, or None if the file or its section does not exist.

    Raises:
        ProjectError: if the settings are invalid.
    """
    return _parse(file, file.stat().st_mtime_ns) if file.is_file() else None


@cache
def _parse(file: Path, _changed: int) -> Project | None:
    try:
        section = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("gymkernel", {}).get("check")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ProjectError(f"{file} cannot be read: {exc}") from exc
    if section is None:
        return None
    found = _check_section(file, "tool.gymkernel.check", section)
    several = found.get("targets", {})
    found["targets"] = {
        key: _check_section(file, f'tool.gymkernel.check.targets."{key}"', several[key]) for key in several
    }
    return Project(file=file, **found)


def _check_section(file: Path, where: str, section: dict[str, Any]) -> dict[str, Any]:
    """Validate a section. Return it with keys as attribute names, lists as tuples, and codes in upper case."""
    found: dict[str, Any] = {}
    for written, value in section.items():
        key = written.replace("-", "_")
        if key not in TYPES:
            known = ", ".join(sorted(TYPES))
            raise ProjectError(f"{file}: unknown key {written!r} in [{where}]; expected one of {known}")
        if not isinstance(value, TYPES[key]) or (key == "severity" and value not in SEVERITIES):
            names = {list: "a list", dict: "a table", bool: "true or false", str: f"one of {', '.join(SEVERITIES)}"}
            raise ProjectError(f"{file}: {written} in [{where}] must be {names[TYPES[key]]}, got {value!r}")
        found[key] = tuple(value) if isinstance(value, list) else value
    if "expected_failures" in found:
        found["expected_failures"] = {code.upper(): str(why) for code, why in found["expected_failures"].items()}
    return found
