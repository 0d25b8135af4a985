"""GK20x and GK21x: what reset takes and returns."""

from __future__ import annotations

from typing import Any

from gymkernel_tool_check.definition import Fault, Faults, Skip, rule
from gymkernel_tool_check.introspect import is_a, read, takes
from gymkernel_tool_check.probes.making import Construction, construct
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.seeding import WatchedOptions, options
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.outputs import output_rule
from gymkernel_tool_check.rules.reproduce import replay
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.timeouts import Hung
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["SIGNATURE", "inner"]

SIGNATURE = "Define reset(self, *, seed=None, options=None)."


def inner(made: Construction) -> Any:
    """The environment inside its wrappers, whose signature counts."""
    env = read(made.require(), "unwrapped", made.env)
    if not callable(getattr(env, "reset", None)):
        raise Skip("there is no reset (GK002)")
    return env


@rule(
    "GK201",
    "reset takes a seed",
    why="Training libraries call reset(seed=...): without it they fail, and no run can be repeated.",
    mend=SIGNATURE,
    probe=construct,
)
def takes_a_seed(subject: Subject, made: Construction) -> Faults:
    """By the signature."""
    if not takes(inner(made), "seed"):
        yield Fault("reset takes no argument seed", "reset", show=f"env.reset(seed={subject.options.seed})")


@rule(
    "GK202",
    "reset takes options",
    why="Wrappers and vector backends pass options on to every environment.",
    mend=SIGNATURE,
    probe=construct,
)
def takes_options(subject: Subject, made: Construction) -> Faults:
    """By the signature."""
    if not takes(inner(made), "options"):
        yield Fault("reset takes no argument options", "reset", show="env.reset(options={})")


@rule(
    "GK203",
    "reset returns (observation, info)",
    why="Everything that runs episodes unpacks these two; an array of length two is even taken apart without an error.",
    mend="End reset with `return observation, info`, where info is a dictionary, {} if there is nothing to say.",
    probe=rollout,
)
def returns_a_pair(subject: Subject, trace: Trace) -> Faults:
    """Of every reset; or it raises."""
    failed = trace.failed
    if failed is not None and is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    if failed is not None and failed.method == "reset" and failed.episode == 1:
        message = f"reset(seed={failed.seed}) raised {error_text(failed.error)}"
        yield Fault(message, "reset", show=f"env.reset(seed={failed.seed})", seed=trace.seed)
    for call in trace.resets:
        if not call.well_formed:
            seen = (
                f"a tuple of {len(call.returned)}"
                if is_a(call.returned, tuple)
                else f"a {type(call.returned).__name__}"
            )
            message = f"{call.when} returned {seen} where (observation, info) was expected"
            yield Fault(message, "reset", show=f"print(type(env.reset(seed={trace.seed})))", seed=trace.seed)
            return


@output_rule(
    "GK204",
    "the info of reset is a dictionary",
    why="Wrappers write into it, and vector backends batch it key by key.",
    mend="Return a dictionary, {} if there is nothing to say.",
)
def info_is_a_dict(subject: Subject, trace: Trace) -> Faults:
    """Of every reset that returned two values."""
    for call in trace.resets:
        if call.well_formed and not is_a(call.info, dict):
            message = f"{call.when} returned as info {short(call.info)} ({type(call.info).__name__}), not a dict"
            yield Fault(message, "reset", show=f"{replay(trace, call)}\nprint(type(info))", seed=trace.seed)


@rule(
    "GK212",
    "reset leaves the caller's options as they are",
    why="One dictionary is passed to every episode and worker: only the first gets what was asked for.",
    mend="Read with options.get(...), or work on a copy: options = dict(options or {}).",
    probe=options,
)
def options_stay(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """By watching the methods that change a dictionary."""
    for given, _ in tried:
        if given.changes:
            message = f"reset changes the options it is given: it called options.{given.changes[0]}"
            show = 'options = {"gymkernel_check": 1}\nenv.reset(options=options)\nprint(options)'
            yield Fault(message, "reset", show=show)
            return


@rule(
    "GK213",
    "empty options work like none",
    why="Vector backends and wrappers pass {} where the user gives none.",
    mend="Treat {} as None: read with options.get(...), and require nothing.",
    probe=options,
)
def empty_options_work(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """Reset with empty options."""
    exc = tried[0][1].error
    if exc is not None:
        message = f"reset(options={{}}) raised {error_text(exc)}"
        yield Fault(message, "reset", show="env.reset(options={})")


@output_rule(
    "GK214",
    "reset works in the middle of an episode",
    why="Time limits, curricula and evaluations begin a new episode whenever they want to.",
    mend="Let reset set every part of the state, whatever came before.",
)
def reset_at_any_time(subject: Subject, trace: Trace) -> Faults:
    """Of every reset after the first."""
    failed = trace.failed
    if failed is None or failed.method != "reset" or failed.episode == 1:
        return
    if is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    before = "the end of an episode" if trace.calls[-2].ended else f"{trace.calls[-2].step} steps of an episode"
    message = f"reset after {before} raised {error_text(failed.error)}"
    yield Fault(message, "reset", show=replay(trace, failed), seed=trace.seed, episode=failed.episode, step=0)
