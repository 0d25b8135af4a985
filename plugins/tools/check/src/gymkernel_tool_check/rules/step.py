"""GK31x, GK614: what step returns, and that it works."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, rule
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.rules.acting import all_crash
from gymkernel_tool_check.rules.outputs import attempts, fault, good_calls, output_rule, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

__all__ = ["reward_is_a_number"]

NAN = "One such number turns every weight of the network into NaN, often hours into a run."


@output_rule(
    "GK311",
    "step returns five values",
    why="With one done flag, as before 0.26, values are cut off at time limits as if the task had ended.",
    mend="Return (observation, reward, terminated, truncated, info).",
)
def returns_five(subject: Subject, trace: Trace) -> Faults:
    """Of every step."""
    for call in trace.steps:
        if not call.well_formed:
            many = is_a(call.returned, tuple)
            seen = f"{len(call.returned)} values" if many else f"a {type(call.returned).__name__}"
            explained = explain_result(call.returned)
            five = "(observation, reward, terminated, truncated, info)"
            message = f"{call.when} returned {seen} where {five} was expected" + (f": {explained}" if explained else "")
            show = f"env.reset(seed={trace.seed})\nprint(env.step(env.action_space.sample()))"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)


@rule(
    "GK312",
    "the reward is a number",
    why="An array of one element, a string or None breaks sums and batches, or broadcasts them into something else.",
    mend="Return float(reward).",
    probe=rollout,
)
def reward_is_a_number(subject: Subject, trace: Trace) -> Faults:
    """Of every step: Python and NumPy numbers, and what turns into a float and has no shape."""
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


@output_rule(
    "GK313",
    "the reward is finite",
    why=NAN,
    mend="Look for divisions by zero, logarithms and distances to what is not there; bound the reward.",
)
def reward_is_finite(subject: Subject, trace: Trace) -> Faults:
    """Of every step with sampled actions; GK302 tells of actions that lead to NaN whenever they are taken."""
    for run in subject.get(runs):
        for call in run.good:
            if call.well_formed and _is_number(call.reward) and not math.isfinite(float(call.reward or 0)):
                message = f"the reward of {stamp(run, call)} is {float(call.reward)}"
                yield fault(run, call, message, "print(reward)")


@rule(
    "GK314",
    "terminated and truncated are booleans",
    why="Numbers and arrays pass for flags until they are negated (~1 is -2) or batched.",
    mend="Return bool(terminated) and bool(truncated); numpy.bool_ is as good.",
    probe=rollout,
)
def flags_are_booleans(subject: Subject, trace: Trace) -> Faults:
    """Of every step; numpy.bool_ is reported as info."""
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


@output_rule(
    "GK315",
    "the info of step is a dictionary",
    why="Wrappers write into it, and vector backends batch it key by key.",
    mend="Return a dictionary, {} if there is nothing to say.",
)
def info_is_a_dict(subject: Subject, trace: Trace) -> Faults:
    """Of every step, the last of an episode too."""
    for run, call in good_calls(subject, "step"):
        if not is_a(call.info, dict):
            message = f"{stamp(run, call)} returned as info {short(call.info)} ({_type_name(call.info)}), not a dict"
            yield fault(run, call, message, "print(repr(info))")


@output_rule(
    "GK317",
    "step works until the episode ends",
    why="A crash in the middle of an episode ends the run, and the seed that shows it is lost.",
    mend="Handle the state that the reproducer leads to, or end the episode before it.",
)
def step_works(subject: Subject, trace: Trace) -> Faults:
    """No step of a run raises, with sampled actions or with one repeated action."""
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


@output_rule(
    "GK614",
    "step leaves the action as it is",
    why="The agent's own array changes: what the replay buffer stores is not what was done.",
    mend="Work on a copy: action = numpy.clip(action, low, high), not numpy.clip(..., out=action) or action *= scale.",
)
def action_is_left_alone(subject: Subject, trace: Trace) -> Faults:
    """The action after the step equals a copy from before it."""
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
