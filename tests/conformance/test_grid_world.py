"""Test that the environment from the tutorial satisfies every rule of `gymkernel check`."""

from __future__ import annotations

import pytest

from gymkernel.testing import conformance

test_conformance = pytest.mark.slow(conformance("gymkernel-env-grid-world"))
