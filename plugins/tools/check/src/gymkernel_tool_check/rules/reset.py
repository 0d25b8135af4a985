"""GK20x and GK21x: rules about reset and the seeds that are passed to reset."""

from __future__ import annotations

import inspect
from typing import Any

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import is_a, read, takes
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.nondeterminism import cause_code
from gymkernel_tool_check.probes.rollouts import runs
from gymkernel_tool_check.probes.seeding import Seeding, WatchedOptions, seed_sweep
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.outputs import fault, replay, stamp
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.timeouts import Hung
from gymkernel_util_spaces.compare import difference
from gymkernel_util_spaces.texts import error_text


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


def seed_is_honoured() -> None:
    """Compare the first observations of two new instances with the same seed, or of two runs of the only instance.

    Why: Results that cannot be reproduced cannot be compared or debugged. In addition, workers with different seeds may
    run the same episode.
    Fix: At the beginning of reset, call super().reset(seed=seed). Draw every random number from self.np_random.
    """


def default_seed_is_none(subject: Subject, construction: Construction) -> Faults:
    """Check the default value of the argument seed in the signature of reset.

    Why: With any default other than None, every reset() starts the same episode, so the agent trains on a single
    initial state.
    Fix: Define reset(self, *, seed=None, options=None).
    """
    try:
        parameter = inspect.signature(inner(construction).reset).parameters.get("seed")
    except (TypeError, ValueError):
        return
    if parameter is not None and parameter.default not in {None, inspect.Parameter.empty}:
        message = f"the default of seed in reset is {parameter.default!r}, not None"
        yield Fault(message, "reset", show="import inspect\nprint(inspect.signature(env.unwrapped.reset))")


def zero_is_a_seed(subject: Subject, seen: Seeding) -> Faults:
    """Start two episodes with reset(seed=0), take the same actions in both, and compare the results.

    Why: 0 is the seed that people use most often. Results that cannot be reproduced cannot be compared or debugged.
    Fix: Write `if seed is not None` instead of `if seed`.
    """
    if any(_unlike(a, b) for a, b in zip(*seen.other, strict=False)):
        raise Skip("no seed is reproducible (GK205, GK210, GK501, GK602)")
    for a, b in zip(*seen.zero, strict=False):
        if found := _unlike(a, b):
            if cause_code(subject) is not None or history(seen) is not None:
                raise Skip("no seed is reproducible (GK205, GK210, GK501, GK602)")
            message = f"reset(seed=0) is not reproducible, but other seeds are: after {a.when}, {found}"
            show = "first, _ = env.reset(seed=0)\nfirst = repr(first)\nenv.reset()\nagain, _ = env.reset(seed=0)\n"
            yield Fault(message, "reset", show=f"{show}print(first == repr(again))  # False", seed=0, step=a.step)
            return


def history(seen: Seeding) -> tuple[Call, str] | None:
    """Return the first difference between runs that share a seed other than 0, or None if these runs agree."""
    pairs = zip(seen.others[::2], seen.others[1::2], strict=True)
    found = ((a, _unlike(a, b)) for first, second in pairs for a, b in zip(first, second, strict=False))
    return next(((call, how) for call, how in found if how), None)


def _unlike(a: Call, b: Call) -> str | None:
    return difference(a.kept, b.kept) or difference(a.reward, b.reward)


def unseeded_reset_runs_on(subject: Subject, seen: Seeding) -> Faults:
    """Check that twenty resets without a seed do not all repeat the observation of the last reset with a seed.

    Nothing is reported if all seeds give the same observation.

    Why: If every reset starts the same episode, the agent silently trains on a single initial state, or workers repeat
    each other's episodes.
    Fix: Seed the generator only if the seed is not None. Otherwise, leave its state unchanged.
    """
    good = [call for call in seen.seeded if call.error is None]
    if len(seen.unseeded) < 20 or any(call.error is not None for call in seen.unseeded):
        raise Skip("resets fail or are too slow to be compared")
    last = good[-1].kept if good else None
    if all(difference(good[0].kept, call.kept) is None for call in good):
        return
    if all(difference(last, call.kept) is None for call in seen.unseeded):
        seed = subject.options.seed + len(seen.seeded) - 1
        count = len(seen.unseeded)
        message = f"{count} resets without a seed repeated the observation of the preceding reset(seed={seed})"
        show = f"print(env.reset(seed={seed})[0])\nfor _ in range(5):\n    print(env.reset()[0])"
        yield Fault(message, "reset", show=show, seed=seed)


