"""GK30x, GK31x and GK614: rules about the actions that step accepts, its results and the exceptions that it raises."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.action_clipping import Clipping
from gymkernel_tool_check.probes.nondeterminism import repeats
from gymkernel_tool_check.probes.rollouts import runs
from gymkernel_tool_check.probes.single_actions import ActionTrials, actions
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.outputs import action_literal, attempts, fault
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import not_finite
from gymkernel_util_spaces.texts import error_text


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
    late = [attempt for attempt in seen.failed if attempt.calls[-1].step > 1]
    if run is None and late:
        run, held = late[0], f" with the action {short(late[0].calls[-1].action_kept)} in every step"
    if run is None and seen.attempts and all_crash(seen):
        run = seen.attempts[0]
    failed = None if run is None else run.failed
    if run is None or failed is None or failed.method != "step":
        return
    if (mask := run.calls[-2].mask) is not None and mask.flags.size and not mask.flags.any():
        raise Skip("the action mask allowed no action (GK321)")
    crashes = [] if held or all_crash(seen) else seen.failed
    fatal = [attempt.calls[-1].action_kept for attempt in crashes if attempt.calls[-1].step == 1]
    if any(difference(action, failed.action_kept) is None for action in fatal):
        raise Skip("step always raises an exception for one of the actions (GK301)")
    if any({call.error is None for call in twins} == {True, False} for twins in seen.twins):
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


@first_fault
def every_action_works(subject: Subject, trace: Trace) -> Faults:
    """Reset the environment and take one step with each of several actions.

    The rule tries all actions of a small action space and a selection of actions from other spaces. If all of them
    fail, GK317 reports the failure instead.

    Why: Exploration will sooner or later choose the one action that crashes, possibly hours into a run.
    Fix: Make step accept every element of action_space, including its corners, or make the space smaller.
    """
    seen = subject.get(actions)
    bad = [attempt for attempt in seen.attempts if attempt.failed is not None and attempt.failed.step == 1]
    if not bad or all_crash(seen):
        return
    call = bad[0].calls[1]
    others = f" (and {len(bad) - 1} others of {len(seen.attempts)})" if len(bad) > 1 else ""
    error = error_text(call.error)
    message = f"step raised {error} for the action {short(call.action_kept)}{others}, which is in the action space"
    yield Fault(message, "step", show=_show(subject, call.action_kept), seed=subject.options.seed, step=1)


def all_crash(seen: ActionTrials) -> bool:
    """Return whether every action fails in the first step."""
    return all(attempt.failed is not None and attempt.failed.step == 1 for attempt in seen.attempts)


@first_fault
def no_action_gives_nan(subject: Subject, trace: Trace) -> Faults:
    """Run episodes that each repeat a single action. The rule is skipped if sampled actions also lead to NaN.

    Why: Policies often choose actions at the bounds of the action space. A single NaN is enough to turn all weights of
    a network into NaN.
    Fix: Look for divisions by zero, square roots and logarithms that fail at the bounds of the action space.
    """
    seen = subject.get(actions)
    if any(_nan(call) for run in subject.get(runs) for call in run.good):
        raise Skip("sampled actions also lead to NaN (GK313, GK403)")
    for attempt in seen.attempts:
        action = attempt.calls[1].action_kept
        for call in attempt.good:
            if what := _nan(call):
                after = f"after {call.step} step{'s' * (call.step > 1)} with it"
                message = f"the action {short(action)} of action_space leads to NaN or infinity: {what} {after}"
                show = _show(subject, action, call.step, "print(observation, reward)")
                yield Fault(message, "step", show=show, seed=subject.options.seed, episode=1, step=call.step)


def _nan(call: Call) -> str | None:
    if found := not_finite(call.kept):
        return f"in the observation, {found}"
    if is_a(call.reward, float | np.floating) and not math.isfinite(call.reward):
        return f"the reward is {call.reward}"
    return None


@first_fault
def integers_are_integers(subject: Subject, trace: Trace) -> Faults:
    """Take the first step with the same action as a Python int and in each NumPy integer type that the space contains.

    Why: Sampled actions and vector backends use NumPy integers, while agents, tests and users often pass Python
    integers.
    Fix: Convert the action with int(action), compare it, or use it as an index. Do not check its type with isinstance,
    and do not call its item method.
    """
    seen = subject.get(actions)
    certain = None
    for twins in seen.twins:
        good = [call for call in twins if call.error is None]
        bad = [call for call in twins if call.error is not None]
        if good and bad:
            message = f"step accepts the action {_typed(good[0])} but raises an exception for {_typed(bad[0])}: "
            yield _twin_fault(subject, bad[0], message + error_text(bad[0].error))
        certain = repeats(subject) if certain is None and len(good) > 1 else certain
        for other in good[1:] if certain else ():
            if found := difference(_outcome(good[0]), _outcome(other)):
                message = f"step treats the action {_typed(good[0])} differently from {_typed(other)}: {found}"
                yield _twin_fault(subject, other, message)


def _outcome(call: Call) -> Any:
    return {"observation": call.kept, "reward": call.reward}


def _typed(call: Call) -> str:
    action = call.action_kept
    return f"{action!r}" if type(action) is int else f"np.{type(action).__name__}({action})"


def _twin_fault(subject: Subject, call: Call, message: str) -> Fault:
    seed, action = subject.options.seed, call.action_kept
    show = f"env.reset(seed={seed})\nprint(env.step({int(action)}))\nenv.reset(seed={seed})\n"
    show += f"print(env.step(np.{np.dtype(type(action)).name}({int(action)})))"
    return Fault(message, "step", show=show, seed=seed, step=1)


def actions_are_not_narrowed(subject: Subject, found: list[Clipping]) -> Faults:
    """Look for a limit beyond which larger actions have no further effect, whatever the state.

    Why: If all actions beyond a limit have the same effect, there is no gradient to learn from, and exploring these
    actions is a waste of time.
    Fix: Restrict the action space to the range that step uses. For agents that expect actions in [-1, 1], rescale the
    actions in a wrapper.
    """
    if not found:
        return
    clipping = found[0]
    index = f"element {list(clipping.index)} of " if clipping.index else ""
    side = "above" if clipping.bound > clipping.limit else "below"
    message = f"{index}the action is clipped at {clipping.limit:.4g}, although action_space extends to "
    message += f"{clipping.bound:.4g}: all values {side} the limit have the same effect"
    at = f"[{', '.join(map(str, clipping.index))}]" if clipping.index else "[()]"
    seed, near = subject.options.seed, clipping.limit + (clipping.bound - clipping.limit) / 2
    show = f"for value in ({clipping.bound:.6g}, {near:.6g}):\n    env.reset(seed={seed})\n"
    show += f"    action = np.zeros_like(env.action_space.low)\n    action{at} = value\n    print(env.step(action)[:2])"
    yield Fault(message, "step", show=show, seed=seed)


def _show(subject: Subject, action: Any, steps: int = 1, last: str = "") -> str:
    literal = action_literal(action) or "action  # see the message"
    start = f"env.reset(seed={subject.options.seed})\n"
    if not last:
        return f"{start}env.step({literal})"
    five = f"observation, reward, *_ = env.step({literal})"
    body = five if steps == 1 else f"for _ in range({steps}):\n    {five}"
    return f"{start}{body}\n{last}"
