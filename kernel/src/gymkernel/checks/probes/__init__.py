"""What is done with an environment so that rules have something to look at; each runs once for all rules that name it.

A probe is a function of the subject. It records and judges nothing, and it says what it calls next (`subject.at`), so
that a hang or a crash is told with its phase and seed.
"""

from __future__ import annotations

from gymkernel.checks.probes.acting import Acting, Attempt, actions, edges
from gymkernel.checks.probes.causes import Cause, cause, cause_code, repeats
from gymkernel.checks.probes.elsewhere import Elsewhere, hash_seeds
from gymkernel.checks.probes.making import Closing, Construction, closing, construct
from gymkernel.checks.probes.narrowing import Narrowing, narrowing
from gymkernel.checks.probes.options import Watched, options
from gymkernel.checks.probes.repeating import Divergence, Repetition, divergence, repetition
from gymkernel.checks.probes.running import rollout, runs
from gymkernel.checks.probes.seeding import LARGE_SEEDS, Seeding, seeding
from gymkernel.checks.probes.sweeping import Sweep, sweep

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
