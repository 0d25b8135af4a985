"""Fake distributions, as in the kernel's tests, in addition to the checker and its dependencies."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import _untouched_registry, disable, install

from gymkernel_tool_check import env_checker
from gymkernel_tool_check.cli import running
from gymkernel_tool_check.options import PROFILES

__all__ = ["_untouched_registry", "disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Return the distributions that are found in addition to those that a test installs."""
    return "gymkernel-tool-check", "gymkernel-util-spaces", "gymkernel-util-tools"


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give checks unlimited time, so that findings do not depend on the load of the machine."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))
    monkeypatch.setattr(running, "BUDGET", 600.0)
    monkeypatch.setattr(env_checker, "BUDGET", 600.0)
