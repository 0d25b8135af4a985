"""The command `gymkernel play` and the function `play`, which let a human play an environment.

All modules are imported only when they are needed.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # otherwise, pygame prints a greeting when it is imported

if TYPE_CHECKING:
    from gymkernel_tool_play.game import PlayableGame, display_arr, play
    from gymkernel_tool_play.keys import MissingKeysToAction
    from gymkernel_tool_play.plot import PlayPlot

__all__ = ["MissingKeysToAction", "PlayPlot", "PlayableGame", "display_arr", "play"]

_HOME: Final = {
    "MissingKeysToAction": "keys",
    "PlayPlot": "plot",
    "PlayableGame": "game",
    "display_arr": "game",
    "play": "game",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
