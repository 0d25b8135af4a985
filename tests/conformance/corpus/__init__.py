"""A corpus of more than a hundred environments with one common defect each, and of unusual but correct environments.

`python -m tests.conformance.corpus` prints what `gymkernel check` finds in these environments.
"""

from __future__ import annotations

from .defects import DEFECTS, Defect
from .measuring import Outcome, measure
from .unusual import LEGAL

__all__ = ["DEFECTS", "LEGAL", "Defect", "Outcome", "measure"]
