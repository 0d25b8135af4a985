"""Mark stable-retro's environments with `one_per_process`, because a process can have only one emulator.

gymkernel imports this module when stable-retro is imported, too.
"""

from __future__ import annotations

import sys
from typing import Any

if (_library := sys.modules.get("stable_retro")) is not None:
    _class: Any = _library.RetroEnv
    _class.metadata["one_per_process"] = True
