"""Resetting with many seeds, under a time-out each."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.trace import Call, Recorder

__all__ = ["SeedSweep", "seed_sweep"]

SEEDS: Final = {"fast": 20, "default": 300, "thorough": 5000}
SHARE: Final = 6
"""The sweep takes this part of the time that a recorded run may take."""


@dataclass(slots=True)
class SeedSweep:
    """Resets with the seeds 0, 1, 2, ...; `failed` is the one that raised, or did not return (`timeouts.Hung`)."""

    seconds: list[float] = field(default_factory=list)
    failed: tuple[int, Call] | None = None
    resets: list[tuple[int, Any]] = field(default_factory=list)


@probe()
def seed_sweep(subject: Subject) -> SeedSweep:
    """Reset one environment with one seed after another."""
    env = subject.env()
    recorder = Recorder(subject, env)
    if not recorder.takes["seed"]:
        raise Skip("reset takes no seed (GK201)")
    seen, options = SeedSweep(), subject.options
    deadline = time.perf_counter() + options.run_seconds / SHARE
    for seed in range(SEEDS.get(options.profile, SEEDS["default"])):
        if time.perf_counter() > deadline:
            break
        recorder.trace.seed = seed
        call = recorder.reset(seed=seed)
        recorder.trace.calls.clear()
        if call.error is not None:
            seen.failed = seed, call
            break
        seen.seconds.append(call.seconds)
        seen.resets.append((seed, call.kept))
    return seen
