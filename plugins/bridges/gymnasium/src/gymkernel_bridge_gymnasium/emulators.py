"""Support for stable-retro, whose environments get `one_per_process` in their metadata.

A process can run only one emulator at a time. gymkernel imports this module as soon as stable-retro is imported.
"""

from __future__ import annotations

import sys
from typing import Any

if (_library := sys.modules.get("stable_retro")) is not None:
    _class: Any = _library.RetroEnv
    _class.metadata["one_per_process"] = True
