"""More than a hundred environments that each have one common defect, and unusual but correct environments.

`python -m tests.conformance.corpus` prints what `gymkernel check` finds in these environments.
"""

from __future__ import annotations

from .defects import DEFECTS, Defect
from .measuring import Outcome, measure
from .unusual import LEGAL

__all__ = ["DEFECTS", "LEGAL", "Defect", "Outcome", "measure"]
