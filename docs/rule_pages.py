"""Write a page for each rule of `gymkernel check`, from the rule and its example, and an index of the pages.

An example is a module such as `reference/rules/examples/gk404.py`. Its docstring says what is wrong, the rule reports
`Wrong`, and the rule accepts `Right`. A test checks both.
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
    "plugins": "the entry points of installed distributions",
    "any": "every kind of target",
}
PROFILES: Final = {
    "fast": "in every profile, including `--fast`",
    "default": "by default and with `--thorough`",
    "thorough": "with `--thorough`",
}
LIBRARIES: Final = {"sb3": "Stable-Baselines3", "async": "vector environments whose workers share memory"}


def pages() -> dict[str, str]:
    """Return the text of each page by its name, which is "index" or the code of a rule in lower case."""
    rules = [rule for rule in checks.rules() if rule.function.__module__.startswith("gymkernel_tool_check.")]
    rules = [rule for rule in rules if rule.code.startswith("GK")]
    return {"index": _index(rules), **{rule.code.lower(): _page(rule) for rule in rules}}


def _index(rules: list[Rule]) -> str:
    text = [
        "# Rules",
        "",
        "Each page says what a rule of `gymkernel check` checks, why it matters and how to fix its findings.",
        "Plugins may add their own rules.",
        "",
    ]
    text += ["The guide [Check what you publish](../../guides/checking.md) explains how to run the checks.", ""]
    families: dict[str, list[Rule]] = {}
    for rule in sorted(rules, key=lambda rule: rule.code):
        families.setdefault(rule.heading, []).append(rule)
    for heading, members in families.items():
        text += ["", f"## {heading[:1].upper()}{heading[1:]}", "", "| rule | severity | requirement |"]
        text += ["| --- | --- | --- |"]
        text += [f"| [{rule.code}]({rule.code.lower()}.md) | {rule.severity} | {rule.title} |" for rule in members]
    entries = [rule.code.lower() for rule in sorted(rules, key=lambda rule: rule.code)]
    return "\n".join([*text, "", "```{toctree}", ":hidden:", "", *entries, "```", ""])


def _page(rule: Rule) -> str:
    profile = PROFILES[rule.profile]
    if rule.compat:
        library = LIBRARIES.get(rule.compat, rule.compat)
        profile = f"with `--compat {rule.compat}`, because it describes a limitation of {library}"
    head = [f"# {rule.code}: {rule.title}", "", f"* Severity: {rule.severity}", f"* Applies to: {KINDS[rule.kind]}"]
    head += [f"* Family: {rule.heading}", f"* Runs: {profile}", ""]
    head += [f"**Why.** {rule.why}", "", f"**Fix.** {rule.fix}", ""]
    looks = inspect.cleandoc(rule.doc) or inspect.getdoc(rule.function) or ""
    head += [f"**Check.** {looks}", ""] if looks else []
    return "\n".join(
        [
            *head,
            *_example(rule),
            f"`gymkernel check --explain {rule.code}` shows this rule in a terminal. See also [all rules](index.md).",
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
    """Return the name that a class, a function or an assignment defines, if the name is `Wrong` or `Right`."""
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
