"""GK5xx and GK60x: equal seeds and equal actions give equal trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.checks.definition import Fault, rule
from gymkernel.checks.families.seeding import remake, skip_after
from gymkernel.checks.probes import divergence, rollout
from gymkernel.checks.reproduce import replay_twice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.probes import Divergence
    from gymkernel.checks.subject import Subject

__all__ = ["instances_agree", "uses_agree"]


@rule(
    "GK501",
    "the same seed and actions give the same trajectory",
    why="A run cannot be repeated, a bug not be found again, and two algorithms not be compared on equal terms.",
    mend="Draw from self.np_random only: not from random, numpy.random, the clock, or the order of a set.",
    probe=divergence,
)
def instances_agree(subject: Subject, parted: Divergence | None) -> Iterator[Fault]:
    """Of two instances; the global generators are in different states meanwhile."""
    skip_after(parted, "GK501", "GK205", "GK210")
    if parted is not None and parted.code == "GK501":
        yield _fault(subject, parted, f"with the same seed and actions, {parted.who} part")


@rule(
    "GK602",
    "reset forgets everything that was before",
    why="Episodes depend on each other: results change with their order, and vectorised runs differ from single ones.",
    mend="Set every attribute that step changes in reset, too.",
    probe=divergence,
)
def uses_agree(subject: Subject, parted: Divergence | None) -> Iterator[Fault]:
    """A used instance against a fresh one."""
    skip_after(parted, "GK602", "GK205", "GK210", "GK501")
    if parted is not None and parted.code == "GK602":
        yield _fault(subject, parted, "a used instance and a fresh one part after the same reset(seed=...) and actions")


def _fault(subject: Subject, parted: Divergence, message: str) -> Fault:
    trace, call = subject.get(rollout), parted.call
    detail = f"{message} at {call.when}, in the {parted.what}: {parted.detail}"
    shown = "observation" if parted.what == "outcome" else parted.what
    show = replay_twice(trace, call, remake(subject, parted), shown)
    return Fault(detail, "step", show, seed=trace.seed, episode=call.episode, step=call.step)
