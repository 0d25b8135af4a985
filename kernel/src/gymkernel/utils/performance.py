"""`gymkernel.utils.performance`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_util_performance import benchmark_init as benchmark_init
    from gymkernel_util_performance import benchmark_render as benchmark_render
    from gymkernel_util_performance import benchmark_step as benchmark_step
    from gymkernel_util_performance import benchmark_vector_step as benchmark_vector_step

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
