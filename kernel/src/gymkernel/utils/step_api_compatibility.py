"""`gymkernel.utils.step_api_compatibility`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_util_step_api_compatibility import convert_to_done_step_api as convert_to_done_step_api
    from gymkernel_util_step_api_compatibility import (
        convert_to_terminated_truncated_step_api as convert_to_terminated_truncated_step_api,
    )
    from gymkernel_util_step_api_compatibility import step_api_compatibility as step_api_compatibility

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
