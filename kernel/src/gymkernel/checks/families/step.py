"""GK30x, GK31x, GK614: what step accepts and returns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.checks.compare import difference, short
from gymkernel.checks.definition import Fault, Skip, rule
from gymkernel.checks.probes import actions, rollout
from gymkernel.checks.reproduce import action_literal, replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call, Trace

__all__ = ["crashing"]

NAN = "One such number turns every weight of the network into NaN, often hours into a run."


@rule(
    "GK301",
    "step accepts every action of the space",
    why="Exploration finds the one action that crashes, hours into a run.",
    mend="Handle every element of action_space, corners included, or make the space smaller.",
    probe=actions,
)
def every_action_works(subject: Subject, tried: list[tuple[Any, Call]]) -> Iterator[Fault]:
    """The first step after reset, with each action that is worth trying; where all fail, GK317 tells of it."""
    bad = crashing(tried)
    if not bad or len(bad) == len(tried):
        return
    action, call = bad[0]
    seed = subject.options.seed
    shown = f"the action {short(action)}" + (f" (and {len(bad) - 1} others of {len(tried)})" if len(bad) > 1 else "")
    message = f"step raised on {shown}, which action_space contains: {type(call.error).__name__}: {call.error}"
    literal = action_literal(action) or "action  # see the message"
    yield Fault(message, "step", show=f"env.reset(seed={seed})\nenv.step({literal})", seed=seed, step=1)


def crashing(tried: list[tuple[Any, Call]]) -> list[tuple[Any, Call]]:
    """The actions on which step raised."""
    return [(action, call) for action, call in tried if call.error is not None]


@rule(
    "GK311",
    "step returns five values",
    why="With one done flag, as before 0.26, values are cut off at time limits as if the task had ended.",
    mend="Return (observation, reward, terminated, truncated, info).",
    probe=rollout,
)
def returns_five(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every step."""
    for call in trace.steps:
        if not call.well_formed:
            many = isinstance(call.returned, tuple)
            seen = f"{len(call.returned)} values" if many else f"a {type(call.returned).__name__}"
            old = ": the old API, in which done was one flag" if many and len(call.returned) == 4 else ""
            five = "(observation, reward, terminated, truncated, info)"
            message = f"{call.when} returned {seen} where {five} was expected{old}"
            show = f"env.reset(seed={trace.seed})\nprint(env.step(env.action_space.sample()))"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)
            return


@rule(
    "GK312",
    "the reward is a number",
    why="An array of one element, a string or None breaks sums and batches, or broadcasts them into something else.",
    mend="Return float(reward).",
    probe=rollout,
)
def reward_is_a_number(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every step: Python and NumPy numbers, and what turns into a float and has no shape."""
    for call in _well_formed(trace):
        if not _is_number(call.reward):
            message = f"the reward of {call.when} is {short(call.reward)} ({_kind(call.reward)}), not a number"
            yield _fault(trace, call, message, "print(repr(reward))")
            return


@rule(
    "GK313",
    "the reward is finite",
    why=NAN,
    mend="Look for divisions by zero, logarithms and distances to what is not there; bound the reward.",
    probe=rollout,
)
def reward_is_finite(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every step."""
    for call in _well_formed(trace):
        if _is_number(call.reward) and not math.isfinite(float(call.reward)):
            message = f"the reward of {call.when} is {float(call.reward)}"
            yield _fault(trace, call, message, "print(reward)")
            return


@rule(
    "GK314",
    "terminated and truncated are booleans",
    why="Numbers and arrays pass for flags until they are negated (~1 is -2) or batched.",
    mend="Return bool(terminated) and bool(truncated); numpy.bool_ is as good.",
    probe=rollout,
)
def flags_are_booleans(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every step."""
    for name in ("terminated", "truncated"):
        for call in _well_formed(trace):
            flag = getattr(call, name)
            if not isinstance(flag, bool | np.bool_):
                message = f"{name} of {call.when} is {short(flag)} ({_kind(flag)}), not a bool"
                yield _fault(trace, call, message, f"print(repr({name}))")
                break


@rule(
    "GK315",
    "the info of step is a dictionary",
    why="Wrappers write into it, and vector backends batch it key by key.",
    mend="Return a dictionary, {} if there is nothing to say.",
    probe=rollout,
)
def info_is_a_dict(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """Of every step, the last of an episode too."""
    for call in _well_formed(trace):
        if not isinstance(call.info, dict):
            message = f"{call.when} returned as info {short(call.info)} ({_kind(call.info)}), not a dict"
            yield _fault(trace, call, message, "print(repr(info))")
            return


@rule(
    "GK317",
    "step works until the episode ends",
    why="A crash in the middle of an episode ends the run, and the seed that shows it is lost.",
    mend="Handle the state that the reproducer leads to, or end the episode before it.",
    probe=rollout,
)
def step_works(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """No step of a run raises."""
    failed = trace.failed
    if failed is None or failed.method != "step":
        return
    try:
        tried = subject.get(actions)
    except Skip:
        tried = []
    bad = crashing(tried)
    if len(bad) < len(tried) and any(difference(action, failed.action_kept) is None for action, _ in bad):
        return  # GK301 tells of it
    message = f"{failed.when} raised {type(failed.error).__name__}: {failed.error}"
    yield _fault(trace, failed, message, "")


@rule(
    "GK614",
    "step leaves the action as it is",
    why="The agent's own array changes: what the replay buffer stores is not what was done.",
    mend="Work on a copy: action = numpy.clip(action, low, high), not numpy.clip(..., out=action) or action *= scale.",
    probe=rollout,
)
def action_is_left_alone(subject: Subject, trace: Trace) -> Iterator[Fault]:
    """The action after the step equals a copy from before it."""
    for call in trace.calls:
        if call.method == "step" and (found := difference(call.action_kept, call.action)):
            message = f"{call.when} changed the action that it was given: {found}"
            show = f"env.reset(seed={trace.seed})\naction = env.action_space.sample()\nbefore = repr(action)\n"
            show += "env.step(action)\nprint(before, action)"
            yield Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)
            return


def _well_formed(trace: Trace) -> Iterator[Call]:
    return (call for call in trace.steps if call.well_formed)


def _fault(trace: Trace, call: Call, message: str, last: str) -> Fault:
    show = f"{replay(trace, call)}\n{last}"
    return Fault(message, "step", show=show, seed=trace.seed, episode=call.episode, step=call.step)


def _is_number(reward: Any) -> bool:
    if isinstance(reward, complex | np.complexfloating) or not hasattr(reward, "__float__"):
        return False
    return tuple(getattr(reward, "shape", ())) == ()


def _kind(value: Any) -> str:
    return f"array of {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
