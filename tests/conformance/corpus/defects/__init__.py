"""Environments with defects. Each module contains the defects of one subject."""

from __future__ import annotations

from ..registry import DEFECTS, Defect
from . import attributes, episodes, habits, instances, observations, seeds, spaces, surroundings

__all__ = ["DEFECTS", "Defect", "attributes", "episodes", "habits", "instances", "observations", "seeds", "spaces"]
__all__ += ["surroundings"]
