"""`gymkernel.utils.save_video`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_util_video import capped_cubic_video_schedule as capped_cubic_video_schedule
    from gymkernel_util_video import save_video as save_video

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
