"""GK316, GK318, GK322 and GK601: rules about how episodes end and how long they last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from gymkernel.wrapper import has_attribute
from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.episode_ends import common_length, end_is_foreseeable
from gymkernel_tool_check.probes.rollouts import EpisodeLengths, runs
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.outputs import fault, good_calls, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.membership import mismatch

LEGACY: Final = "TimeLimit.truncated"
LIMITS: Final = ("max_episode_steps", "max_steps", "max_timesteps", "max_step", "step_limit", "time_limit", "max_t")
"""Names of attributes in which environments commonly store their time limit."""
SEVERAL: Final = 200
SHORTEST: Final = 10
"""Shorter episodes may have a fixed length because of the task, not because of a time limit."""
LENGTHS = """env.action_space.seed({seed})
env.reset(seed={seed})
for _ in range(5):
    length = 1
    while not any(env.step(env.action_space.sample())[2:4]):
        length += 1
    print(length)
    env.reset()"""


@first_fault
def limits_truncate(subject: Subject, trace: Trace) -> Faults:
    """Look for the outdated info key `TimeLimit.truncated`, and for episodes that all terminate at a known time limit.

    Only the wrapper `TimeLimit` may set this info key.

    Why: Learning algorithms assign the value 0 to terminal states, so a time limit that terminates the episode looks
    like a failure of the agent.
    Fix: Return truncated=True at the time limit, or remove the limit and register the environment with
    max_episode_steps. Do not set the info key TimeLimit.truncated.
    """
    for run, call in good_calls(subject, "step"):
        if not is_a(call.info, dict) or LEGACY not in call.info:
            continue
        is_truncated = is_a(call.truncated, bool | np.bool_) and call.truncated
        if not (is_truncated and has_attribute(trace.env, "_max_episode_steps")):  # as with `TimeLimit`
            message = f"the info of {stamp(run, call)} has the old API's key {LEGACY!r} in addition to truncated="
            yield fault(run, call, message + repr(call.truncated), "print(info, truncated)")
    length = common_length(subject.get(runs))
    name = _limit_of(trace.env, length)
    if name is None or length is None or length == 1 or end_is_foreseeable(subject.get(runs), length):
        return
    message = f"{_all_ended(subject, length)}, the value of {name}; a time limit must be reported as truncated=True"
    run, call = _first_end(subject)
    yield fault(run, call, message, "print(terminated, truncated)")


@first_fault
def ends_have_a_reason(subject: Subject, trace: Trace) -> Faults:
    """Check whether all episodes with random actions terminate after the same number of steps without a visible reason.

    Why: If all episodes have the same length, they probably end at a time limit. If a time limit terminates an episode,
    learning algorithms assign the value 0 to the last state, as after a failure.
    Fix: Return truncated=True at a time limit. If the task really ends after this number of steps, add the remaining
    time to the observation.
    """
    length = common_length(subject.get(runs))
    if length is None or length < SHORTEST or _limit_of(trace.env, length) is not None:  # reported by GK316
        return
    if not end_is_foreseeable(subject.get(runs), length):
        space = read(trace.env, "observation_space")
        if any(mismatch(space, call.kept) for call in trace.good[:SEVERAL]):
            raise Skip("observations outside their space (GK401, GK405) cannot be compared")
        message = f"{_all_ended(subject, length)} of random actions, but no observation shows the end: "
        message += "this looks like a time limit, which must be reported as truncated=True"
        run, call = _first_end(subject)
        yield fault(run, call, message, "print(terminated, truncated)")


def _first_end(subject: Subject) -> tuple[Trace, Call]:
    return next((run, call) for run in subject.get(runs) for call in run.steps if call.ended)


def _all_ended(subject: Subject, length: int) -> str:
    count = sum(call.ended for run in subject.get(runs) for call in run.steps)
    return f"all {count} episodes ended with terminated=True after {length} steps"


def _limit_of(env: Any, length: int | None) -> str | None:
    """Return the name of the attribute that stores the given length as a time limit, or None if there is none."""
    return next((name for name, value in _limits(env) if value == length), None)


def _limits(env: Any) -> Iterator[tuple[str, Any]]:
    inner = read(env, "unwrapped", env)
    for owner, prefix in ((inner, ""), (read(env, "spec", None), "spec."), (read(inner, "spec", None), "spec.")):
        for name in LIMITS:
            for spelling in (name, f"_{name}", name.upper()):
                value = read(owner, spelling)
                if is_a(value, int | float | np.number) and not is_a(value, bool):
                    yield f"{prefix}{spelling}", value


@first_fault
def step_does_not_reset(subject: Subject, trace: Trace) -> Faults:
    """Check whether the environment's step method calls its reset method.

    Why: If step calls reset, the last observation of the episode is lost, and to the agent, the next episode looks like
    a continuation of the last one.
    Fix: Return the last observation with terminated=True, and leave it to the caller to call reset.
    """
    call: Call | None = trace.reset_in
    if call is None:
        return
    ended = "at the end of the episode" if call.ended else "in the middle of an episode"
    message = f"{call.when} (seed {trace.seed}) called reset itself, {ended}: the observation is from a new episode"
    yield fault(trace, call, message, "print(observation, terminated, truncated)")


def episodes_keep_their_length(subject: Subject, seen: EpisodeLengths) -> Faults:
    """Compare the lengths of an instance's later episodes with those of the first episodes of other instances.

    Why: If every episode but the first ends almost immediately, the agent learns nothing.
    Fix: In reset, restore the initial value of everything that can end an episode, such as a step counter, a flag or
    the number of lives.
    """
    if not seen.collapse:
        return
    later = f"{min(seen.later)}" if min(seen.later) == max(seen.later) else f"{min(seen.later)} to {max(seen.later)}"
    step = "step" if later == "1" else "steps"
    first = f"the first episode took {seen.before[0]} steps"
    if len(seen.before) > 1:
        first = f"the first {len(seen.before)} episodes took {min(seen.before)} to {max(seen.before)} steps"
    message = f"{first}, but the next {len(seen.later)} took {later} {step} each"
    message += f", while the first episodes of other instances took at least {min(seen.fresh)}"
    seed = subject.options.seed
    yield Fault(message, "reset", LENGTHS.format(seed=seed), seed, 1 + len(seen.before), max(seen.later))
