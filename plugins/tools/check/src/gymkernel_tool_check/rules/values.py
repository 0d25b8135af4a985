"""Functions that yield the values that the rules in the table check, and where each value occurred.

If a table row has a message, it also names a predicate and a function that yields values. `judge` combines all three
into a rule that reports the message for the first value for which the predicate is False.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.nondeterminism import Cause, cause, cause_code
from gymkernel_tool_check.probes.other_processes import ProcessRuns
from gymkernel_tool_check.probes.publishing import Publication
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.seeding import seed_sweep
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.trace import Call, Recorder, Trace
from gymkernel_tool_check.rules.observation import changed_calls, more, outside
from gymkernel_tool_check.rules.outputs import fault, good_calls, stamp
from gymkernel_tool_check.rules.reproduce import replay, replay_twice
from gymkernel_tool_check.rules.reset import inner
from gymkernel_tool_check.rules.seeding import remake
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.timeouts import Hung
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import mismatch, not_finite
from gymkernel_util_spaces.texts import error_text

__all__ = ["Value", "describe_cause", "judge"]

Words = dict[str, str]
TEST: Final = (
    "print(env.observation_space.contains(observation), repr(observation), getattr(observation, 'dtype', None))"
)


class Value(NamedTuple):
    """A value to check, and a function that describes the fault if the value is wrong.

    A rule reports at most one wrong value per key. It stops after it has reported a value whose key is "".

    Attributes:
        value: the value that the predicate receives.
        describe: a function that returns a fault without a message, and the words to insert into the rule's message.
        key: the name of a group of values, such as the name of a flag, or "" if the rule reports only one value.
    """

    value: Any
    describe: Callable[[], tuple[Fault, Words]]
    key: str = ""


def judge(
    predicate: Callable[[Any], bool], message: str, values: Callable[[Subject, Any], Iterator[Value]]
) -> Callable[[Subject, Any], Faults]:
    """Return a rule function that reports values for which a predicate is False.

    Args:
        predicate: a function that returns whether a value is correct.
        message: the message of the finding, with a placeholder in braces for each word to insert.
        values: a function that yields the values to check, given the subject and the result of the probe.
    """

    @functools.wraps(predicate)
    def check(subject: Subject, seen: Any) -> Faults:
        reported = set()
        for value in values(subject, seen):
            if value.key not in reported and not predicate(value.value):
                found, words = value.describe()
                yield replace(found, message=message.format(**words))
                reported.add(value.key)
                if not value.key:
                    return

    return check


def type_name(value: Any) -> str:
    """Return the name of a value's type, including the dtype and the shape of an array."""
    if is_a(value, np.ndarray):
        return f"array of {value.dtype} {value.shape}"
    return f"numpy.{type(value).__name__}_" if is_a(value, np.bool_) else type(value).__name__


def _returned(run: Trace, call: Call, name: str, last: str, **words: str) -> tuple[Fault, Words]:
    value = getattr(call, name)
    seen = {"at": stamp(run, call), "when": call.when, "value": short(value), "type": type_name(value), "name": name}
    return fault(run, call, "", last), seen | words


def reset_signature(subject: Subject, construction: Construction) -> Iterator[Value]:
    """Yield the innermost environment, so that a rule can check the signature of its `reset`."""
    show = f"env.reset(seed={subject.options.seed}, options={{}})"
    yield Value(inner(construction), lambda: (Fault("", "reset", show), {}))


