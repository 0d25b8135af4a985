"""What is done with an environment so that rules have something to look at; each runs once for all rules that name it.

A probe is a function of the subject. It records and judges nothing, and it says what it calls next (`subject.at`), so
that a hang or a crash is told with its phase and seed.
"""

from __future__ import annotations

from gymkernel.checks.probes.making import Closing, Construction, closing, construct
from gymkernel.checks.probes.options import Watched, options
from gymkernel.checks.probes.repeating import Divergence, divergence
from gymkernel.checks.probes.running import actions, rollout
from gymkernel.checks.probes.seeding import LARGE_SEED, Seeding, seeding

__all__ = [
    "LARGE_SEED",
    "Closing",
    "Construction",
    "Divergence",
    "Seeding",
    "Watched",
    "actions",
    "closing",
    "construct",
]
__all__ += ["divergence", "options", "rollout", "seeding"]
