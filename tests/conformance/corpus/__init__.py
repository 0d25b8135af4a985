"""A hundred defects that people write, and as many environments as are unusual and right.

`python -m tests.conformance.corpus` shows what `gymkernel check` says of them.
"""

from __future__ import annotations

from .defects import DEFECTS, Defect
from .measuring import Outcome, measure
from .unusual import LEGAL

__all__ = ["DEFECTS", "LEGAL", "Defect", "Outcome", "measure"]
