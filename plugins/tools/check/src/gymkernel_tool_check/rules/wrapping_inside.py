"""GK67x and GK68x: rules about forwarding attributes, closing, and leaving the wrapped environment's data unchanged."""

from __future__ import annotations

import operator
from typing import Any

from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.wrapping import WrappedRun, wrap
from gymkernel_tool_check.rules.wrapping import each_run, program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text


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
        return (
            "" if seen is mode else f"metadata['autoreset_mode'] is {seen!r}, but {mode!r} in the wrapped environment"
        )
    if name == "spec":
        return "spec is None, but the wrapped environment has a spec" if value is None else ""
    expected = getattr(inner, name)
    collects = name == "render_mode" and value == f"{expected}_list"  # the wrapper collects frames from several steps
    declared = (read(run.env, "metadata", None) or {}).get("render_modes", ())
    renders = collects or (name == "render_mode" and value in declared)
    return (
        ""
        if value == expected or renders
        else f"{name} is {short(value)}, but {short(expected)} in the wrapped environment"
    )


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
