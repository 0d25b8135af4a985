"""The limit of stable-retro, which has one emulator per process, in the metadata of its environments.

gymkernel imports this module as soon as stable-retro is imported, too.
"""

from __future__ import annotations

import sys
from typing import Any

if (_library := sys.modules.get("stable_retro")) is not None:
    _class: Any = _library.RetroEnv
    _class.metadata["one_per_process"] = True
