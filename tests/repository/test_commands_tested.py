"""Tests that every command is tested from its wheel in a new process, and that no test sets up a display for it."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
import toxfile
from tests.repository.statements import statements

from gymkernel._known import KNOWN
from gymkernel.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
TESTED = ROOT / "tests" / "commands"
PROJECTS = sorted(ROOT.glob("plugins/*/*/pyproject.toml"))
TESTS = [path for folder in ("kernel/tests", "plugins/*/*/tests", "tests") for path in ROOT.glob(f"{folder}/**/*.py")]
STARTS = {"init", "set_mode"}
"""Functions that initialise a display. A fixture that calls them would hide that a command forgets to do so."""


def with_commands() -> dict[str, dict[str, str]]:
    """Return the commands of each distribution that provides commands, keyed by its tox environment."""
    projects = {f"plugin-{path.parent.parent.name}-{path.parent.name}": project(path) for path in PROJECTS}
    points = {name: found.get("entry-points", {}).get("gymkernel.commands", {}) for name, found in projects.items()}
    return {name: commands for name, commands in points.items() if commands}


def project(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    return found


def test_every_command_is_tested_from_a_wheel() -> None:
    assert {command for commands in with_commands().values() for command in commands} == set(KNOWN["commands"])
    assert not set(KNOWN["commands"]) & set(COMMANDS)


@pytest.mark.parametrize("environment", with_commands())
def test_commands_of_a_wheel_start_in_its_own_environment(environment: str) -> None:
    _, runs = toxfile._tests()[environment]
    assert ["-k", " or ".join(with_commands()[environment]), TESTED] in runs


def test_kernel_commands_start_without_and_with_all_plugins() -> None:
    assert [TESTED] in toxfile._tests()["kernel-alone"][1]
    distribution, runs = toxfile._tests()["full"]
    assert distribution == "gymkernel[full]"
    assert ["-k", "starts", TESTED] in runs


def test_no_fixture_prepares_what_a_program_must_do() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)}"
        for path in TESTS
        if "fixture" in (text := path.read_text(encoding="utf-8"))
        for fixture in statements(ast.parse(text).body)
        if isinstance(fixture, ast.FunctionDef) and any("fixture" in ast.unparse(d) for d in fixture.decorator_list)
        for call in ast.walk(fixture)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in STARTS
    ]
    assert not found
