"""The command `gymkernel play` and the function `play`, which let a human play an environment.

All modules are imported only when they are needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # otherwise, pygame prints a greeting when it is imported

if TYPE_CHECKING:
    from gymkernel_tool_play.game import PlayableGame, display_arr, play
    from gymkernel_tool_play.keys import MissingKeysToAction
    from gymkernel_tool_play.plot import PlayPlot

__all__ = ["MissingKeysToAction", "PlayPlot", "PlayableGame", "display_arr", "play"]

__getattr__ = lazy_names(
    __name__, game=("PlayableGame", "display_arr", "play"), keys=("MissingKeysToAction",), plot=("PlayPlot",)
)
