"""Tests that one class determines episode boundaries: only a few known modules compare autoreset modes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
MEMBERS: Final = {"NEXT_STEP", "SAME_STEP", "DISABLED"}

DECIDES_BY_MODE: Final = {
    "plugins/bridges/pettingzoo/src/gymkernel_bridge_pettingzoo/vector.py": "resets the rows of a game together",
    "plugins/tools/check/src/gymkernel_tool_check/backends/rule_cases.py": "judges backends by itself",
    "plugins/tools/check/src/gymkernel_tool_check/probes/probe_envs.py": "is the reference for backends",
    "plugins/utils/compatibility/src/gymkernel_util_compatibility/performance.py": "measures any environment",
    "plugins/utils/vector/src/gymkernel_util_vector/episodes.py": "has the class",
    "plugins/utils/vector/src/gymkernel_util_vector/loop.py": "steps the environments themselves",
    "plugins/utils/vector/src/gymkernel_util_vector/shards/batches.py": "refuses steps of finished environments",
    "plugins/vector/sync/src/gymkernel_vector_sync/__init__.py": "refuses steps of finished environments",
    "plugins/wrappers/autoreset/src/gymkernel_wrapper_autoreset/__init__.py": "wraps one environment",
}
"""The modules that compare an autoreset mode with a member of the enumeration, each with the reason."""


def compares_modes(text: str) -> bool:
    """Return whether the code compares a value with a member of `AutoresetMode` or with the name of a member."""
    if "AutoresetMode" not in text:
        return False
    compared = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare | ast.MatchValue)]
    attributes = (part for node in compared for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return any(part.attr in MEMBERS and "AutoresetMode" in ast.unparse(part.value) for part in attributes)


def test_comparisons_are_found() -> None:
    assert compares_modes("if self.mode is AutoresetMode.SAME_STEP: pass")
    assert compares_modes("x = mode not in (AutoresetMode.SAME_STEP, 1)")
    assert not compares_modes("def f(mode=AutoresetMode.SAME_STEP): pass")


def test_only_known_modules_decide_by_the_autoreset_mode() -> None:
    sources = [*ROOT.glob("kernel/src/**/*.py"), *ROOT.glob("plugins/*/*/src/**/*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in sources if compares_modes(path.read_text(encoding="utf-8"))}

    assert found == DECIDES_BY_MODE.keys()
