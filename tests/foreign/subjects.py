"""Functions that create environments without an id, for `gymkernel check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def retro(**options: Any) -> Any:
    """Create an environment that runs an emulator."""
    from tests.foreign.families import FAMILIES

    return next(family for family in FAMILIES if family.single).make()
