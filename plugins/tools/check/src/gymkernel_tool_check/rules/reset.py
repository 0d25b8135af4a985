"""GK20x and GK21x: what reset takes and returns."""

from __future__ import annotations

from typing import Any

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read, takes
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.seeding import WatchedOptions
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.reproduce import replay
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.timeouts import Hung
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["inner"]


def inner(made: Construction) -> Any:
    """The environment inside its wrappers, whose signature counts."""
    env = read(made.require(), "unwrapped", made.env)
    if not callable(getattr(env, "reset", None)):
        raise Skip("there is no reset (GK002)")
    return env


def takes_a_seed(subject: Subject, made: Construction) -> Faults:
    """Look at the signature of reset.

    Why: Training libraries call reset(seed=...): without the argument, the call fails and no run can be repeated.
    Fix: Define reset(self, *, seed=None, options=None).
    """
    if not takes(inner(made), "seed"):
        yield Fault("reset takes no argument seed", "reset", show=f"env.reset(seed={subject.options.seed})")


def takes_options(subject: Subject, made: Construction) -> Faults:
    """Look at the signature of reset.

    Why: Wrappers and vector backends pass options on to every environment.
    Fix: Define reset(self, *, seed=None, options=None).
    """
    if not takes(inner(made), "options"):
        yield Fault("reset takes no argument options", "reset", show="env.reset(options={})")


def returns_a_pair(subject: Subject, trace: Trace) -> Faults:
    """Look at what every reset returns, and whether it raises.

    Why: Every training loop unpacks these two values; even an array of length two is unpacked without an error.
    Fix: End reset with `return observation, info`, where info is a dictionary, {} if there is nothing to report.
    """
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


@first_fault
def info_is_a_dict(subject: Subject, trace: Trace) -> Faults:
    """Look at the info of every reset that returned two values.

    Why: Wrappers write into it, and vector backends batch it key by key.
    Fix: Return a dictionary, {} if there is nothing to report.
    """
    for call in trace.resets:
        if call.well_formed and not is_a(call.info, dict):
            message = f"{call.when} returned as info {short(call.info)} ({type(call.info).__name__}), not a dict"
            yield Fault(message, "reset", show=f"{replay(trace, call)}\nprint(type(info))", seed=trace.seed)


def options_stay(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """Watch the methods that change a dictionary.

    Why: The same dictionary is passed to every episode and worker, and only the first of them gets all options.
    Fix: Read with options.get(...), or work on a copy: options = dict(options or {}).
    """
    for given, _ in tried:
        if given.changes:
            message = f"reset changes the options it is given: it called options.{given.changes[0]}"
            show = 'options = {"gymkernel_check": 1}\nenv.reset(options=options)\nprint(options)'
            yield Fault(message, "reset", show=show)
            return


def empty_options_work(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """Reset with empty options.

    Why: Vector backends and wrappers pass {} if the user gives no options.
    Fix: Treat {} as None: read with options.get(...), and require nothing.
    """
    exc = tried[0][1].error
    if exc is not None:
        message = f"reset(options={{}}) raised {error_text(exc)}"
        yield Fault(message, "reset", show="env.reset(options={})")


@first_fault
def reset_at_any_time(subject: Subject, trace: Trace) -> Faults:
    """Look at every reset after the first.

    Why: Time limits, curricula and evaluations begin a new episode at any time.
    Fix: Let reset set every part of the state, whatever happened before.
    """
    failed = trace.failed
    if failed is None or failed.method != "reset" or failed.episode == 1:
        return
    if is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    before = "the end of an episode" if trace.calls[-2].ended else f"{trace.calls[-2].step} steps of an episode"
    message = f"reset after {before} raised {error_text(failed.error)}"
    yield Fault(message, "reset", show=replay(trace, failed), seed=trace.seed, episode=failed.episode, step=0)
