"""A page for each rule of `gymkernel check`, from the rule itself and from its example, and an index of them.

An example is `reference/rules/examples/gk404.py`: a module whose docstring says what goes wrong, with `Wrong`, in which
the rule finds what it is about, and `Right`. A test checks both.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gymkernel import checks

if TYPE_CHECKING:
    from gymkernel.checks import Rule

__all__ = ["EXAMPLES", "pages"]

EXAMPLES: Final = Path(__file__).resolve().parent / "reference" / "rules" / "examples"
KINDS: Final = {
    "envs": "environments",
    "spaces": "spaces",
    "wrappers": "wrappers",
    "vector": "vector environments",
    "vector_wrappers": "wrappers of vector environments",
    "distributions": "distributions",
    "commands": "commands",
    "hooks": "hooks",
    "plugins": "what an installed distribution provides",
    "any": "everything",
}
PROFILES: Final = {
    "fast": "in every profile, also with `--fast`",
    "default": "by default, and with `--thorough`",
    "thorough": "with `--thorough`",
}
LIBRARIES: Final = {"sb3": "Stable-Baselines3", "async": "vector environments whose workers share memory"}


def pages() -> dict[str, str]:
    """The text of each page by its name: "index", and the code of each rule in small letters."""
    rules = [rule for rule in checks.rules() if rule.function.__module__.startswith("gymkernel_tool_check.")]
    rules = [rule for rule in rules if rule.code.startswith("GK")]
    return {"index": _index(rules), **{rule.code.lower(): _page(rule) for rule in rules}}


def _index(rules: list[Rule]) -> str:
    text = [
        "# Rules",
        "",
        "What `gymkernel check` looks at, and what each finding means. A plugin may add rules of its own.",
        "",
    ]
    text += ["How to use them: [Check what you publish](../../guides/checking.md).", ""]
    families: dict[str, list[Rule]] = {}
    for rule in sorted(rules, key=lambda one: one.code):
        families.setdefault(rule.heading, []).append(rule)
    for heading, members in families.items():
        text += ["", f"## {heading[:1].upper()}{heading[1:]}", "", "| rule | severity | what holds |"]
        text += ["| --- | --- | --- |"]
        text += [f"| [{rule.code}]({rule.code.lower()}.md) | {rule.severity} | {rule.title} |" for rule in members]
    entries = [rule.code.lower() for rule in sorted(rules, key=lambda one: one.code)]
    return "\n".join([*text, "", "```{toctree}", ":hidden:", "", *entries, "```", ""])


def _page(rule: Rule) -> str:
    profile = PROFILES[rule.profile]
    if rule.compat:
        profile = f"with `--compat {rule.compat}`: a limit of {LIBRARIES.get(rule.compat, rule.compat)}"
    head = [f"# {rule.code}: {rule.title}", "", "| | |", "| --- | --- |"]
    head += [f"| severity | {rule.severity} |", f"| applies to | {KINDS[rule.kind]} |", f"| family | {rule.heading} |"]
    head += [f"| runs | {profile} |", "", f"**Why.** {rule.why}", "", f"**Fix.** {rule.fix}", ""]
    looks = inspect.cleandoc(rule.doc) or inspect.getdoc(rule.function) or ""
    head += [f"**What the rule checks.** {looks}", ""] if looks else []
    return "\n".join(
        [
            *head,
            *_example(rule),
            f"All rules: [Rules](index.md). In a terminal: `gymkernel check --explain {rule.code}`.",
            "",
        ]
    )


def _example(rule: Rule) -> list[str]:
    path = EXAMPLES / f"{rule.code.lower()}.py"
    if not path.is_file():
        return []
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines = source.splitlines()
    starts = {_name(node): (_first(node), node.end_lineno or 0) for node in tree.body if _name(node)}
    wrong, right = starts["Wrong"], starts["Right"]
    begin = tree.body[0].end_lineno or 0
    first = "\n".join(lines[begin : wrong[1]]).strip().removeprefix("from __future__ import annotations").strip()
    second = "\n".join(lines[max(right[0] - 1, wrong[1]) : right[1]]).strip()
    text = ["## Example", "", ast.get_docstring(tree) or "", "", "Wrong:", "", "```python", first, "```", ""]
    return [*text, "Right:", "", "```python", second, "```", ""]


def _name(node: ast.stmt) -> str:
    """The name that a class, a function or an assignment defines, if it is that of an example."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        name = node.name
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
    else:
        name = ""
    return name if name in {"Wrong", "Right"} else ""


def _first(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno
