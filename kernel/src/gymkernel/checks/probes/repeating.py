"""Repeating a run: with the same seed and the same actions, everything must come back."""

from __future__ import annotations

import contextlib
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel.checks.compare import difference, snapshot
from gymkernel.checks.definition import Skip
from gymkernel.checks.probes.running import rollout
from gymkernel.checks.subject import takes
from gymkernel.checks.trace import Player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call, Trace

__all__ = ["Divergence", "divergence", "global_generators_elsewhere"]


@dataclass(slots=True)
class Divergence:
    """Where two runs with the same seed and the same actions part.

    `between` is "instances" (two fresh ones), "uses" (a fresh instance and a used one) or "runs" (of the one instance
    that there is); `what` is the part of what a call returned.
    """

    between: Literal["instances", "uses", "runs"]
    call: Call
    what: str
    detail: str

    @property
    def code(self) -> str:
        """The rule that tells of it."""
        if self.call.method == "reset":
            return "GK205" if self.call.episode == 1 else "GK210"
        return "GK602" if self.between == "uses" else "GK501"

    @property
    def who(self) -> str:
        """What parts, for messages."""
        uses = "a used instance and a fresh one"
        return {"instances": "two instances", "uses": uses, "runs": "two runs of one instance"}[self.between]


def divergence(subject: Subject) -> Divergence | None:
    """Repeat the rollout in a second instance, then in the first, with the global generators in other states."""
    if subject.nondeterministic:
        message = "the spec says that it is nondeterministic"
        raise Skip(message)
    first = subject.get(rollout)
    if not takes(first.env, "seed"):
        message = "reset takes no seed (GK201)"
        raise Skip(message)
    if not first.good:
        message = "reset does not work (GK203)"
        raise Skip(message)
    try:
        second = subject.env(second=True)
    except Skip:
        second = None
    if second is not None and (found := _repeat(subject, first, second, "instances")):
        return found
    if first.failed is not None:
        return None  # whoever failed once is no longer as it should be
    return _repeat(subject, first, first.env, "runs" if second is None else "uses")


def _repeat(
    subject: Subject, first: Trace, env: Any, between: Literal["instances", "uses", "runs"]
) -> Divergence | None:
    player = Player(subject, env, first.seed)
    deadline = subject.deadline()
    with global_generators_elsewhere():
        for before in first.good:
            if time.perf_counter() > deadline:
                break
            call = player.reset(before.seed) if before.method == "reset" else player.step(snapshot(before.action_kept))
            if call.error is not None:
                return Divergence(between, before, "outcome", f"it returns and then raises {_error(call.error)}")
            for what in ("observation", "reward", "terminated", "truncated"):
                a, b = (
                    (before.kept, call.kept) if what == "observation" else (getattr(before, what), getattr(call, what))
                )
                if found := difference(a, b):
                    return Divergence(between, before, what, found)
    return None


@contextlib.contextmanager
def global_generators_elsewhere() -> Iterator[None]:
    """Put `random` and `numpy.random` into another state, and back: what draws from them shows."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global generator is what is meant
    random.seed(987654321)
    np.random.seed(987654321)  # noqa: NPY002 - the global generator is what is meant
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002 - the global generator is what is meant


def _error(exc: BaseException) -> str:
    return f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__
