"""Fixtures for the tests of the checker: fake packages alongside the installed checker, and long time limits."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import _untouched_registry, disable, install

from gymkernel_tool_check import env_checker
from gymkernel_tool_check.cli import running
from gymkernel_tool_check.options import PROFILES

__all__ = ["_untouched_registry", "disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Return the names of the distributions that remain visible alongside those that a test installs."""
    return "gymkernel-tool-check", "gymkernel-util-spaces", "gymkernel-util-tools"


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give checks long time limits, so that the findings do not depend on the load of the machine."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))
    monkeypatch.setattr(running, "BUDGET", 600.0)
    monkeypatch.setattr(env_checker, "BUDGET", 600.0)