def resets(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield every successful reset of the recorded run, and also the first reset if it raised an exception."""
    failed = trace.failed
    if failed is not None and is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    first = [failed] if failed is not None and failed.method == "reset" and failed.episode == 1 else []
    for call in (*first, *trace.resets):
        yield Value(call, functools.partial(_reset, trace, call))


def _reset(trace: Trace, call: Call) -> tuple[Fault, Words]:
    show = f"print(type(env.reset(seed={trace.seed})))"
    seen = f"tuple of {len(call.returned)}" if is_a(call.returned, tuple) else type(call.returned).__name__
    did = f"returned a {seen}" if call.error is None else f"raised {error_text(call.error)}"
    name = call.when if call.error is None else f"reset(seed={call.seed})"
    return Fault("", "reset", show, seed=trace.seed), {"call": name, "did": did}


def reset_infos(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield the info of every reset of the recorded run."""
    for call in trace.resets:
        if call.well_formed:
            yield Value(call.info, functools.partial(_returned, trace, call, "info", "print(type(info))"))


def step_infos(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield the info of every step of every run."""
    for run, call in good_calls(subject, "step"):
        yield Value(call.info, functools.partial(_returned, run, call, "info", "print(repr(info))"))


def rewards(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield the reward of every step of every run."""
    for run, call in good_calls(subject, "step"):
        yield Value(call.reward, functools.partial(_reward, run, call))


def _reward(run: Trace, call: Call) -> tuple[Fault, Words]:
    """Describe a wrong reward. If the environment defines `reward_space`, arrays of rewards are legal."""
    several = read(read(run.env, "unwrapped", run.env), "reward_space")
    found, words = _returned(run, call, "reward", "print(repr(reward))", more="")
    if several is not None:
        return replace(found, severity="info"), words | {"more": f": it belongs to reward_space {short(several)}"}
    return found, words


def drawn_rewards(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield the reward of every step with a sampled action."""
    for run in subject.get(runs):
        for call in run.good:
            if call.well_formed and call.method == "step":
                yield Value(call.reward, functools.partial(_returned, run, call, "reward", "print(reward)"))


def flags(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield both flags of every step. Flags of type `numpy.bool_` come last, and are reported with severity info."""
    for name in ("terminated", "truncated"):
        of_numpy = []
        for run, call in good_calls(subject, "step"):
            describe = functools.partial(_returned, run, call, name, f"print(repr({name}))")
            if is_a(flag := getattr(call, name), np.bool_):
                of_numpy.append(Value(flag, functools.partial(_as_info, describe), name))
            else:
                yield Value(flag, describe, name)
        yield from of_numpy[:1]


def _as_info(describe: Callable[[], tuple[Fault, Words]]) -> tuple[Fault, Words]:
    found, words = describe()
    return replace(found, severity="info"), words


def observations(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield each mismatch between an observation and its space, from every run and from resets with other seeds."""
    found = subject.get(outside)
    for run, call, why in found:
        others = sum(other.kind == why.kind for _, _, other in found) - 1
        words = {"wrong": why.message, "more": more(others)}
        yield Value(why, functools.partial(_returned, run, call, "kept", TEST, **words))
    try:
        swept = subject.get(seed_sweep)
    except Skip:
        return
    space = subject.get(rollout).env.observation_space
    for seed, observation in swept.resets:
        if (wrong := mismatch(space, observation)) is not None:
            yield Value(wrong, functools.partial(_swept, seed, wrong.message))


def _swept(seed: int, wrong: str) -> tuple[Fault, Words]:
    show = f"observation, info = env.reset(seed={seed})\n{TEST}"
    words = {"wrong": wrong, "at": f"reset(seed={seed})", "more": "; the observations of other seeds are in the space"}
    return Fault("", "reset", show, seed=seed, episode=1, step=0), words


def drawn_observations(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield every observation of the runs with sampled actions."""
    for run in subject.get(runs):
        for call in run.good:
            if call.well_formed:
                yield Value(call.kept, functools.partial(_not_finite, run, call))


def _not_finite(run: Trace, call: Call) -> tuple[Fault, Words]:
    return _returned(run, call, "kept", "print(observation)", wrong=not_finite(call.kept) or "")


def kept_observations(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield the first call whose observation changed after it was returned, if there is such a call."""
    if changed := changed_calls(trace):
        call = min(changed, key=trace.calls.index)
        yield Value(call, functools.partial(_changed, trace, call, len(changed) - 1))


def _changed(trace: Trace, call: Call, others: int) -> tuple[Fault, Words]:
    later = call.changed_at
    when = f"at {later.when}" if later is not None else "later in the run"
    what = difference(call.kept, call.observation) or "the observation changed and changed back"
    first = f"kept, _ = env.reset(seed={trace.seed})"
    if call.method == "step":
        first = f"{replay(trace, call)}\nkept = observation"
    second = "env.reset()" if later is not None and later.method == "reset" else "env.step(env.action_space.sample())"
    show = f"{first}\nbefore = repr(kept)\n{second}\nprint(before, kept)"
    words = {"call": call.when, "when": when, "what": what, "more": more(others)}
    return Fault("", "step", show, seed=trace.seed, episode=call.episode, step=call.step), words


def different_runs(subject: Subject, found: Cause | None) -> Iterator[Value]:
    """If runs with the same seed differ, yield the cause of the difference."""
    if found is not None:
        yield Value(found, functools.partial(describe_cause, subject, found))


def describe_cause(subject: Subject, found: Cause) -> tuple[Fault, Words]:
    """Return a fault for the first call that differs between runs, and the words to insert into the rule's message."""
    mismatch, trace = found.mismatch, subject.get(rollout)
    call = mismatch.call
    hint = found.hint if ";" in found.hint else ""
    others = f" (and {', '.join(found.names[1:])})" if len(found.names) > 1 else ""
    words = {
        "who": mismatch.who,
        "names": f"{found.names[0]}{others}" if found.names else "",
        "seed": str(subject.options.seed),
        "clock": found.hint or "with the same seed and actions",
        "there": f"at {call.when}, in the {mismatch.what}: {mismatch.detail}{hint}",
    }
    shown = "observation" if mismatch.what == "outcome" else mismatch.what
    show = replay_twice(trace, call, remake(subject, mismatch), shown)
    method = "__init__" if found.code == "GK505" else call.method
    return Fault("", method, show, seed=trace.seed, episode=call.episode, step=call.step), words


def processes(subject: Subject, seen: ProcessRuns) -> Iterator[Value]:
    """Yield the first difference between the results of two processes, or None if all results agree."""
    if seen.mismatch is not None and (found := cause_code(subject)) not in {None, "GK507"}:
        raise Skip(f"runs differ even within one process (see {found})")
    yield Value(seen.mismatch, functools.partial(_differing_processes, subject, seen))


def _differing_processes(subject: Subject, seen: ProcessRuns) -> tuple[Fault, Words]:
    at, hash_seed, other_hash_seed = seen.mismatch or (0, 0, 0)
    first, second = (short(seen.lines[seed][at]) for seed in (hash_seed, other_hash_seed))
    seed = subject.options.seed
    show = "# run this program with PYTHONHASHSEED=1 and with PYTHONHASHSEED=2\n"
    show += f"env.action_space.seed({seed})\nprint(env.reset(seed={seed})[0])\n"
    show += f"for _ in range({at}):\n    print(env.step(env.action_space.sample())[:2])" if at else ""
    place = f"call {at + 1}" if at else "the first reset"
    words = {"place": place, "one": str(hash_seed), "first": first, "other": str(other_hash_seed), "second": second}
    return Fault("", "step" if at else "reset", show, seed=seed), words


def action_space_draws(subject: Subject, trace: Trace) -> Iterator[Value]:
    """Yield whether a run changed the action space's generator. Skip the rule if this makes runs differ."""
    if trace.drawn:
        try:
            found = subject.get(cause)
        except Skip:
            found = None
        if found is not None and any("action_space" in name for name in found.names):
            raise Skip(f"this makes runs with the same seed differ (see {found.code})")
    yield Value(trace.drawn, functools.partial(_draws, subject, trace))


def _draws(subject: Subject, trace: Trace) -> tuple[Fault, Words]:
    recorder = Recorder(subject, subject.env())
    before = state_of(recorder.env.action_space.np_random)
    recorder.reset(seed=subject.options.seed)
    method = "step" if state_of(recorder.env.action_space.np_random) == before else "reset"
    state = "repr(env.action_space.np_random.bit_generator.state)"
    show = f"env.action_space.seed({trace.seed})\nbefore = {state}\nenv.reset(seed={trace.seed})\n"
    show += "env.step(env.action_space.__class__.sample(copy.deepcopy(env.action_space)))\n"
    show += f"print(before == {state})  # False"
    return Fault("", method, show, seed=trace.seed), {"method": method, "count": str(len(trace.calls))}


def metadata(subject: Subject, seen: Publication) -> Iterator[Value]:
    """Yield the metadata of the distribution."""
    yield Value(seen.metadata, lambda: (Fault(""), {}))
