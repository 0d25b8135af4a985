"""What `gymkernel check` is given of environments that an id alone does not make: a function for each family."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from families import FAMILIES

_BY_NAME = {family.name.replace("-", "_"): family for family in FAMILIES}


def __getattr__(name: str) -> Any:
    if name not in _BY_NAME:
        raise AttributeError(name)
    return _BY_NAME[name].make
