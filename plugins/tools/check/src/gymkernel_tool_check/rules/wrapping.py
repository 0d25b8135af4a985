"""GK67x and GK68x: wrappers, around one environment and around a vector environment: what goes in and out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Rule, rule
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.trace import Call, is_space
from gymkernel_tool_check.probes.wrapping import SEED, WrappedRun, wrapped_runs
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch
from gymkernel_util_spaces.texts import error_text

__all__ = ["STACK", "both", "program", "wrapping_expression"]

WrapperCheck = Callable[[Subject, WrappedRun], Faults]
STACK: Final = "Wrappers are stacked: each relies on what the one inside does"


def program(subject: Subject, one: WrappedRun, *lines: str) -> str:
    """Wrap a probe environment, and go on."""
    return "\n".join([f"env = {wrapping_expression(subject, one)}", *lines])


def wrapping_expression(subject: Subject, one: WrappedRun) -> str:
    """The expression that makes the wrapper around a probe environment."""
    inner = f'ProbeVectorEnv("{one.variant}")'
    if subject.kind == "wrappers":
        inner = f'ProbeEnv("{one.variant}", render_mode="rgb_array")'
    return one.form.expression(subject.recipe.value, f"probe_envs.{inner}")


def both(
    single: str, several: str, title: str, *, why: str, mend: str, severity: str = "error", every: bool = True
) -> Callable[[WrapperCheck], tuple[Rule, ...]]:
    """Make two rules of one function: for wrappers, and for vector wrappers; an empty code for none.

    The function is called with one run after the other until it finds something; not `every`: with the first one alone.
    """

    def decorate(function: WrapperCheck) -> tuple[Rule, ...]:
        @functools.wraps(function)
        def judge(subject: Subject, seen: list[WrappedRun]) -> list[Fault]:
            found = (list(function(subject, one)) for one in (seen if every else seen[:1]))
            return next(filter(None, found), [])

        make = functools.partial(rule, title=title, why=why, mend=mend, probe=wrapped_runs, severity=severity)
        codes = {"wrappers": single, "vector_wrappers": several}
        return tuple(make(code, kind=kind)(judge) for kind, code in codes.items() if code)

    return decorate


RUN: Final = ("env.reset(seed=5)", "for _ in range(4):", "    print(env.step(env.action_space.sample()))")


@both(
    "GK680",
    "GK670",
    "it works with every environment that it accepts",
    why=f"{STACK}; an environment that does not fit is to be refused by the constructor, not by step.",
    mend="Check in __init__ what the environment has to be, and say it.",
)
def works(subject: Subject, one: WrappedRun) -> Faults:
    """Reset and step around each of a few small environments that the constructor accepts."""
    failed = one.trace.failed
    if failed is not None:
        message = f"around {one.inner}, {failed.when} raised {error_text(failed.error)}"
        yield Fault(message, failed.method, program(subject, one, *RUN))


@both(
    "GK681",
    "GK671",
    "seeds and options reach the environment inside",
    why="Runs with this wrapper cannot be repeated, and options have no effect, although reset takes both.",
    mend="In reset(self, *, seed=None, options=None), call self.env.reset(seed=seed, options=options).",
)
def hands_on(subject: Subject, one: WrappedRun) -> Faults:
    """reset(seed=5, options={"level": 1}): what arrives inside."""
    if one.inner is None or not one.inner.resets:
        return
    resets = one.inner.resets  # the constructor may have made one of its own
    seed, options = next((given for given in resets if given != (None, None)), resets[0])
    show = program(subject, one, 'env.reset(seed=5, options={"level": 1})', "print(env.unwrapped.resets)")
    if seed != SEED:
        yield Fault(f"reset(seed={SEED}) reached the environment inside as seed={seed!r}", "reset", show)
    if not options or options.get("level") != 1:
        yield Fault(f"reset(options={{'level': 1}}) reached the environment inside as {options!r}", "reset", show)


@both(
    "GK682",
    "GK672",
    "what it returns is in its own spaces",
    why=f"{STACK}, and networks are built from the spaces: those of the environment inside are no longer true.",
    mend="Set self.observation_space in __init__ to what `observation` returns, with its shape, dtype and bounds.",
)
def in_its_spaces(subject: Subject, one: WrappedRun) -> Faults:
    """Of every reset and step; where the environment inside is in its own."""
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


@both(
    "GK683",
    "GK673",
    "its actions are actions of the environment inside",
    why="An agent that acts within action_space does what the environment does not expect: it crashes, or clips.",
    mend="Set self.action_space in __init__ to what `action` takes, and let `action` return what the other space has.",
)
def actions_fit(subject: Subject, one: WrappedRun) -> Faults:
    """The action space of the wrapper is sampled; what arrives inside is in the space there."""
    if one.inner is None:
        return
    for action, kept in one.inner.actions:
        if (found := mismatch(one.inner.action_space, kept)) is not None:
            message = f"an action of its action_space reached the environment inside as {short(action)}, which is "
            message += f"not in the action_space there: {found.message}"
            last = ("env.reset()", "env.step(env.action_space.sample())", "print(env.unwrapped.actions[-1])")
            yield Fault(message, "action", program(subject, one, *last))
            return
