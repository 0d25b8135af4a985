"""A probe that repeats a run with the same seed and actions, which must give the same results."""

from __future__ import annotations

import contextlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import is_a, takes
from gymkernel_tool_check.probes.rollouts import play_on, rollout
from gymkernel_tool_check.probes.trace import Call, Recorder, Trace, first_mismatch
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference

__all__ = ["Divergence", "Repetition", "another", "comparable", "divergence", "first_info_mismatch"]
__all__ += ["repeat_calls", "repetition", "scrambled_global_generators"]

Between = Literal["instances", "uses", "runs"]
MORE: Final = 4
BEGINNING: Final = 20
"""The number of calls that are repeated in each of the `MORE` additional instances."""
SHARE: Final = 5
"""A repeated run may take at most 1 / `SHARE` of the time limit of the first run."""
TIMING: Final = re.compile(
    r"^t$|time|second|elapsed|duration|latency|clock|date|stamp|fps|speed|_ms$|_ns$|_us$|(?i:uuid)|(^|_)pid$"
)
"""Matches the keys of info entries that may differ between runs, such as times and process ids."""


@dataclass(slots=True)
class Divergence:
    """The first difference between two runs with the same seed and the same actions.

    Attributes:
        between: what was compared: "instances" (two new instances), "uses" (a new instance and a used one) or "runs"
            (two runs of the only instance).
        call: the call whose result differs.
        what: the part of the result that differs, such as "observation".
        detail: a description of the difference.
    """

    between: Between
    call: Call
    what: str
    detail: str

    @property
    def code(self) -> str:
        """The code of the rule that reports the difference if its cause is unknown."""
        if self.between == "uses":
            return "GK602"
        if self.call.method == "reset":
            return "GK205" if self.call.episode == 1 else "GK210"
        return "GK501"

    @property
    def who(self) -> str:
        """A phrase for messages that says which instances or runs differ."""
        uses = "a used instance and a fresh one"
        return {"instances": "two instances", "uses": uses, "runs": "two runs of one instance"}[self.between]


@dataclass(slots=True)
class Repetition:
    """The result of repeating a run.

    Attributes:
        mismatch: the first difference outside of the infos, or None if there is none.
        info: the first difference in the infos, if there is no other difference; otherwise None.
    """

    mismatch: Divergence | None = None
    info: Divergence | None = None


@probe()
def repetition(subject: Subject) -> Repetition:
    """Repeat the run in a second and then in the first instance, each time with other global generator states."""
    if subject.nondeterministic:
        raise Skip("the spec declares the environment to be nondeterministic")
    first = subject.get(rollout)
    if not takes(first.env, "seed"):
        raise Skip("reset accepts no seed (GK201)")
    if not first.good:
        raise Skip("reset does not work (GK203)")
    seen, second = Repetition(), another(subject)
    if second is not None and _repeat(subject, first, second, "instances", seen):
        return seen
    if first.failed is None:  # an instance that raised an exception may be in an invalid state
        between: Literal["uses", "runs"] = "runs" if second is None else "uses"
        if not _repeat(subject, first, first.env, between, seen) and second is not None:
            play_on(Recorder(subject, second, first.seed + 1), subject.options.steps // 2 + 1, _soon(subject))
            _repeat(subject, first, second, between, seen)  # the second instance has been used differently
    if seen.mismatch is None and second is not None:
        _ask_more(subject, first, seen)
    return seen


def another(subject: Subject) -> Any:
    """Return a new instance, or None if no further instance can be created."""
    with contextlib.suppress(Skip):
        return subject.env(second=True)
    return None


def _ask_more(subject: Subject, first: Trace, seen: Repetition) -> None:
    """Compare more instances, because two instances may draw the same values by chance."""
    deadline, start = _soon(subject), first.good[:BEGINNING]
    for _ in range(MORE):
        if seen.mismatch is not None or time.perf_counter() > deadline or (env := another(subject)) is None:
            break
        seen.mismatch = divergence("instances", start, repeat_calls(subject, env, start))


def _repeat(subject: Subject, first: Trace, env: Any, between: Between, seen: Repetition) -> bool:
    calls = repeat_calls(subject, env, first.good)
    seen.mismatch = divergence(between, first.good, calls)
    if seen.mismatch is None and seen.info is None:
        seen.info = first_info_mismatch(between, first.good, calls)
    return seen.mismatch is not None


def repeat_calls(subject: Subject, env: Any, calls: Sequence[Call], *, scrambled: bool = True) -> list[Call]:
    """Repeat calls with other states of the global generators, until a call raises or the time is up."""
    recorder = Recorder(subject, env, calls[0].seed)
    deadline = time.perf_counter() + subject.options.run_seconds / SHARE
    with scrambled_global_generators() if scrambled else contextlib.nullcontext():
        return list(recorder.repeat(calls, deadline))


def _soon(subject: Subject) -> float:
    return time.perf_counter() + subject.options.run_seconds / SHARE / 2


def divergence(between: Between, before: Sequence[Call], after: Sequence[Call]) -> Divergence | None:
    """Return the first difference between two runs outside of their infos, or None."""
    found = first_mismatch(before, after)
    return None if found is None else Divergence(between, *found)


def first_info_mismatch(between: Between, before: Sequence[Call], after: Sequence[Call]) -> Divergence | None:
    """Return the first difference between the infos of two runs, or None."""
    for a, b in zip(before, after, strict=False):
        if b.error is None and (found := difference(comparable(a.info_kept), comparable(b.info_kept), "info")):
            return Divergence(between, a, "info", found)
    return None


def comparable(info: Any) -> Any:
    """Return a copy of an info in which times and run identifiers have no value. Arbitrary objects are removed, too.

    >>> comparable({"x": (1, "a"), "time": 3, "handle": object()})
    {'x': [1, 'a'], 'time': None, 'handle': None}
    """
    if is_a(info, dict):
        return {key: None if is_a(key, str) and TIMING.search(key) else comparable(info[key]) for key in info}
    if is_a(info, tuple | list):
        return [comparable(part) for part in info]
    return info if is_a(info, bool | int | float | complex | str | bytes | np.generic | np.ndarray) else None


@contextlib.contextmanager
def scrambled_global_generators(seed: int = 987654321) -> Iterator[None]:
    """Change the states of `random` and `numpy.random` within a block, so that runs that use them differ."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global generator is used on purpose
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the global generator is used on purpose
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002 - the global generator is used on purpose
