"""GK316, GK318, GK322 and GK601: how episodes end, and how long they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

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
"""Names under which environments keep their time limit."""
SEVERAL: Final = 200
SHORTEST: Final = 10
"""Steps below which a fixed number is rather the nature of a task than a time limit."""
LENGTHS = """env.action_space.seed({seed})
env.reset(seed={seed})
lengths = [0]
while len(lengths) < 6:
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    lengths[-1] += 1
    if terminated or truncated:
        env.reset()
        lengths.append(0)
print(lengths[:-1])"""


@first_fault
def limits_truncate(subject: Subject, trace: Trace) -> Faults:
    """Look for the old key in an info not of `TimeLimit`, and for episodes that all terminate at a named limit.

    Why: Learners give a terminal state the value 0, so that the time limit looks like a failure of the agent.
    Fix: Return truncated=True at the limit, or leave the limit to max_episode_steps; only TimeLimit writes the key.
    """
    for run, call in good_calls(subject, "step"):
        if is_a(call.info, dict) and LEGACY in call.info and not (_true(call.truncated) and _limited(trace.env)):
            message = f"the info of {stamp(run, call)} has the key {LEGACY!r} of the old API, next to truncated="
            yield fault(run, call, message + repr(call.truncated), "print(info, truncated)")
    length = common_length(subject.get(runs))
    name = _limit_of(trace.env, length)
    if name is None or length is None or length == 1 or end_is_foreseeable(subject.get(runs), length):
        return
    message = f"{_all_ended(subject, length)}, which is {name}: that is a time limit, which truncated=True reports"
    run, call = _first_end(subject)
    yield fault(run, call, message, "print(terminated, truncated)")


@first_fault
def ends_have_a_reason(subject: Subject, trace: Trace) -> Faults:
    """Look for episodes of random actions that all terminate after one number of steps without a sign before.

    Why: Episodes of one length mostly end at a time limit, and terminal states have the value 0, like a failure.
    Fix: Return truncated=True at a time limit. If the task really ends then, observe the remaining time.
    """
    length = common_length(subject.get(runs))
    if length is None or length < SHORTEST or _limit_of(trace.env, length) is not None:  # GK316 reports known limits
        return
    if not end_is_foreseeable(subject.get(runs), length):
        space = read(trace.env, "observation_space")
        if any(mismatch(space, call.kept) for call in trace.good[:SEVERAL]):
            raise Skip("observations are not in their space (GK401, GK405), so that they cannot be compared")
        message = f"{_all_ended(subject, length)} of random actions, and no observation shows the end: "
        message += "that looks like a time limit, which truncated=True reports"
        run, call = _first_end(subject)
        yield fault(run, call, message, "print(terminated, truncated)")


def _first_end(subject: Subject) -> tuple[Trace, Call]:
    return next((run, call) for run in subject.get(runs) for call in run.steps if call.ended)


def _all_ended(subject: Subject, length: int) -> str:
    count = sum(call.ended for run in subject.get(runs) for call in run.steps)
    return f"all of {count} episodes ended with terminated=True after {length} steps"


def _limit_of(env: Any, length: int | None) -> str | None:
    """Return the name of the attribute that has this length as a time limit."""
    return next((name for name, value in _limits(env) if value == length), None)


def _limited(env: Any) -> bool:
    """Whether a wrapper such as `TimeLimit` is around the environment."""
    name = "_max_episode_steps"
    return bool(env.has_wrapper_attr(name)) if hasattr(env, "has_wrapper_attr") else hasattr(env, name)


def _true(flag: Any) -> bool:
    return is_a(flag, bool | np.bool_) and bool(flag)


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
    """Watch the environment's own reset during its own step.

    Why: The last observation of the episode is lost, and the agent learns that the next episode follows from it.
    Fix: Return the last observation with terminated=True; the caller of step calls reset.
    """
    call: Call | None = trace.reset_in
    if call is None:
        return
    ended = "at the end of the episode" if call.ended else "in the middle of an episode"
    message = f"{call.when} (seed {trace.seed}) called reset itself, {ended}: the observation is that of a new episode"
    yield fault(trace, call, message, "print(observation, terminated, truncated)")


def episodes_keep_their_length(subject: Subject, seen: EpisodeLengths) -> Faults:
    """Compare the later episodes of one instance with the first episodes of others.

    Why: From the second episode on, the agent sees a start and an end and nothing between, and learns nothing.
    Fix: Set in reset everything that ends an episode: the counter of steps, the flag, the lives.
    """
    if not seen.collapse:
        return
    later = f"{min(seen.later)}" if min(seen.later) == max(seen.later) else f"{min(seen.later)} to {max(seen.later)}"
    step = "step" if later == "1" else "steps"
    first = f"the first episode took {seen.before[0]} steps"
    if len(seen.before) > 1:
        first = f"the first {len(seen.before)} episodes took {min(seen.before)} to {max(seen.before)} steps"
    message = f"{first}, the {len(seen.later)} after {'it' if len(seen.before) == 1 else 'them'} {later} {step} each"
    message += f", where first episodes of other instances take {min(seen.fresh)} and more"
    seed = subject.options.seed
    yield Fault(message, "reset", LENGTHS.format(seed=seed), seed, 1 + len(seen.before), max(seen.later))
