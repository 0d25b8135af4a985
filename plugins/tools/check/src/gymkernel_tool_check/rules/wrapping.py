"""GK67x and GK68x: rules about what a wrapper passes to the wrapped environment and what it returns."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, first_fault
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.trace import Call, is_space
from gymkernel_tool_check.probes.wrapping import SEED, WrappedRun, wrap
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import mismatch
from gymkernel_util_spaces.texts import error_text

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
        message = f"reset(options={{'level': 1}}) passed options={options!r} to the wrapped environment"
        yield Fault(message, "reset", show)


@each_run
@first_fault
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
        if not isinstance(call.info, dict) and not (subject.kind == "vector_wrappers" and _dicts(call.info)):
            message = f"the info of {call.when} is {short(call.info)}, not a dict"
            yield Fault(message, call.method, program(subject, run, *RUN))
        if is_space(space) and (found := mismatch(space, call.kept)) is not None:
            message = f"the observation of {call.when} is not in the wrapper's observation_space: {found.message}"
            last = ("observation, _ = env.reset(seed=5)", "print(env.observation_space)", "print(repr(observation))")
            yield Fault(message, "observation", program(subject, run, *last))
        if call.method == "step" and (wrong := _wrong(subject, call)):
            yield Fault(f"{call.when} returned {wrong}", "step", program(subject, run, *RUN))


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


@each_run
def forwards(subject: Subject, run: WrappedRun) -> Faults:
    """Read `unwrapped`, `spec`, `render_mode`, `np_random`, and the additional attributes of vector environments.

    Why: Wrappers are stacked, and each of them reads the generator, the spec and the render mode from the wrapper or
    environment inside it.
    Fix: Derive the class from Wrapper or VectorWrapper, and call its __init__ with the environment.
    """
    names = ["unwrapped", "spec", "render_mode", "np_random"]
    if subject.kind == "vector_wrappers":
        names = ["unwrapped", "num_envs", "closed", "spec", "metadata"]
    if run.inner is None:
        return
    for name in names:
        try:
            value = getattr(run.env, name)
        except Exception as exc:  # noqa: BLE001 - a property may raise any exception
            yield Fault(f"{name} raised {error_text(exc)}", name, program(subject, run, f"env.{name}"))
            continue
        if wrong := _problem(name, value, run):
            yield Fault(wrong, name, program(subject, run, f"print(env.{name})"))


def _problem(name: str, value: Any, run: WrappedRun) -> str:
    inner = run.inner
    if name == "unwrapped":
        return "" if value is inner else f"unwrapped is {short(value)}, not the wrapped environment"
    if name == "np_random":
        return "" if value is inner.np_random else "np_random is not the generator of the wrapped environment"
    if name == "metadata":
        mode = inner.metadata["autoreset_mode"]
        seen = value.get("autoreset_mode") if isinstance(value, dict) else None
        what = f"metadata['autoreset_mode'] is {seen!r}, but {mode!r} in the wrapped environment"
        return "" if seen is mode else what
    if name == "spec":
        return "spec is None, but the wrapped environment has a spec" if value is None else ""
    expected = getattr(inner, name)
    collects = name == "render_mode" and value == f"{expected}_list"  # the wrapper collects frames from several steps
    declared = (read(run.env, "metadata", None) or {}).get("render_modes", ())
    renders = collects or (name == "render_mode" and value in declared)
    if value == expected or renders:
        return ""
    return f"{name} is {short(value)}, but {short(expected)} in the wrapped environment"


@each_run
def closes(subject: Subject, run: WrappedRun) -> Faults:
    """Close the wrapper twice, and count how many times the wrapped environment is closed.

    Why: If the wrapped environment is not closed, its windows, files and processes stay open and accumulate with every
    run.
    Fix: Call super().close() at the end of close.
    """
    env, _ = wrap(subject, run.variant)
    inner = read(env, "unwrapped", None)
    subject.at("close")
    show = program(subject, run, "env.close()", "env.close()")
    for which in ("", "the second "):
        _, exc = subject.attempt(operator.methodcaller("close"), env)
        if exc is not None:
            yield Fault(f"{which}close raised {error_text(exc)}", "close", show)
            return
    count = getattr(inner, "closings", getattr(inner, "closed", 1))
    if type(inner) is type(run.inner) and not count:
        lines = ("inside = env.unwrapped", "env.close()", "print(inside.closed)")
        yield Fault("close does not close the wrapped environment", "close", program(subject, run, *lines))


@each_run
def leaves_alone(subject: Subject, run: WrappedRun) -> Faults:
    """Compare the actions, options and observations of the wrapper and the wrapped environment with earlier copies.

    Why: If a wrapper modifies these values in place, the agent's buffers or the state of the wrapped environment
    silently change.
    Fix: Create new arrays: write observation = observation / 255 instead of observation /= 255. If the wrapper stores
    an array, return a copy of it.
    """
    for call in run.trace.calls:
        if call.method == "step" and (found := difference(call.action_kept, call.action)):
            lines = ("env.reset()", "action = env.action_space.sample()", "before = repr(action)")
            show = program(subject, run, *lines, "env.step(action)", "print(before, action)")
            yield Fault(f"{call.when} changed the action that was passed to it: {found}", "step", show)
            break
    if run.options != {"level": 1}:
        show = program(subject, run, 'options = {"level": 1}', "env.reset(options=options)", "print(options)")
        yield Fault(f"reset changed the options that were passed to it; they are now {run.options}", "reset", show)
    for returned, kept in getattr(run.inner, "observations", ()):
        if found := difference(kept, returned):
            lines = ("env.reset()", "now, before = env.unwrapped.observations[0]", "print(now, before)")
            message = f"the wrapper changed an observation that belongs to the wrapped environment: {found}"
            yield Fault(message, "observation", program(subject, run, *lines))
            return
    changed = [call for call in run.trace.good if difference(call.kept, call.observation)]
    if changed:
        found = difference(changed[0].kept, changed[0].observation)
        lines = ("observation, _ = env.reset()", "before = repr(observation)", "env.step(env.action_space.sample())")
        message = f"the observation of {changed[0].when} changed later: {found}"
        yield Fault(message, "observation", program(subject, run, *lines, "print(before, observation)"))
