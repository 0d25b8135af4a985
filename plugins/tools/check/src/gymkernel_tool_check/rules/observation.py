"""GK4xx: rules about the observations that reset and step return."""

from __future__ import annotations

import copy
from itertools import chain, combinations, pairwise
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault, probe
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.trace import Call, Trace, is_space
from gymkernel_tool_check.rules.outputs import fault, good_calls, replay, shared_part, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import Mismatch, mismatch, not_finite

MANY: Final = 20


@probe()
def outside(subject: Subject) -> list[tuple[Trace, Call, Mismatch]]:
    """Return every observation that is not in the observation space, with its run, its call and the reason."""
    trace = subject.get(rollout)
    space = read(trace.env, "observation_space", None)
    if not is_space(space):
        raise Skip("the environment has no observation space (GK101, GK102)")
    if not any(call.well_formed for call in trace.good):
        raise Skip("neither reset nor step returns the expected number of values (GK203, GK311)")
    sampled = {id(run) for run in subject.get(runs)}
    # GK302 reports NaN that follows a repeated action
    calls = [(run, call) for run, call in good_calls(subject) if id(run) in sampled or not not_finite(call.kept)]
    found = [(run, call, mismatch(space, call.kept)) for run, call in calls]
    return [(run, call, why) for run, call, why in found if why is not None]


def more(count: int) -> str:
    """Return the part of a message that says how many other observations are affected."""
    return f"; {count} more observation{'s' if count > 1 else ''}" if count else ""


def in_the_space(why: Mismatch) -> bool:
    """Check that the values of every observation are in the observation space.

    Why: Observations are scaled and clipped according to the bounds of the space, so values outside of the bounds are
    silently distorted.
    Fix: Widen the space to include all values that the environment returns, or clip the observations in reset and step.
    """
    return why.kind != "value"


def of_the_dtype(why: Mismatch) -> bool:
    """Compare the dtype of every observation with the dtype of the observation space.

    Why: Batches have the dtype of the space, so values with another dtype are cast, copied or rejected in every step.
    Fix: Return numpy.asarray(observation, self.observation_space.dtype), or declare the space with the dtype that the
    environment returns.
    """
    return why.kind != "dtype"


def finite(observation: Any) -> bool:
    """Check every observation that follows a sampled action for NaN and infinity, even if the space allows them.

    Why: A single NaN turns all weights of a network into NaN, often hours into a run.
    Fix: Look for divisions by zero and for quantities that grow without bound. End the episode before such a value can
    occur.
    """
    return not not_finite(observation)


def not_changed_later() -> None:
    """Compare every observation with an earlier copy, both after the next call and at the end of the run.

    Why: Replay buffers and rollouts store observations. If they all share one array, every entry ends up equal to the
    last observation.
    Fix: Return a copy (self.state.copy()), or create a new array in each step.
    """


def changed_calls(trace: Trace) -> list[Call]:
    """Return the calls whose observations changed after they were returned."""
    calls = [call for call in trace.good if call.well_formed]
    changed = [call for call in calls if difference(call.kept, call.observation)]
    return changed + [call for call in calls if call.changed_at is not None and call not in changed]


def of_the_structure(why: Mismatch) -> bool:
    """Compare the shape, the keys and the length of every observation with the observation space. None is always wrong.

    Why: Buffers are allocated according to the space. Observations with other shapes or keys do not fit, or are
    silently broadcast.
    Fix: Return all keys and the declared shapes from reset and from every step, including the last step of an episode.
    """
    return why.kind != "structure"


@first_fault
def of_one_type(subject: Subject, trace: Trace) -> Faults:
    """Compare the types of all observations, provided that all of them are in the observation space.

    Why: Buffers are often laid out according to the first observation. Observations of another type are then cast,
    copied or rejected.
    Fix: Create the observation in one method, and call this method from both reset and step.
    """
    if subject.get(outside):
        raise Skip("some observations are not in the observation space (GK401, GK402, GK405)")
    types = [(run, call, _type_of(call.kept)) for run, call in good_calls(subject)]
    for run, call, type_seen in types[1:]:
        _, first, expected = types[0]
        if found := difference(expected, type_seen):
            what = found.removeprefix("it ").replace("'", "")
            message = f"the observation of {stamp(run, call)} has a different type from that of {first.when}: it {what}"
            yield fault(run, call, message, "print(type(observation), getattr(observation, 'dtype', None))")


def _type_of(x: Any) -> Any:
    """Describe the nesting and the dtypes of an observation, which must be the same for all observations in a batch."""
    if is_a(x, dict):
        return {key: _type_of(value) for key, value in x.items()}
    if is_a(x, tuple | list):
        same = {repr(_type_of(value)) for value in x}
        return f"a {type(x).__name__}" if len(same) != 1 or is_a(x, tuple) else f"a list of {same.pop()}"
    if is_a(x, np.ndarray) and x.shape:
        return f"an array of {x.dtype}"
    if is_a(x, np.ndarray | np.generic | int | float):
        kind = np.asarray(x).dtype.kind
        return {"b": "a flag", "i": "an integer", "u": "an integer"}.get(kind, "a real number")
    return f"a {type(x).__name__}"


