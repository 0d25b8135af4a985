"""What is done with an environment so that rules have something to look at; each runs once for all rules that name it.

A probe is a function of the subject. It records and judges nothing, and it says what it calls next (`subject.at`), so
that a hang or a crash is told with its phase and seed.
"""

from __future__ import annotations

from gymkernel_tool_check.probes.acting import Acting, Attempt, actions, edges
from gymkernel_tool_check.probes.causes import Cause, cause, cause_code, repeats
from gymkernel_tool_check.probes.elsewhere import Elsewhere, hash_seeds
from gymkernel_tool_check.probes.making import Closing, Construction, closing, construct
from gymkernel_tool_check.probes.narrowing import Narrowing, narrowing
from gymkernel_tool_check.probes.options import Watched, options
from gymkernel_tool_check.probes.repeating import Divergence, Repetition, divergence, repetition
from gymkernel_tool_check.probes.running import rollout, runs
from gymkernel_tool_check.probes.seeding import LARGE_SEEDS, Seeding, seeding
from gymkernel_tool_check.probes.sweeping import Sweep, sweep

__all__ = [
    "LARGE_SEEDS",
    "Acting",
    "Attempt",
    "Cause",
    "Closing",
    "Construction",
    "Divergence",
    "Elsewhere",
    "Narrowing",
    "Repetition",
    "Seeding",
    "Sweep",
    "Watched",
    "actions",
    "cause",
    "cause_code",
    "closing",
    "construct",
]
__all__ += ["divergence", "edges", "hash_seeds", "narrowing", "options", "repeats", "repetition", "rollout", "runs"]
__all__ += ["seeding", "sweep"]
