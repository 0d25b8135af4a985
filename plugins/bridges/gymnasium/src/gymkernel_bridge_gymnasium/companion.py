"""What joins the two libraries: gymkernel imports this module as soon as Gymnasium is imported, too.

Set `GYMKERNEL_GYMNASIUM_BASES=0` to keep the classes of the two libraries apart: the ids are registered all the same.
"""

from __future__ import annotations

import os

from gymkernel_bridge_gymnasium import joined_registry  # noqa: F401 - its import joins the registries of ids

if os.environ.get("GYMKERNEL_GYMNASIUM_BASES", "1") != "0":
    from gymkernel_bridge_gymnasium.hierarchy import is_joined, join

    join()
    if is_joined():
        from gymkernel_bridge_gymnasium import adoption  # noqa: F401 - it registers what needs the bases
