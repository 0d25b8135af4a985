"""The command `gymkernel render`, which renders an environment to an image, a video or the terminal.

Programs can call `record` instead. The command line imports this package whenever it shows a help text, so all modules
of the package are imported only when they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_tool_render.recording import Recording, record
    from gymkernel_tool_render.sheet import contact_sheet

__all__ = ["Recording", "contact_sheet", "record"]

__getattr__ = lazy_names(__name__, recording=("Recording", "record"), sheet=("contact_sheet",))