def later_seeds_are_honoured() -> None:
    """Reset a used instance and a new instance with the same seed, and compare their episodes.

    Why: An evaluation that uses fixed seeds silently gets different episodes each time.
    Fix: Seed the generator whenever the seed is not None, even if a generator already exists.
    """


def later_episodes_are_reproducible() -> None:
    """Run several episodes twice with the same seed and actions, and compare how the later episodes start.

    Why: Usually, only the first episode of a run is seeded. If later episodes are not reproducible, runs cannot be
    compared or debugged.
    Fix: Draw random numbers from self.np_random, and do not seed it again if the seed is None.
    """


def seeds_do_not_add_up() -> None:
    """Reset a used instance and a new instance with the same seed, and compare the states of their generators.

    Why: If a seeded episode depends on earlier episodes, it can only be replayed by repeating all of them, which is
    impractical when you debug or evaluate an agent.
    Fix: Initialise the generator from the seed alone. Do not add a counter or the previous state of the generator.
    """


def first_observation_is_new() -> None:
    """Compare the first observation of an episode with the last observation of the previous episode.

    The following steps are compared with those of a new instance.

    Why: If reset returns an old observation, the agent bases the first action of every episode on the previous episode.
    Fix: Compute the observation at the end of reset, after all state has been set.
    """


def large_seeds_work(subject: Subject, seen: Seeding) -> Faults:
    """Reset with seeds of 32 bits and more, and with a NumPy integer. Small seeds are assumed to work.

    Why: Seeds that are derived from other seeds, for example with numpy.random.SeedSequence or a hash, may have more
    than 32 bits.
    Fix: Call super().reset(seed=seed). If a library accepts only seeds of 32 bits, pass it a number drawn from
    self.np_random.
    """
    for given, call in seen.large:
        if isinstance(call.error, Hung):
            raise Skip("a reset did not return (GK217)")
        if call.error is not None:
            shown = given if type(given) is int else f"np.{type(given).__name__}({given})"
            message = f"reset(seed={shown}) raised {error_text(call.error)}"
            severity = "info" if type(given) is not int else "warning" if given >= 2**32 else None
            yield Fault(message, "reset", show=f"env.reset(seed={shown})", seed=int(given), severity=severity)


@first_fault
def reset_returns(subject: Subject, trace: Trace) -> Faults:
    """Check the resets of every recorded run, and reset with the seeds 0, 1, 2 and so on, each within a time limit.

    Why: A run can hang after days, for example in the one episode for which a level generator never finds a valid
    level.
    Fix: Limit the number of attempts in reset. After the last attempt, use a level that always works.
    """
    for run in subject.get(runs):
        if run.failed is not None and isinstance(run.failed.error, Hung):
            message = f"{stamp(run, run.failed)}: {run.failed.error}"
            yield fault(run, run.failed, message, "")
    seen = subject.get(seed_sweep)
    if seen.failed is None:
        return
    seed, call = seen.failed
    if not seen.seconds:
        raise Skip(f"reset(seed={seed}) does not work (GK203)")
    if not isinstance(call.error, Hung):
        message = f"reset(seed={seed}) raised {error_text(call.error)}; {len(seen.seconds)} seeds work"
    else:
        usual = f"{len(seen.seconds)} other seeds took {max(seen.seconds) * 1000:.3g} ms at most"
        message = f"reset(seed={seed}): {call.error}; {usual}"
    yield Fault(message, "reset", show=f"env.reset(seed={seed})", seed=seed)
