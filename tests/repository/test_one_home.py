"""Tests that each concept is implemented once. For example, a second function that counts cores is a defect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("kernel/tests/**/*.py"), *ROOT.glob("plugins/*/*/tests/**/*.py")]
SOURCES = [*ROOT.glob("kernel/src/**/*.py"), *ROOT.glob("plugins/*/*/src/**/*.py"), *ROOT.glob("tools/*.py")]
CONTROL = "plugins/envs/classic-control/src/gymkernel_env_classic_control"

HOMES = {
    "how many processors this process may use": (
        r"\bcpu_count\(|len\(os\.sched_getaffinity|cgroup/cpu\.max",
        "plugins/utils/vector/src/gymkernel_util_vector/cores.py",
    ),
    "a dotted attribute through wrappers": (
        r"operator\.attrgetter\(rest\)",
        "plugins/utils/vector/src/gymkernel_util_vector/attributes.py",
    ),
    "whether a wrapper or the environment has an attribute": (
        r"has_wrapper_attr\(name\)\) if",
        "kernel/src/gymkernel/wrapper.py",
    ),
    "the equations of CartPole": (r"4\.0 ?/ ?3|gravity \* sine", f"{CONTROL}/cartpole_mechanics.py"),
    "the equations of MountainCar": (r"push - pull|\b0\.0025\b", f"{CONTROL}/valley.py"),
    "the equations of Pendulum": (r"3 \* \w+\.g\b|3\.0 / \(|\*\* ?two \+ 0\.1", f"{CONTROL}/pendulum_rod.py"),
    "the equations of Acrobot": (r"phi1 =|weight2 \* fall2", f"{CONTROL}/acrobot_links.py"),
}


@pytest.mark.parametrize("concept", HOMES)
def test_concept_has_one_home(concept: str) -> None:
    pattern, home = HOMES[concept]
    programs = [*SOURCES, *ROOT.glob("tests/benchmarks/*.py")]
    code = {path: re.sub(r'"""(?s:.*?)"""', "", path.read_text(encoding="utf-8")) for path in programs}
    found = {path.relative_to(ROOT).as_posix() for path, text in code.items() if re.search(pattern, text)}
    assert found == {home}


def test_no_glob_pattern_searches_proc() -> None:
    """Forbid globbing in `/proc`, because `Path.glob` raises ProcessLookupError if a process ends during the search."""
    pattern = re.compile(r'glob\(f?["\'](?:/proc/)?(?:\*|\[0-9\]\*)/(?:stat|maps|cmdline|status|fd|task)')
    found = [path for path in [*SOURCES, *TESTS] if pattern.search(path.read_text(encoding="utf-8"))]
    assert found == []
