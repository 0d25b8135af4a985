"""GK31x, GK614: what step returns, and that it works."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.rollouts import runs
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.rules.acting import all_crash
from gymkernel_tool_check.rules.outputs import attempts, fault, good_calls, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

__all__ = ["reward_is_a_number"]


@first_fault
def returns_five(subject: Subject, trace: Trace) -> Faults:
    """Look at what every step returns.

    Why: With one done flag, as before version 0.26, values are cut off at time limits as if the task had ended.
    Fix: Return (observation, reward, terminated, truncated, info).
    """
    for call in trace.steps:
        if not call.well_formed:
            many = is_a(call.returned, tuple)
            seen = f"{len(call.returned)} values" if many else f"a {type(call.returned).__name__}"
            explained = explain_result(call.returned)
            five = "(observation, reward, terminated, truncated, info)"
            message = f"{call.when} returned {seen} where {five} was expected" + (f": {explained}" if explained else "")
            show = f"env.reset(seed={trace.seed})\nprint(env.step(env.action_space.sample()))"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)


def reward_is_a_number(subject: Subject, trace: Trace) -> Faults:
    """Look at every step. Python and NumPy numbers are legal, and objects that convert to float and have no shape.

    Why: An array of one element, a string or None breaks sums and batches, or is broadcast into something else.
    Fix: Return float(reward).
    """
    for run, call in good_calls(subject, "step"):
        if not _is_number(call.reward):
            seen = f"{short(call.reward)} ({_type_name(call.reward)})"
            message = f"the reward of {stamp(run, call)} is {seen}, not a number"
            found = fault(run, call, message, "print(repr(reward))")
            several = read(read(run.env, "unwrapped", run.env), "reward_space")
            if several is None:
                yield found
            else:  # of several objectives, which wrappers of theirs weigh
                yield replace(found, message=f"{message}: it is of reward_space {short(several)}", severity="info")
            return


@first_fault
def reward_is_finite(subject: Subject, trace: Trace) -> Faults:
    """Look at every step with sampled actions; GK302 reports actions that always lead to NaN.

    Why: One such number turns every weight of the network into NaN, often hours into a run.
    Fix: Look for divisions by zero, logarithms and distances to missing objects; bound the reward.
    """
    for run in subject.get(runs):
        for call in run.good:
            if call.well_formed and _is_number(call.reward) and not math.isfinite(float(call.reward or 0)):
                message = f"the reward of {stamp(run, call)} is {float(call.reward)}"
                yield fault(run, call, message, "print(reward)")


def flags_are_booleans(subject: Subject, trace: Trace) -> Faults:
    """Look at both flags of every step; numpy.bool_ is reported as info.

    Why: Numbers and arrays work as flags until they are negated (~1 is -2) or batched.
    Fix: Return bool(terminated) and bool(truncated); numpy.bool_ is equally good.
    """
    for name in ("terminated", "truncated"):
        numpys = None
        for run, call in good_calls(subject, "step"):
            flag = getattr(call, name)
            if not is_a(flag, bool | np.bool_):
                message = f"{name} of {stamp(run, call)} is {short(flag)} ({_type_name(flag)}), not a bool"
                yield fault(run, call, message, f"print(repr({name}))")
                numpys = None
                break
            numpys = numpys or (run, call) if is_a(flag, np.bool_) else numpys
        if numpys is not None:
            message = f"{name} of {stamp(*numpys)} is a numpy.bool_, which `is True` and json do not take for a bool"
            found = fault(*numpys, message, f"print(type({name}))")
            yield replace(found, severity="info")


@first_fault
def info_is_a_dict(subject: Subject, trace: Trace) -> Faults:
    """Look at every step, also the last of an episode.

    Why: Wrappers write into it, and vector backends batch it key by key.
    Fix: Return a dictionary, {} if there is nothing to report.
    """
    for run, call in good_calls(subject, "step"):
        if not is_a(call.info, dict):
            message = f"{stamp(run, call)} returned as info {short(call.info)} ({_type_name(call.info)}), not a dict"
            yield fault(run, call, message, "print(repr(info))")


@first_fault
def step_works(subject: Subject, trace: Trace) -> Faults:
    """Look for a step that raises, with sampled actions or with one repeated action.

    Why: A crash in the middle of an episode ends the run, and the seed that shows the crash is lost.
    Fix: Handle the state that the reproducer leads to, or end the episode before that state.
    """
    seen, held = attempts(subject), ""
    run = next((one for one in subject.get(runs) if one.failed is not None), None)
    if run is None and seen is not None and (late := [one for one in seen.failed if one.trace.calls[-1].step > 1]):
        run, held = late[0].trace, f" with the action {short(late[0].action)} all along"
    if run is None and seen is not None and seen.attempts and all_crash(seen):
        run = seen.attempts[0].trace
    failed = None if run is None else run.failed
    if run is None or failed is None or failed.method != "step":
        return
    if (mask := run.calls[-2].mask) is not None and mask.flags.size and not mask.flags.any():
        raise Skip("no action was legal (GK321)")
    crashes = [] if held or seen is None or all_crash(seen) else seen.failed
    if any(one.trace.calls[-1].step == 1 and difference(one.action, failed.action_kept) is None for one in crashes):
        raise Skip("one action always raises (GK301)")
    if seen is not None and any({one.failed is None for one in twins} == {True, False} for twins in seen.twins):
        raise Skip("it depends on the type of the integer (GK303)")
    message = f"{failed.when}{held} raised {error_text(failed.error)} (seed {run.seed})"
    yield fault(run, failed, message, "")


@first_fault
def action_is_left_alone(subject: Subject, trace: Trace) -> Faults:
    """Compare the action after the step with a copy from before.

    Why: The agent's own array changes, and the replay buffer stores another action than was taken.
    Fix: Work on a copy: action = numpy.clip(action, low, high), not numpy.clip(..., out=action) or action *= scale.
    """
    for call in trace.calls:
        if call.method == "step" and (found := difference(call.action_kept, call.action)):
            message = f"{call.when} changed the action that it was given: {found}"
            show = f"env.reset(seed={trace.seed})\naction = env.action_space.sample()\nbefore = repr(action)\n"
            show += "env.step(action)\nprint(before, action)"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)


def _is_number(reward: Any) -> bool:
    if is_a(reward, complex | np.complexfloating) or read(reward, "__float__") is None:
        return False
    return tuple(read(reward, "shape", ())) == ()


def _type_name(value: Any) -> str:
    return f"array of {value.dtype} {value.shape}" if is_a(value, np.ndarray) else type(value).__name__
