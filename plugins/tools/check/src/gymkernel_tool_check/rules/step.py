"""GK31x and GK614: rules about the result of step, the exceptions that it raises, and its action argument."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.rollouts import runs
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.rules.acting import all_crash
from gymkernel_tool_check.rules.outputs import attempts, fault
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

__all__ = ["reward_is_a_number"]


@first_fault
def returns_five(subject: Subject, trace: Trace) -> Faults:
    """Check that every step returns a tuple of five values.

    Why: In Gym before version 0.26, step returned a single done flag. With this flag, learning algorithms treat a time
    limit as the end of the task.
    Fix: Return (observation, reward, terminated, truncated, info).
    """
    for call in trace.steps:
        if not call.well_formed:
            many = is_a(call.returned, tuple)
            got = f"{len(call.returned)} values" if many else f"a {type(call.returned).__name__}"
            explained = explain_result(call.returned)
            five = "(observation, reward, terminated, truncated, info)"
            message = f"{call.when} returned {got}, expected {five}" + (f": {explained}" if explained else "")
            show = f"env.reset(seed={trace.seed})\nprint(env.step(env.action_space.sample()))"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)


def reward_is_a_number(reward: Any) -> bool:
    """Check the reward of every step.

    Python and NumPy numbers are legal, as are other objects that have no shape and can be converted to float.

    Why: A reward that is a one-element array, a string or None breaks sums and batches, or is silently broadcast.
    Fix: Return float(reward).
    """
    if is_a(reward, complex | np.complexfloating) or read(reward, "__float__") is None:
        return False
    return tuple(read(reward, "shape", ())) == ()


def reward_is_finite(reward: Any) -> bool:
    """Check the reward of every step with a sampled action. GK302 reports repeated actions that lead to NaN.

    Why: A single NaN or infinite reward turns all weights of a network into NaN, often hours into a run.
    Fix: Look for divisions by zero, logarithms of zero and distances to objects that do not exist, and limit the
    reward.
    """
    return not reward_is_a_number(reward) or math.isfinite(float(reward or 0))


def flags_are_booleans(flag: Any) -> bool:
    """Check the two flags that every step returns. A numpy.bool_ is reported with severity info.

    Why: Numbers and arrays work as flags only until they are negated (~1 is -2) or batched.
    Fix: Return bool(terminated) and bool(truncated). Values of type numpy.bool_ also work.
    """
    return is_a(flag, bool)


def info_is_a_dict(info: Any) -> bool:
    """Check the info of every step, including the last step of an episode.

    Why: Wrappers add keys to the info, and vector backends batch infos key by key.
    Fix: Return a dictionary. Use {} if there is nothing to report.
    """
    return is_a(info, dict)


@first_fault
def step_works(subject: Subject, trace: Trace) -> Faults:
    """Look for steps that raise an exception, both with sampled actions and with a repeated action.

    Why: An exception in the middle of an episode ends the run, and it is often unknown which seed reproduces the
    exception.
    Fix: Run the reported program to reach the state in which step fails. Handle this state, or end the episode before
    it is reached.
    """
    seen, held = attempts(subject), ""
    run = next((attempt for attempt in subject.get(runs) if attempt.failed is not None), None)
    if (
        run is None
        and seen is not None
        and (late := [attempt for attempt in seen.failed if attempt.trace.calls[-1].step > 1])
    ):
        run, held = late[0].trace, f" with the action {short(late[0].action)} in every step"
    if run is None and seen is not None and seen.attempts and all_crash(seen):
        run = seen.attempts[0].trace
    failed = None if run is None else run.failed
    if run is None or failed is None or failed.method != "step":
        return
    if (mask := run.calls[-2].mask) is not None and mask.flags.size and not mask.flags.any():
        raise Skip("the action mask allowed no action (GK321)")
    crashes = [] if held or seen is None or all_crash(seen) else seen.failed
    if any(
        attempt.trace.calls[-1].step == 1 and difference(attempt.action, failed.action_kept) is None
        for attempt in crashes
    ):
        raise Skip("step always raises an exception for one of the actions (GK301)")
    if seen is not None and any({attempt.failed is None for attempt in twins} == {True, False} for twins in seen.twins):
        raise Skip("the failure depends on the integer type of the action (GK303)")
    message = f"{failed.when}{held} raised {error_text(failed.error)} (seed {run.seed})"
    yield fault(run, failed, message, "")


@first_fault
def action_is_left_alone(subject: Subject, trace: Trace) -> Faults:
    """Compare each action after the step with a copy made before the step.

    Why: If step modifies the agent's own array, the replay buffer stores a different action from the one that was
    taken.
    Fix: Create a new array: write action = numpy.clip(action, low, high) instead of numpy.clip(..., out=action) or
    action *= scale.
    """
    for call in trace.calls:
        if call.method == "step" and (found := difference(call.action_kept, call.action)):
            message = f"{call.when} changed the action that was passed to it: {found}"
            show = f"env.reset(seed={trace.seed})\naction = env.action_space.sample()\nbefore = repr(action)\n"
            show += "env.step(action)\nprint(before, action)"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)
