"""GK67x and GK68x: rules about the values that a wrapper receives and returns."""

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


def program(subject: Subject, run: WrappedRun, *lines: str) -> str:
    """Return a program that puts the wrapper around a probe environment and then runs the given lines."""
    return "\n".join([f"env = {wrapping_expression(subject, run)}", *lines])


def wrapping_expression(subject: Subject, run: WrappedRun) -> str:
    """Return a Python expression that creates the wrapper around a probe environment."""
    inner = f'ProbeVectorEnv("{run.variant}")'
    if subject.kind == "wrappers":
        inner = f'ProbeEnv("{run.variant}", render_mode="rgb_array")'
    return run.form.expression(subject.recipe.value, f"probe_envs.{inner}")


def each_run(function: WrapperCheck) -> Callable[[Subject, list[WrappedRun]], list[Fault]]:
    """Turn a rule that checks a single run into a rule that checks all runs until it finds a fault."""

    @functools.wraps(function)
    def judge(subject: Subject, seen: list[WrappedRun]) -> list[Fault]:
        return next(filter(None, (list(function(subject, run)) for run in seen)), [])

    return judge


RUN: Final = ("env.reset(seed=5)", "for _ in range(4):", "    print(env.step(env.action_space.sample()))")


@each_run
def works(subject: Subject, run: WrappedRun) -> Faults:
    """Put the wrapper around several small environments, and reset and step those that its constructor accepts.

    Why: Wrappers are used with many environments. If an environment is unsuitable, the constructor must reject it, so
    that step does not fail later.
    Fix: Check the environment in __init__, and raise an exception that says what the wrapper requires.
    """
    failed = run.trace.failed
    if failed is not None:
        message = f"around {run.inner}, {failed.when} raised {error_text(failed.error)}"
        yield Fault(message, failed.method, program(subject, run, *RUN))


@each_run
def passes_seeds_and_options(subject: Subject, run: WrappedRun) -> Faults:
    """Call reset(seed=5, options={"level": 1}), and check the arguments that the wrapped environment receives.

    Why: If a wrapper ignores the seed or the options, runs with this wrapper cannot be reproduced, or options have no
    effect.
    Fix: In reset(self, *, seed=None, options=None), call self.env.reset(seed=seed, options=options).
    """
    if run.inner is None or not run.inner.resets:
        return
    resets = run.inner.resets  # the constructor may also have called reset
    seed, options = next((given for given in resets if given != (None, None)), resets[0])
    show = program(subject, run, 'env.reset(seed=5, options={"level": 1})', "print(env.unwrapped.resets)")
    if seed != SEED:
        yield Fault(f"reset(seed={SEED}) passed seed={seed!r} to the wrapped environment", "reset", show)
    if not options or options.get("level") != 1:
        yield Fault(
            f"reset(options={{'level': 1}}) passed options={options!r} to the wrapped environment", "reset", show
        )


@each_run
def in_its_spaces(subject: Subject, run: WrappedRun) -> Faults:
    """Check the result of every reset and step, provided that the results of the wrapped environment are correct.

    Why: Networks are built from the spaces of the outermost wrapper, not from those of the environment inside.
    Fix: In __init__, set self.observation_space to a space with the shape, the dtype and the bounds of the values that
    `observation` returns.
    """
    space = read(run.env, "observation_space", None)
    for call in run.trace.good:
        want = 2 if call.method == "reset" else 5
        if not isinstance(call.returned, tuple) or len(call.returned) != want:
            message = f"{call.when} returned {short(call.returned)}, not a tuple of {want}"
            yield Fault(message, call.method, program(subject, run, *RUN))
            return
        if not isinstance(call.info, dict) and not (subject.kind == "vector_wrappers" and _dicts(call.info)):
            message = f"the info of {call.when} is {short(call.info)}, not a dict"
            yield Fault(message, call.method, program(subject, run, *RUN))
            return
        if is_space(space) and (found := mismatch(space, call.kept)) is not None:
            message = f"the observation of {call.when} is not in the wrapper's observation_space: {found.message}"
            last = ("observation, _ = env.reset(seed=5)", "print(env.observation_space)", "print(repr(observation))")
            yield Fault(message, "observation", program(subject, run, *last))
            return
        if call.method == "step" and (wrong := _wrong(subject, call)):
            yield Fault(f"{call.when} returned {wrong}", "step", program(subject, run, *RUN))
            return


def _dicts(info: Any) -> bool:
    """Return whether infos are a list of dictionaries, as in older vector environments, instead of a dictionary."""
    return isinstance(info, list | tuple) and all(isinstance(run, dict) for run in info)


def _wrong(subject: Subject, call: Call) -> str:
    if subject.kind == "vector_wrappers":
        shapes = [np.shape(part) for part in (call.reward, call.terminated, call.truncated)]
        return "" if len(set(shapes)) == 1 and len(shapes[0]) == 1 else f"rewards and flags with the shapes {shapes}"
    if not hasattr(call.reward, "__float__") or np.shape(call.reward):
        return f"the reward {short(call.reward)} ({type(call.reward).__name__}), not a number"
    flags = [flag for flag in (call.terminated, call.truncated) if not isinstance(flag, bool | np.bool_)]
    return f"the flag {short(flags[0])} ({type(flags[0]).__name__}), not a bool" if flags else ""


@each_run
def actions_fit(subject: Subject, run: WrappedRun) -> Faults:
    """Sample from the wrapper's action space, and check the action that the wrapped environment receives.

    Why: If the wrapper's action space is wrong, even an agent that stays within this space passes invalid actions to
    the wrapped environment.
    Fix: In __init__, set self.action_space to the space that `action` accepts. In `action`, return an element of the
    wrapped environment's action space.
    """
    if run.inner is None:
        return
    for action, kept in run.inner.actions:
        if (found := mismatch(run.inner.action_space, kept)) is not None:
            message = f"the wrapper passed {short(action)} to the wrapped environment, whose action space does not "
            message += f"contain it: {found.message}"
            last = ("env.reset()", "env.step(env.action_space.sample())", "print(env.unwrapped.actions[-1])")
            yield Fault(message, "action", program(subject, run, *last))
            return
