"""Fixtures from the kernel's tests that create fake installed packages."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import disable, install

__all__ = ["disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Return the folders of real packages that plugin scans find in addition to a test's fake packages."""
    return ("gymkernel-util-spaces",)
