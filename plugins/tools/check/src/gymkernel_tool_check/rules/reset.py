"""GK20x and GK21x: rules about the arguments and the results of reset."""

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
from gymkernel_util_spaces.texts import error_text

__all__ = ["inner"]


def inner(construction: Construction) -> Any:
    """Return the innermost environment, whose `reset` defines the signature to check."""
    env = read(construction.require(), "unwrapped", construction.env)
    if not callable(getattr(env, "reset", None)):
        raise Skip("the environment has no reset (GK002)")
    return env


def takes_a_seed(env: Any) -> bool:
    """Check whether the signature of reset has an argument seed.

    Why: Training libraries call reset(seed=...). Without this argument, the call fails, and runs cannot be reproduced.
    Fix: Define reset(self, *, seed=None, options=None).
    """
    return takes(env, "seed")


def takes_options(env: Any) -> bool:
    """Check whether the signature of reset has an argument options.

    Why: Wrappers and vector backends pass options to every environment.
    Fix: Define reset(self, *, seed=None, options=None).
    """
    return takes(env, "options")


def returns_a_pair(call: Call) -> bool:
    """Check that every reset returns two values, and that the first reset raises no exception.

    Why: Training loops unpack the two values. If reset returns something else, this may go unnoticed, because an array
    of length two can be unpacked as well.
    Fix: End reset with `return observation, info`, where info is a dictionary. Use {} if there is nothing to report.
    """
    return call.error is None and call.well_formed


def info_is_a_dict(info: Any) -> bool:
    """Check the info of every reset that returned two values.

    Why: Wrappers add keys to the info, and vector backends batch infos key by key.
    Fix: Return a dictionary. Use {} if there is nothing to report.
    """
    return is_a(info, dict)


def options_stay(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """Pass reset a dictionary of options that records every call of a method that modifies it.

    Why: Callers often pass the same dictionary to every reset and every worker. If reset modifies it, only the first
    call receives all options.
    Fix: Read the options with options.get(...), or modify a copy: options = dict(options or {}).
    """
    for given, _ in tried:
        if given.changes:
            message = f"reset modifies the options that are passed to it: it called options.{given.changes[0]}"
            show = 'options = {"gymkernel_check": 1}\nenv.reset(options=options)\nprint(options)'
            yield Fault(message, "reset", show=show)
            return


def empty_options_work(subject: Subject, tried: list[tuple[WatchedOptions, Call]]) -> Faults:
    """Call reset with an empty dictionary of options.

    Why: Vector backends and wrappers pass {} if the user does not specify any options.
    Fix: Treat {} like None: read the options with options.get(...), and do not require any keys.
    """
    exc = tried[0][1].error
    if exc is not None:
        message = f"reset(options={{}}) raised {error_text(exc)}"
        yield Fault(message, "reset", show="env.reset(options={})")


@first_fault
def reset_at_any_time(subject: Subject, trace: Trace) -> Faults:
    """Check that no reset after the first one raises an exception, even in the middle of an episode.

    Why: Time limits, curricula and evaluations may start a new episode at any time.
    Fix: In reset, set the whole state, regardless of what happened before.
    """
    failed = trace.failed
    if failed is None or failed.method != "reset" or failed.episode == 1:
        return
    if is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    before = "the end of an episode" if trace.calls[-2].ended else f"{trace.calls[-2].step} steps of an episode"
    message = f"reset after {before} raised {error_text(failed.error)}"
    yield Fault(message, "reset", show=replay(trace, failed), seed=trace.seed, episode=failed.episode, step=0)
