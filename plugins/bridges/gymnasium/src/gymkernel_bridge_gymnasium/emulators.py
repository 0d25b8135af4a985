"""The limit of stable-retro, which has one emulator per process, in the metadata of its environments.

gymkernel imports this module as soon as stable-retro is imported, too.
"""

from __future__ import annotations

import sys
from typing import Any

_stable_retro: Any = sys.modules["stable_retro"]
_stable_retro.RetroEnv.metadata["one_per_process"] = True
