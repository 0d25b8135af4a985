"""A probe that closes one of two environments, and that resets an environment after it was closed."""

from __future__ import annotations

import contextlib
import operator
from dataclasses import dataclass
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.making import construct, instance
from gymkernel_tool_check.probes.rendering import modes_of, no_display
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject

__all__ = ["Lifecycle", "Sibling", "lifecycle"]

ARRAYS: Final = ("rgb_array", "rgb_array_list", "ansi")


@dataclass(frozen=True, slots=True)
class Sibling:
    """The exception that one environment (the "older" or the "younger") raised after the other one was closed."""

    closed: str
    call: str
    error: Exception
    mode: str


@dataclass(slots=True)
class Lifecycle:
    """A record of what happened when environments were closed.

    Attributes:
        sibling: the exception that an open environment raised after another one was closed, or None if it raised none.
        reopened: the exception that `reset` raised on a closed environment, or None if it raised none.
        spec: the exception that setting `spec` raised, or None if it raised none.
    """

    sibling: Sibling | None = None
    reopened: Exception | None = None
    spec: Exception | None = None


@probe()
def lifecycle(subject: Subject) -> Lifecycle:
    """Close the older and then the younger of two environments, and reset an environment after closing it."""
    seen = Lifecycle()
    _, seen.spec = subject.attempt(_set_spec, subject.env())
    if subject.live is not None:
        return seen
    modes = modes_of(subject.get(construct).env)  # rendered frames show whether the graphics library is still open
    mode = next((mode for mode in ARRAYS if mode in modes and mode not in subject.known.modes), "")
    with subject.trying(mode):
        for closed in ("older", "younger"):
            seen.sibling = seen.sibling or _close_one(subject, closed, mode)
        if seen.sibling is not None and _close_one(subject, "", mode) is not None:
            seen.sibling = None  # the environment raises the exception even if no other environment was closed
    recorder = Recorder(subject, subject.env(second=True))
    if recorder.reset(seed=subject.options.seed).error is not None:
        return seen
    with contextlib.suppress(Skip):
        recorder.step()
    if subject.close_error(recorder.env) is None:
        seen.reopened = recorder.reset(seed=subject.options.seed).error
    return seen


def _set_spec(env: Any) -> None:
    """Set and restore the spec of the innermost environment, as `make` does."""
    from gymkernel.specs import EnvSpec

    inner = read(env, "unwrapped", env)
    before, own = read(inner, "spec", None), "spec" in read(inner, "__dict__", {})
    inner.spec = EnvSpec("Checked-v0")
    inner.spec = before
    if not own and "spec" in read(inner, "__dict__", {}):
        del inner.spec


def _close_one(subject: Subject, closed: str, mode: str) -> Sibling | None:
    """Close one of two environments, or none. Return the exception that the other environment then raises, or None."""
    older, younger = (_open(subject, mode) for _ in range(2))
    if older is None or younger is None:
        return None
    gone, left = (older, younger) if closed == "older" else (younger, older)
    if closed and subject.close_error(gone.env) is not None:
        return None
    calls = ("step", "reset", "step", "render") if mode else ("step", "reset", "step")
    for call in calls:
        error = _ask(subject, left, call)
        if error is not None:
            return Sibling(closed, call, error, mode)
    subject.close_error(left.env)
    return None


def _open(subject: Subject, mode: str) -> Recorder | None:
    """Create an environment and call each method once. Return its recorder, or None if a call fails."""
    try:
        env = instance(subject, render_mode=mode) if mode else subject.env(second=True)
    except Skip:
        if not mode:
            raise
        return _open(subject, "")
    except Exception as exc:  # noqa: BLE001 - GK803 reports the exception
        return _open(subject, "") if mode and no_display(exc) else None
    recorder = Recorder(subject, env)
    recorder.reset(seed=subject.options.seed)
    for call in ("step", "render") if mode else ("step",):
        if recorder.trace.stopped or _ask(subject, recorder, call) is not None:
            return None
    return recorder


def _ask(subject: Subject, recorder: Recorder, call: str) -> Exception | None:
    """Make a call, and return the exception that it raised, or None."""
    if call == "render":
        subject.at("render", subject.options.seed)
        return subject.attempt(operator.methodcaller("render"), recorder.env)[1]
    if call == "step" and recorder.trace.calls[-1].ended:
        recorder.reset()
    recorder.trace.stopped = ""
    return recorder.reset().error if call == "reset" else recorder.step().error
