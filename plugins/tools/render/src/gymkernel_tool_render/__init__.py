"""The command `gymkernel render`, which renders an environment to an image, a video or the terminal.

Programs can call `record` instead. The command line imports this package whenever it shows a help text, so all modules
of the package are imported only when they are needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gymkernel_tool_render.recording import Recording, record
    from gymkernel_tool_render.sheet import contact_sheet

__all__ = ["Recording", "contact_sheet", "record"]

_HOME: Final = {
    "Recording": "recording",
    "contact_sheet": "sheet",
    "record": "recording",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
