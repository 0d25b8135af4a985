"""Test that the tutorial's environment satisfies every rule."""

from __future__ import annotations

import pytest

from gymkernel.testing import conformance

test_conformance = pytest.mark.slow(conformance("gymkernel-env-grid-world"))
