"""Operations on single elements of spaces, and descriptions of spaces."""

from __future__ import annotations

from gymkernel.plugins import facade

__getattr__, __dir__ = facade(__name__, "utils", globals())
