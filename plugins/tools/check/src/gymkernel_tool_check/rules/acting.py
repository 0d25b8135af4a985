"""GK30x: rules about the actions that an environment accepts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a
from gymkernel_tool_check.probes.action_clipping import Clipping
from gymkernel_tool_check.probes.nondeterminism import repeats
from gymkernel_tool_check.probes.rollouts import runs
from gymkernel_tool_check.probes.single_actions import ActionTrials, Attempt, actions
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.reproduce import action_literal
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import not_finite
from gymkernel_util_spaces.texts import error_text

__all__ = ["all_crash"]


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
    action, call = bad[0].action, bad[0].first
    others = f" (and {len(bad) - 1} others of {len(seen.attempts)})" if len(bad) > 1 else ""
    message = (
        f"step raised {error_text(call.error)} for the action {short(action)}{others}, which is in the action space"
    )
    yield Fault(message, "step", show=_show(subject, action), seed=subject.options.seed, step=1)


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
        for call in attempt.trace.good:
            if what := _nan(call):
                after = f"after {call.step} step{'s' * (call.step > 1)} with it"
                message = f"the action {short(attempt.action)} of action_space leads to NaN or infinity: {what} {after}"
                show = _show(subject, attempt.action, call.step, "print(observation, reward)")
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
        good = [attempt for attempt in twins if attempt.failed is None]
        bad = [attempt for attempt in twins if attempt.failed is not None]
        if good and bad:
            message = f"step accepts the action {_typed(good[0])} but raises an exception for {_typed(bad[0])}: "
            yield _twin_fault(subject, bad[0], message + error_text(bad[0].first.error))
        certain = repeats(subject) if certain is None and len(good) > 1 else certain
        for other in good[1:] if certain else ():
            if found := difference(_outcome(good[0]), _outcome(other)):
                message = f"step treats the action {_typed(good[0])} differently from {_typed(other)}: {found}"
                yield _twin_fault(subject, other, message)


def _outcome(attempt: Attempt) -> Any:
    return {"observation": attempt.first.kept, "reward": attempt.first.reward}


def _typed(attempt: Attempt) -> str:
    action = attempt.action
    return f"{action!r}" if type(action) is int else f"np.{type(action).__name__}({action})"


def _twin_fault(subject: Subject, attempt: Attempt, message: str) -> Fault:
    seed = subject.options.seed
    show = f"env.reset(seed={seed})\nprint(env.step({int(attempt.action)}))\nenv.reset(seed={seed})\n"
    show += f"print(env.step(np.{np.dtype(type(attempt.action)).name}({int(attempt.action)})))"
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
    message = (
        f"{index}the action is clipped at {clipping.limit:.4g}, although action_space extends to {clipping.bound:.4g}: "
    )
    message += f"all values {'above' if clipping.bound > clipping.limit else 'below'} the limit have the same effect"
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
