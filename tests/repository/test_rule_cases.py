"""Tests that every rule of `gymkernel check` is tested with at least two cases that break it and a similar correct one.

These tests read the cases, and other tests run them. A case is an example on the page of a rule (`Wrong`, and the legal
`Right`), an element of a list in a table of the checker's tests, such as `BROKEN: dict = {"GK404": [Swapping,
Inside]}`, or a class of the corpus with the decorator `@defect("GK404")`.
"""

from __future__ import annotations

import ast
from pathlib import Path

from gymkernel.checks import rules

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "reference" / "rules" / "examples"
CODES = sorted(rule.code for rule in rules() if rule.function.__module__.startswith("gymkernel_tool_check."))
LEGAL_TABLES = {"STEADY"}
"""The names of tables that contain correct cases."""


def cases() -> dict[str, list[str]]:
    """Return, for each rule, the places that define cases which break it."""
    found: dict[str, list[str]] = {code: [] for code in CODES}
    for path in sorted((ROOT / "plugins/tools/check/tests").glob("test_*.py")):
        for code, table, count in tables(ast.parse(path.read_text(encoding="utf-8"))):
            found.get(code, []).extend([f"{path.name}: {table}"] * count)
    for path in sorted((ROOT / "tests" / "conformance" / "corpus" / "defects").glob("*.py")):
        for code, name in defects(ast.parse(path.read_text(encoding="utf-8"))):
            found[code].append(f"{path.name}: {name}")
    for code, where in found.items():
        if {"Wrong", "Right"} <= names(EXAMPLES / f"{code.lower()}.py"):
            where.append("example")
    return found


def tables(tree: ast.Module) -> list[tuple[str, str, int]]:
    """Return the rule codes in the tables of a module, each with the name of the table and the number of cases."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                is_case = isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.List)
                if is_case and node.target.id not in LEGAL_TABLES:
                    found.append((key.value, node.target.id, len(value.elts)))  # type: ignore[union-attr, attr-defined]
    return found


def defects(tree: ast.Module) -> list[tuple[str, str]]:
    """Return the classes in a module of the corpus, each with the code of the rule that must report the class."""
    return [
        (item.args[0].value, node.name)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for item in node.decorator_list
        if isinstance(item, ast.Call) and isinstance(item.args[0], ast.Constant) and isinstance(item.args[0].value, str)
    ]


def names(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    assigned = {target.id for target in targets if isinstance(target, ast.Name)}
    return assigned | {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


CASES = cases()


def test_every_rule_has_two_broken_cases_and_a_legal_one() -> None:
    without = [code for code in CODES if "example" not in CASES[code]]
    assert not without, "these rules have no legal case: write docs/reference/rules/examples/<code>.py"
    few = {code: CASES[code] for code in CODES if len(CASES[code]) < 2}
    assert not few, "these rules have only one broken case; add a case to a table in their tests"


def test_empty_case_table_does_not_count() -> None:
    tree = ast.parse('BROKEN: dict = {"GK404": [A, B], "GK405": []}\nSTEADY: dict = {"GK404": [C]}\nother = {"x": 1}')

    assert tables(tree) == [("GK404", "BROKEN", 2), ("GK405", "BROKEN", 0)]
