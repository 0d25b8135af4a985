"""GK4xx: the observations of reset and step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel.checks.compare import difference
from gymkernel.checks.definition import Fault, Skip, rule
from gymkernel.checks.membership import mismatch, not_finite
from gymkernel.checks.probes import rollout
from gymkernel.checks.reproduce import replay
from gymkernel.checks.trace import is_space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.membership import Mismatch
    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call, Trace

__all__ = ["outside"]

TEST: Final = "print(env.observation_space.contains(observation), observation)"


def outside(subject: Subject) -> list[tuple[Call, Mismatch]]:
    """A probe: every observation of the rollout that is not in the space, and why."""
    trace = subject.get(rollout)
    space = getattr(trace.env, "observation_space", None)
    if not is_space(space):
        message = "there is no observation space (GK101, GK102)"
        raise Skip(message)
    calls = [call for call in trace.good if call.well_formed]
    if not calls:
        message = "neither reset nor step returns what it should (GK203, GK311)"
        raise Skip(message)
    found = [(call, mismatch(space, call.kept)) for call in calls]
    return [(call, why) for call, why in found if why is not None]


def _faults(subject: Subject, outsiders: list[tuple[Call, Mismatch]], kind: str, last: str = TEST) -> Iterator[Fault]:
    """The first observation of a kind of mismatch, and how many more there are."""
    of_kind = [(call, why) for call, why in outsiders if why.kind == kind]
    if not of_kind:
        return
    trace, (call, why) = subject.get(rollout), of_kind[0]
    message = f"{why.message}, in the observation of {call.when} (seed {trace.seed}){_more(len(of_kind) - 1, trace)}"
    yield _fault(trace, call, message, last)


def _more(count: int, trace: Trace) -> str:
    return f"; {count} more of {len(trace.good)} observations" if count else ""


def _fault(trace: Trace, call: Call, message: str, last: str) -> Fault:
    show = f"{replay(trace, call)}\n{last}"
    return Fault(message, call.method, show, seed=trace.seed, episode=call.episode, step=call.step)


@rule(
    "GK401",
    "every observation is in the observation space",
    why="Networks are scaled and clipped by the bounds: what is outside is silently wrong.",
    mend="Widen the space to what the environment really returns, or clip the observation in reset and step.",
    probe=outside,
)
def in_the_space(subject: Subject, outsiders: list[tuple[Call, Mismatch]]) -> Iterator[Fault]:
    """Of every reset and step, by value."""
    yield from _faults(subject, outsiders, "value")


@rule(
    "GK402",
    "observations have the dtype of the space",
    why="Batches take the dtype of the space: other values are cast, copied, or refused, at every step.",
    mend="Return numpy.asarray(observation, self.observation_space.dtype), or declare the dtype that is returned.",
    probe=outside,
)
def of_the_dtype(subject: Subject, outsiders: list[tuple[Call, Mismatch]]) -> Iterator[Fault]:
    """Of every reset and step."""
    yield from _faults(subject, outsiders, "dtype", "print(type(observation), getattr(observation, 'dtype', None))")


@rule(
    "GK403",
    "observations are finite",
    why="One NaN turns every weight of the network into NaN, often hours into a run.",
    mend="Look for divisions by zero and for quantities that grow without bound; end the episode before they do.",
    probe=rollout,
)
def finite(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every reset and step, whatever the space accepts."""
    for call in trace.good:
        if call.well_formed and (found := not_finite(call.kept)):
            message = f"{found}, in the observation of {call.when} (seed {trace.seed})"
            yield _fault(trace, call, message, "print(observation)")
            return


@rule(
    "GK404",
    "observations stay as they were returned",
    why="Replay buffers and rollouts keep them: of one shared array, they hold the last values a thousand times.",
    mend="Return a copy (self.state.copy()), or build a new array at each step.",
    probe=rollout,
)
def not_changed_later(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Everything returned is kept, and compared after the next call and at the end of the run."""
    changed = [call for call in trace.good if call.well_formed and difference(call.kept, call.observation)]
    changed += [call for call in trace.good if call.well_formed and call.changed_at is not None and call not in changed]
    if not changed:
        return
    call = min(changed, key=trace.calls.index)
    later = call.changed_at
    when = f"at {later.when}" if later is not None else "later in the run"
    what = difference(call.kept, call.observation) or "it changed and changed back"
    message = f"the observation of {call.when} changed {when}: {what}{_more(len(changed) - 1, trace)}"
    first = f"kept, _ = env.reset(seed={trace.seed})"
    if call.method == "step":
        first = f"{replay(trace, call)}\nkept = observation"
    second = "env.reset()" if later is not None and later.method == "reset" else "env.step(env.action_space.sample())"
    show = f"{first}\nbefore = repr(kept)\n{second}\nprint(before, kept)"
    yield Fault(message, "step", show, seed=trace.seed, episode=call.episode, step=call.step)


@rule(
    "GK405",
    "observations have the structure of the space",
    why="Buffers are allocated by the shapes and keys of the space: others do not fit, or broadcast.",
    mend="Return every key and the declared shape from reset and from every step, the last of an episode too.",
    probe=outside,
)
def of_the_structure(subject: Subject, outsiders: list[tuple[Call, Mismatch]]) -> Iterator[Fault]:
    """Of every reset and step: shape, keys, length, and never None."""
    last = "print(getattr(observation, 'shape', observation), env.observation_space)"
    yield from _faults(subject, outsiders, "structure", last)