@first_fault
def observations_change(subject: Subject, trace: Trace) -> Faults:
    """Check whether all observations are equal although the space has other elements and the rewards differ.

    Why: If all observations are equal, for example because a sensor is never read, the agent learns nothing about the
    state.
    Fix: Compute the observation from the state in every step, not just once in the constructor.
    """
    calls = [call for run in subject.get(runs) for call in run.good if call.well_formed]
    steps = [call for call in calls if call.method == "step"]
    if len(steps) < MANY or max(call.step for call in steps) < 2 or len(trace.resets) < 2:
        raise Skip(f"the run has fewer than {MANY} steps, or fewer than two episodes with several steps")
    if any(difference(calls[0].kept, call.kept) for call in calls[1:]):
        return
    if subject.get(outside) or not_finite(calls[0].kept):
        raise Skip("some observations are not in the observation space (GK401, GK402, GK403, GK405)")
    if not _has_several_elements(read(trace.env, "observation_space", None)):
        return
    rewards = {repr(call.reward) for call in steps if call.episode == 1} or {""}
    if len(rewards) > 1:
        message = f"all {len(calls)} observations are {short(calls[0].kept)}, "
        message += f"although one episode has {len(rewards)} different rewards"
        yield fault(trace, steps[0], message, "print(observation, reward)", "step")


def _has_several_elements(space: Any) -> bool:
    """Return whether samples from a space differ."""
    try:
        twin = copy.deepcopy(space)
        twin.seed(0)
        first = twin.sample()
        return any(difference(first, twin.sample()) for _ in range(20))
    except Exception:  # noqa: BLE001 - a third-party space may raise any exception
        return False


@first_fault
def elements_vary(subject: Subject, trace: Trace) -> Faults:
    """Look for array elements that have the same value in every observation of several episodes.

    Why: Elements that never change waste memory and network weights. They often come from a sensor that is never read.
    Fix: Remove the constant elements from the observation, or fill them with data.
    """
    calls = [call for run in subject.get(runs) for call in run.good if call.well_formed]
    if len(calls) < MANY:
        raise Skip(f"the run has fewer than {MANY} observations")
    for path, arrays in _columns([call.kept for call in calls], "").items():
        stacked = np.stack(arrays)
        constant = (stacked == stacked[:1]).all(axis=0)
        if constant.any() and stacked[0].size > 1:
            index = [int(i) for i in np.argwhere(constant)[0]]
            count, value = int(constant.sum()), stacked[0][tuple(index)]
            at = f"at {path}, " if path else ""
            message = f"{at}element {index} is {value} in all {len(calls)} observations; {count} of {constant.size} "
            message += "elements never change"
            yield fault(trace, calls[0], message, "print(observation)", "step")


def _columns(values: list[Any], path: str) -> dict[str, list[Any]]:
    """Return the arrays in several values, keyed by path. Arrays whose shapes differ are left out."""
    first = values[0]
    if is_a(first, dict) and all(is_a(x, dict) and x.keys() == first.keys() for x in values):
        parts = [_columns([x[key] for x in values], f"{path}[{key!r}]") for key in first]
        return {place: arrays for part in parts for place, arrays in part.items()}
    if is_a(first, tuple) and all(is_a(x, tuple) and len(x) == len(first) for x in values):
        parts = [_columns([x[i] for x in values], f"{path}[{i}]") for i in range(len(first))]
        return {place: arrays for part in parts for place, arrays in part.items()}
    arrays = all(is_a(x, np.ndarray) and x.shape == first.shape and x.dtype != object for x in values)
    return {path: values} if arrays and first.size else {}


@first_fault
def of_their_own(subject: Subject, trace: Trace) -> Faults:
    """Check that consecutive observations, and the first observations of different episodes, do not share memory.

    Read-only arrays may be shared.

    Why: Users may scale or augment a stored observation in place. If observations share memory, this changes other
    observations as well.
    Fix: Return a copy of the stored array: self.prices[k - 10 : k].copy().
    """
    if changed_calls(trace):
        raise Skip("observations change after they have been returned (GK404)")
    calls = [call for call in trace.good if call.well_formed]
    resets = [call for call in calls if call.method == "reset"]
    for before, call in chain(combinations(calls[:MANY], 2), pairwise(calls), combinations(resets[:MANY], 2)):
        if (found := shared_part(before.observation, call.observation)) is not None:
            where, same = found
            at = f"at {where}, " if where else ""
            message = f"{at}the observations of {before.when} and of {call.when} share memory: a value written to "
            message += "one of them also appears in the other"
            again = "reset()" if call.method == "reset" else "step(env.action_space.sample())"
            show = f"{replay(trace, before)}\nkept = observation\nobservation = env.{again}[0]\n"
            show += f"print(kept{where} is observation{where} or np.shares_memory(kept{where}, observation{where}))"
            severity = "info" if same else None  # the array is constant, so the environment does not change it
            yield Fault(message, call.method, show, trace.seed, call.episode, call.step, severity)
