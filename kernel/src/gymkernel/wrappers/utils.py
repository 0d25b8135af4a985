"""Helpers for wrappers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.ops import create_zero_array
from gymkernel.plugins import facade

if TYPE_CHECKING:
    # stamped by tools/sync.py
    pass
    # end of stamp
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())

__all__ = ["create_zero_array"]
