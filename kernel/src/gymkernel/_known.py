"""Which distribution provides which name: stamped by tools/sync.py from the plugins of this repository."""

from __future__ import annotations

from typing import Final

KNOWN: Final[dict[str, dict[str, str]]] = {}
