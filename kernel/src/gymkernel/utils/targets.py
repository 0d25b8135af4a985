"""`gymkernel.utils.targets`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_util_targets import EnvTarget as EnvTarget
    from gymkernel_util_targets import find_env as find_env
    from gymkernel_util_targets import find_object as find_object

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
