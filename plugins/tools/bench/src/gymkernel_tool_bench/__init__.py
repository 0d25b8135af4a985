"""The command `gymkernel bench`, which measures an environment in every vector backend and recommends settings.

A program can call `measure` instead of the command:

    from gymkernel_tool_bench import measure

    report = measure("CartPole-v1", num_envs=[8, 64], budget=5)
    print(report.recommendation.code)

The command line imports this package whenever it shows a help text, so all modules of the package are imported only
when they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_tool_bench.measuring import measure
    from gymkernel_tool_bench.meters import Meters
    from gymkernel_tool_bench.records import Alone, Case, Progress, Recommendation, Report
    from gymkernel_tool_bench.targets import Backend, Target, resolve

__all__ = ["Alone", "Backend", "Case", "Meters", "Progress", "Recommendation", "Report", "Target", "measure", "resolve"]

__getattr__ = lazy_names(
    __name__,
    measuring=("measure",),
    meters=("Meters",),
    records=("Alone", "Case", "Progress", "Recommendation", "Report"),
    targets=("Backend", "Target", "resolve"),
)
