"""A probe that runs `validate-pyproject` and `twine check` on the source of a distribution."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from gymkernel_tool_check import installed
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import safely
from gymkernel_tool_check.subject import Subject

__all__ = ["packaging"]

COLOUR: Final = re.compile(r"\x1b\[[\d;]*m")
ERROR: Final = re.compile(r"ERROR\]?\s+(.*?)(?=\n\S|\Z)", re.DOTALL)
"""Matches an error message of `validate-pyproject` or `twine`, together with the indented lines that follow it."""


@probe(last=True)
def packaging(subject: Subject) -> dict[str, str]:
    """Run the packaging tools that are installed, and return the first error from each tool, keyed by tool."""
    name = subject.found["distribution"]
    folder = next((path for path in [Path.cwd(), *_source(name)] if _is_project(path, name)), None)
    if folder is None:
        raise Skip(f"the pyproject.toml of {name} is neither in the current folder nor where {name} was installed from")
    stem = installed.normalize(name).replace("-", "_")
    archives = [str(path) for path in sorted(folder.glob("dist/*")) if path.name.startswith(f"{stem}-")]
    calls = {"validate_pyproject": [str(folder / "pyproject.toml")]}
    calls |= {"twine": ["check", *archives]} if archives else {}
    calls = {tool: arguments for tool, arguments in calls.items() if PathFinder.find_spec(tool) is not None}
    if not calls:
        raise Skip("the tools are not installed; run: pip install validate-pyproject twine")
    return {tool: _mistake_found_by(subject, tool, arguments) for tool, arguments in calls.items()}


def _source(name: str) -> list[Path]:
    """Return a list with the local folder from which a distribution was installed, or an empty list."""
    found = installed.distribution(name)
    url = urlsplit(json.loads((found and found.read_text("direct_url.json")) or "{}").get("url", ""))
    return [Path(url2pathname(url.path))] if url.scheme == "file" else []


def _is_project(folder: Path, name: str) -> bool:
    """Return whether a folder contains the pyproject.toml of a distribution, even if the file is partly invalid."""
    file = folder / "pyproject.toml"
    project = safely(lambda: tomllib.loads(file.read_text(encoding="utf-8")).get("project"))
    given = project.get("name") if isinstance(project, dict) else None
    return isinstance(given, str) and installed.normalize(given) == installed.normalize(name)


def _mistake_found_by(subject: Subject, tool: str, arguments: list[str]) -> str:
    """Return the first error that a tool reports, joined into one line, or "" if it reports none."""
    subject.at(tool, within=subject.options.import_timeout)
    environment = {**os.environ, "NO_NETWORK": "true", "NO_COLOR": "1"}  # do not download the list of classifiers
    command = [sys.executable, "-m", tool, *arguments]
    streams: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    result = subprocess.run(command, env=environment, text=True, check=False, **streams)  # noqa: S603 - the program is known
    if not result.returncode:
        return ""
    text = COLOUR.sub("", result.stdout)
    error = ERROR.search(text)
    return " ".join((error[1] if error else text).split())
