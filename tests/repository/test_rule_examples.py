"""Tests that the wrong example on each rule's page breaks the rule and that the right example satisfies it.

An example is docs/reference/rules/examples/<code>.py: a module with a docstring, `Wrong` and `Right`. These are classes
or functions that create the object that the rule checks. For a rule about distributions, they are dictionaries of
files.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import plugins
from gymkernel.checks import check, rules
from gymkernel_tool_check.catalogue import LAST
from gymkernel_tool_check.options import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks import Report

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rules" / "examples"
OWN = {rule.code: rule for rule in rules() if rule.function.__module__.startswith("gymkernel_tool_check.")}
WRITTEN = {path.stem.upper() for path in FOLDER.glob("gk*.py")}
ALONE = {"GK003"}
"""Rules whose examples can run only in a separate process."""
TIMED = {"GK957", "GK958"}
"""Rules that use the whole time budget."""


def _load(code: str) -> Any:
    name = f"example_{code.lower()}"
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{code.lower()}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in [name for name in sys.modules if name.startswith(("example_", "acme_"))]:
        del sys.modules[name]
    plugins.refresh()


def _check(code: str, which: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Return the rule's report on one example. The rules in `ALONE` run in a separate process."""
    if code not in TIMED:  # findings must not depend on the load of the machine
        monkeypatch.setitem(PROFILES, "thorough", (PROFILES["thorough"][0], 30.0))
    made: dict[str, Any] = {"profile": "thorough", "compat": ("sb3", "async"), "measure": False}
    made["select"] = [] if code in LAST else [code]
    thing = getattr(_load(code), which)
    if isinstance(thing, dict):
        for name, text in thing.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        plugins.refresh()
        return check(_target(thing, code), **made)
    if code not in ALONE:
        report = check(thing, **made)
        if code not in report.skipped:
            return report
    return check(f"{FOLDER / f'{code.lower()}.py'}:{which}", **made)


def _target(files: dict[str, str], code: str) -> Any:
    from gymkernel_tool_check.targets import expand

    metadata = next(text for name, text in files.items() if name.endswith("METADATA"))
    name = next(line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Name: "))
    return next(
        item for item in expand(name) if (item.origin == "distribution") == (OWN[code].kind in {"distributions", "any"})
    )


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(OWN.keys() & WRITTEN))
def test_wrong_example_breaks_its_rule(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _check(code, "Wrong", tmp_path, monkeypatch)

    assert code in {finding.code for finding in report.findings}, report.skipped.get(code)


@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(OWN.keys() & WRITTEN))
def test_right_example_passes_its_rule(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _check(code, "Right", tmp_path, monkeypatch)

    assert code in report.passed, [*map(str, report.findings), report.skipped.get(code)]


def test_every_rule_has_exactly_one_example() -> None:
    assert OWN.keys() == WRITTEN


def test_examples_say_what_they_show() -> None:
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in FOLDER.glob("gk*.py")}
    assert [name for name, tree in trees.items() if not (ast.get_docstring(tree) or "").endswith(".")] == []
