"""Fake distributions, as in the tests of the kernel, beside the one whose tests these are."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import disable, install

__all__ = ["disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Distributions that a scan finds beside those that a test installs."""
    return ("gymkernel-util-spaces",)
