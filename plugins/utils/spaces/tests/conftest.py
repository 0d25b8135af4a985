"""Fake distributions, as in the kernel's tests, in addition to the tested distribution."""

from __future__ import annotations

import pytest
from kernel.tests.conftest import disable, install

__all__ = ["disable", "install", "really_installed"]


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Return the folders of distributions that a scan finds in addition to those of a test."""
    return ("gymkernel-util-spaces",)
