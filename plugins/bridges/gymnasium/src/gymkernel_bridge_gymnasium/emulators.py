"""Set `one_per_process` in the metadata of stable-retro's environments, because a process can run only one emulator.

gymkernel imports this module as soon as stable-retro is also imported.
"""

from __future__ import annotations

import sys
from typing import Any

if (_library := sys.modules.get("stable_retro")) is not None:
    _class: Any = _library.RetroEnv
    _class.metadata["one_per_process"] = True
