"""The defects, by what they are about."""

from __future__ import annotations

from ..registry import DEFECTS, Defect
from . import episodes, instances, observations, seeds, spaces, surroundings

__all__ = ["DEFECTS", "Defect", "episodes", "instances", "observations", "seeds", "spaces", "surroundings"]
