"""GK67x and GK68x: wrappers, around one environment and around a vector environment: what goes in and out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.trace import Call, is_space
from gymkernel_tool_check.probes.wrapping import SEED, WrappedRun
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch
from gymkernel_util_spaces.texts import error_text

__all__ = ["each_run", "program", "wrapping_expression"]

WrapperCheck = Callable[[Subject, WrappedRun], Faults]


def program(subject: Subject, one: WrappedRun, *lines: str) -> str:
    """Wrap a probe environment, and go on."""
    return "\n".join([f"env = {wrapping_expression(subject, one)}", *lines])


def wrapping_expression(subject: Subject, one: WrappedRun) -> str:
    """The expression that makes the wrapper around a probe environment."""
    inner = f'ProbeVectorEnv("{one.variant}")'
    if subject.kind == "wrappers":
        inner = f'ProbeEnv("{one.variant}", render_mode="rgb_array")'
    return one.form.expression(subject.recipe.value, f"probe_envs.{inner}")


def each_run(function: WrapperCheck) -> Callable[[Subject, list[WrappedRun]], list[Fault]]:
    """Let a rule look at one run after the other until it finds something."""

    @functools.wraps(function)
    def judge(subject: Subject, seen: list[WrappedRun]) -> list[Fault]:
        return next(filter(None, (list(function(subject, one)) for one in seen)), [])

    return judge


RUN: Final = ("env.reset(seed=5)", "for _ in range(4):", "    print(env.step(env.action_space.sample()))")


@each_run
def works(subject: Subject, one: WrappedRun) -> Faults:
    """Reset and step around each of a few small environments that the constructor accepts.

    Why: Wrappers are stacked; the constructor, not step, must refuse an environment that does not fit.
    Fix: Check in __init__ what the environment must be, and raise an error that says it.
    """
    failed = one.trace.failed
    if failed is not None:
        message = f"around {one.inner}, {failed.when} raised {error_text(failed.error)}"
        yield Fault(message, failed.method, program(subject, one, *RUN))


@each_run
def hands_on(subject: Subject, one: WrappedRun) -> Faults:
    """Call reset(seed=5, options={"level": 1}), and look at what arrives inside.

    Why: Runs with this wrapper cannot be repeated, and options have no effect, although reset takes both.
    Fix: In reset(self, *, seed=None, options=None), call self.env.reset(seed=seed, options=options).
    """
    if one.inner is None or not one.inner.resets:
        return
    resets = one.inner.resets  # the constructor may have made one of its own
    seed, options = next((given for given in resets if given != (None, None)), resets[0])
    show = program(subject, one, 'env.reset(seed=5, options={"level": 1})', "print(env.unwrapped.resets)")
    if seed != SEED:
        yield Fault(f"reset(seed={SEED}) reached the environment inside as seed={seed!r}", "reset", show)
    if not options or options.get("level") != 1:
        yield Fault(f"reset(options={{'level': 1}}) reached the environment inside as {options!r}", "reset", show)


@each_run
def in_its_spaces(subject: Subject, one: WrappedRun) -> Faults:
    """Look at every reset and step, if the environment inside is in its own spaces.

    Why: Networks are built from the spaces of the outermost wrapper; the spaces of the environment inside no longer
    hold.
    Fix: Set self.observation_space in __init__ to what `observation` returns, with its shape, dtype and bounds.
    """
    space = read(one.env, "observation_space", None)
    for call in one.trace.good:
        want = 2 if call.method == "reset" else 5
        if not isinstance(call.returned, tuple) or len(call.returned) != want:
            message = f"{call.when} returned {short(call.returned)}, not a tuple of {want}"
            yield Fault(message, call.method, program(subject, one, *RUN))
            return
        if not isinstance(call.info, dict) and not (subject.kind == "vector_wrappers" and _dicts(call.info)):
            message = f"the info of {call.when} is {short(call.info)}, not a dict"
            yield Fault(message, call.method, program(subject, one, *RUN))
            return
        if is_space(space) and (found := mismatch(space, call.kept)) is not None:
            message = f"the observation of {call.when} is not in observation_space of the wrapper: {found.message}"
            last = ("observation, _ = env.reset(seed=5)", "print(env.observation_space)", "print(repr(observation))")
            yield Fault(message, "observation", program(subject, one, *last))
            return
        if call.method == "step" and (wrong := _wrong(subject, call)):
            yield Fault(f"{call.when} returned {wrong}", "step", program(subject, one, *RUN))
            return


def _dicts(info: Any) -> bool:
    """Whether infos are a list of dictionaries, as before there were arrays of them."""
    return isinstance(info, list | tuple) and all(isinstance(one, dict) for one in info)


def _wrong(subject: Subject, call: Call) -> str:
    if subject.kind == "vector_wrappers":
        shapes = [np.shape(part) for part in (call.reward, call.terminated, call.truncated)]
        return "" if len(set(shapes)) == 1 and len(shapes[0]) == 1 else f"rewards and flags of the shapes {shapes}"
    if not hasattr(call.reward, "__float__") or np.shape(call.reward):
        return f"the reward {short(call.reward)} ({type(call.reward).__name__}), not a number"
    flags = [flag for flag in (call.terminated, call.truncated) if not isinstance(flag, bool | np.bool_)]
    return f"the flag {short(flags[0])} ({type(flags[0]).__name__}), not a bool" if flags else ""


@each_run
def actions_fit(subject: Subject, one: WrappedRun) -> Faults:
    """Sample the action space of the wrapper, and test whether the action that arrives inside is in the space there.

    Why: An agent that acts within action_space sends the environment an action that it does not expect.
    Fix: Set self.action_space in __init__ to what `action` takes, and let `action` return elements of the other space.
    """
    if one.inner is None:
        return
    for action, kept in one.inner.actions:
        if (found := mismatch(one.inner.action_space, kept)) is not None:
            message = f"an action of its action_space reached the environment inside as {short(action)}, which is "
            message += f"not in the action_space there: {found.message}"
            last = ("env.reset()", "env.step(env.action_space.sample())", "print(env.unwrapped.actions[-1])")
            yield Fault(message, "action", program(subject, one, *last))
            return
