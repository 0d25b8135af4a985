"""Fake distributions, as in the tests of the kernel, beside the checker and what it needs."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import _untouched_registry, disable, install

__all__ = ["_untouched_registry", "disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Distributions that a scan finds beside those that a test installs."""
    return "gymkernel-tool-check", "gymkernel-util-comparison", "gymkernel-util-tools"
