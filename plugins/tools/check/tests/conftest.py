"""Fake distributions, as in the tests of the kernel, beside the checker and what it needs."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import _untouched_registry, disable, install

from gymkernel_tool_check import env_checker
from gymkernel_tool_check.cli import running
from gymkernel_tool_check.options import PROFILES

__all__ = ["_untouched_registry", "disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Distributions that a scan finds beside those that a test installs."""
    return "gymkernel-tool-check", "gymkernel-util-spaces", "gymkernel-util-tools"


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give checks all the time they need: what a rule finds is not to depend on how busy a machine is."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))
    monkeypatch.setattr(running, "BUDGET", 600.0)
    monkeypatch.setattr(env_checker, "BUDGET", 600.0)
