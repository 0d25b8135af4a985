"""Contain more than a hundred environments with one common defect each, and many unusual but correct environments.

`python -m tests.conformance.corpus` shows the findings of `gymkernel check` for them.
"""

from __future__ import annotations

from .defects import DEFECTS, Defect
from .measuring import Outcome, measure
from .unusual import LEGAL

__all__ = ["DEFECTS", "LEGAL", "Defect", "Outcome", "measure"]
