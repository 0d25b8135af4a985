"""Functions that find the defects that the rules in the table report, and where each defect occurred.

If a table row has a message, it also names a function of this module. If the rule's own function is a predicate, the
function of this module applies the predicate to values and describes the first value for which the predicate is False.
If the rule's own function has no arguments and only documents the rule, the function of this module describes defects
that a probe has found and that belong to the code of the rule. `judge` inserts the description into the message.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.backends.cases import Broken
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
from gymkernel_tool_check.rules.outputs import fault, good_calls, replay, replay_twice, result_of, stamp
from gymkernel_tool_check.rules.reset import inner
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.timeouts import Hung
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.membership import mismatch, not_finite
from gymkernel_util_spaces.texts import error_text

__all__ = ["different_runs", "judge"]

Predicate = Callable[[Any], bool]
Words = dict[str, str]
Described = tuple[Fault, Words]
"""A fault without a message, and the words to insert into the message of the rule."""
SEVERAL: Final = ("GK651", "GK662")
"""The codes of rules that report every failed test case, because each failure has its own cause."""
TWICE: Final = """for _ in range(2):
    print(env.reset(seed={seed})[0])
    print(env.step(env.action_space.sample())[0])"""
TEST: Final = (
    "print(env.observation_space.contains(observation), repr(observation), getattr(observation, 'dtype', None))"
)


def judge(
    documented: Callable[..., Any], criterion: Any, message: str, values: Callable[..., Iterator[Described]]
) -> Callable[[Subject, Any], Faults]:
    """Return a rule function that reports the defects that another function finds.

    Args:
        documented: the function whose docstring documents the rule.
        criterion: a predicate that returns whether a value is correct, or the code of the rule.
        message: the message of the finding, with a placeholder in braces for each word to insert.
        values: a function that describes the defects, given the subject, the result of the probe and the criterion.
    """

    @functools.wraps(documented)
    def check(subject: Subject, seen: Any) -> Faults:
        for found, words in values(subject, seen, criterion):
            yield replace(found, message=message.format(**words))

    return check


def type_name(value: Any) -> str:
    """Return the name of a value's type, including the dtype and the shape of an array."""
    if is_a(value, np.ndarray):
        return f"array of {value.dtype} {value.shape}"
    return f"numpy.{type(value).__name__}_" if is_a(value, np.bool_) else type(value).__name__


def _returned(run: Trace, call: Call, name: str, last: str, **words: str) -> Described:
    value = getattr(call, name)
    seen = {"at": stamp(run, call), "when": call.when, "value": short(value), "type": type_name(value), "name": name}
    return fault(run, call, "", last), seen | words


def _first_wrong(
    calls: Iterable[tuple[Trace, Call]], name: str, last: str, is_right: Predicate, **words: str
) -> Iterator[Described]:
    """Describe the first call whose returned value `name` is wrong."""
    wrong = ((run, call) for run, call in calls if not is_right(getattr(call, name)))
    for run, call in itertools.islice(wrong, 1):
        yield _returned(run, call, name, last, **words)


def _drawn(subject: Subject) -> Iterator[tuple[Trace, Call]]:
    """Yield the well-formed calls of the runs with sampled actions."""
    return ((run, call) for run in subject.get(runs) for call in run.good if call.well_formed)


def reset_signature(subject: Subject, construction: Construction, is_right: Predicate) -> Iterator[Described]:
    """Check the innermost environment, whose `reset` has the signature that a rule requires."""
    if not is_right(inner(construction)):
        yield Fault("", "reset", f"env.reset(seed={subject.options.seed}, options={{}})"), {}


def resets(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check every successful reset of the recorded run, and also the first reset if it raised an exception."""
    failed = trace.failed
    if failed is not None and is_a(failed.error, Hung):
        raise Skip("a reset did not return (GK217)")
    first = [failed] if failed is not None and failed.method == "reset" and failed.episode == 1 else []
    wrong = (call for call in (*first, *trace.resets) if not is_right(call))
    for call in itertools.islice(wrong, 1):
        show = f"print(type(env.reset(seed={trace.seed})))"
        seen = f"tuple of {len(call.returned)}" if is_a(call.returned, tuple) else type(call.returned).__name__
        did = f"returned a {seen}" if call.error is None else f"raised {error_text(call.error)}"
        name = call.when if call.error is None else f"reset(seed={call.seed})"
        yield Fault("", "reset", show, seed=trace.seed), {"call": name, "did": did}


def reset_infos(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check the info of every reset of the recorded run."""
    calls = ((trace, call) for call in trace.resets if call.well_formed)
    return _first_wrong(calls, "info", "print(type(info))", is_right)


def step_infos(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check the info of every step of every run."""
    return _first_wrong(good_calls(subject, "step"), "info", "print(repr(info))", is_right)


def rewards(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check the reward of every step of every run. If the environment defines `reward_space`, arrays are legal."""
    several = read(read(trace.env, "unwrapped", trace.env), "reward_space")
    severity, note = (None, "") if several is None else ("info", f": it belongs to reward_space {short(several)}")
    steps = good_calls(subject, "step")
    for found, words in _first_wrong(steps, "reward", "print(repr(reward))", is_right, more=note):
        yield replace(found, severity=severity), words


def drawn_rewards(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check the reward of every step with a sampled action."""
    steps = ((run, call) for run, call in _drawn(subject) if call.method == "step")
    return _first_wrong(steps, "reward", "print(reward)", is_right)


def flags(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check both flags of every step. Flags of type `numpy.bool_` come last, and are reported with severity info."""
    for name in ("terminated", "truncated"):
        calls = sorted(good_calls(subject, "step"), key=lambda found: is_a(getattr(found[1], name), np.bool_))
        for found, words in _first_wrong(calls, name, f"print(repr({name}))", is_right):
            yield replace(found, severity="info" if words["type"] == "numpy.bool_" else None), words


def observations(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check each mismatch between an observation and its space, from every run and from resets with other seeds."""
    found = subject.get(outside)
    for run, call, why in found:
        if not is_right(why):
            others = sum(other.kind == why.kind for _, _, other in found) - 1
            yield _returned(run, call, "kept", TEST, wrong=why.message, more=more(others))
            return
    with contextlib.suppress(Skip):
        space = subject.get(rollout).env.observation_space
        for seed, observation in subject.get(seed_sweep).resets:
            if (wrong := mismatch(space, observation)) is not None and not is_right(wrong):
                show = f"observation, info = env.reset(seed={seed})\n{TEST}"
                words = {"wrong": wrong.message, "at": f"reset(seed={seed})"}
                words["more"] = "; the observations of other seeds are in the space"
                yield Fault("", "reset", show, seed=seed, episode=1, step=0), words
                return


def drawn_observations(subject: Subject, trace: Trace, is_right: Predicate) -> Iterator[Described]:
    """Check every observation of the runs with sampled actions."""
    wrong = ((run, call) for run, call in _drawn(subject) if not is_right(call.kept))
    for run, call in itertools.islice(wrong, 1):
        yield _returned(run, call, "kept", "print(observation)", wrong=not_finite(call.kept) or "")


def kept_observations(subject: Subject, trace: Trace, _code: str) -> Iterator[Described]:
    """Describe the first call whose observation changed after it was returned, if there is such a call."""
    changed = changed_calls(trace)
    call = min(changed, key=trace.calls.index, default=None)
    if call is None:
        return
    later = call.changed_at
    when = f"at {later.when}" if later is not None else "later in the run"
    what = difference(call.kept, call.observation) or "the observation changed and changed back"
    first = f"kept, _ = env.reset(seed={trace.seed})"
    if call.method == "step":
        first = f"{replay(trace, call)}\nkept = observation"
    second = "env.reset()" if later is not None and later.method == "reset" else "env.step(env.action_space.sample())"
    show = f"{first}\nbefore = repr(kept)\n{second}\nprint(before, kept)"
    words = {"call": call.when, "when": when, "what": what, "more": more(len(changed) - 1)}
    yield Fault("", "step", show, seed=trace.seed, episode=call.episode, step=call.step), words


def different_runs(subject: Subject, found: Cause | None, code: str) -> Iterator[Described]:
    """If runs with the same seed differ, check the cause. Skip the rule if another rule explains the difference."""
    if found is not None:
        if found.code != code:
            raise Skip(f"runs with the same seed differ (see {found.code})")
        yield describe_cause(subject, found)


def used_instances(subject: Subject, found: Cause | None, code: str) -> Iterator[Described]:
    """Check the cause like `different_runs`, if two resets of one instance show the defect."""
    for _, words in different_runs(subject, found, code):
        yield Fault("", "reset", TWICE.format(**words), seed=subject.options.seed, episode=1, step=0), words


def describe_cause(subject: Subject, found: Cause) -> Described:
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
        "when": call.when,
        "what": "first observations" if mismatch.what == "observation" else "outcomes",
        "detail": mismatch.detail,
        "hint": found.hint,
        "state": f"; {found.names[0]} has a different state" if found.names else "",
        "there": f"at {call.when}, in the {mismatch.what}: {mismatch.detail}{hint}",
    }
    shown = "observation" if mismatch.what == "outcome" else mismatch.what
    make = subject.recipe.statement if mismatch.between == "instances" else ""
    show = replay_twice(trace, call, make, shown)
    method = "__init__" if found.code == "GK505" else call.method
    return Fault("", method, show, seed=trace.seed, episode=call.episode, step=call.step), words


def processes(subject: Subject, seen: ProcessRuns, _code: str) -> Iterator[Described]:
    """Describe the first difference between the results of two processes, if there is a difference."""
    if seen.mismatch is None:
        return
    if (found := cause_code(subject)) not in {None, "GK507"}:
        raise Skip(f"runs differ even within one process (see {found})")
    at, hash_seed, other_hash_seed = seen.mismatch
    first, second = (short(seen.lines[seed][at]) for seed in (hash_seed, other_hash_seed))
    seed = subject.options.seed
    show = "# run this program with PYTHONHASHSEED=1 and with PYTHONHASHSEED=2\n"
    show += f"env.action_space.seed({seed})\nprint(env.reset(seed={seed})[0])\n"
    show += f"for _ in range({at}):\n    print(env.step(env.action_space.sample())[:2])" if at else ""
    place = f"call {at + 1}" if at else "the first reset"
    words = {"place": place, "one": str(hash_seed), "first": first, "other": str(other_hash_seed), "second": second}
    yield Fault("", "step" if at else "reset", show, seed=seed), words


def action_space_draws(subject: Subject, trace: Trace, _code: str) -> Iterator[Described]:
    """Check whether a run changed the action space's generator. Skip the rule if this makes runs differ."""
    if not trace.drawn:
        return
    found = result_of(subject, cause)
    if found is not None and any("action_space" in name for name in found.names):
        raise Skip(f"this makes runs with the same seed differ (see {found.code})")
    recorder = Recorder(subject, subject.env())
    before = state_of(recorder.env.action_space.np_random)
    recorder.reset(seed=subject.options.seed)
    method = "step" if state_of(recorder.env.action_space.np_random) == before else "reset"
    state = "repr(env.action_space.np_random.bit_generator.state)"
    show = f"env.action_space.seed({trace.seed})\nbefore = {state}\nenv.reset(seed={trace.seed})\n"
    show += "env.step(env.action_space.__class__.sample(copy.deepcopy(env.action_space)))\n"
    show += f"print(before == {state})  # False"
    yield Fault("", method, show, seed=trace.seed), {"method": method, "count": str(len(trace.calls))}


def metadata(subject: Subject, seen: Publication, is_right: Predicate) -> Iterator[Described]:
    """Check the metadata of the distribution."""
    if not is_right(seen.metadata):
        yield Fault(""), {}


def failed_cases(subject: Subject, seen: list[Broken], code: str) -> Iterator[Described]:
    """Describe the first failed test case of a rule, or all failed test cases if the code is in `SEVERAL`."""
    if code != "GK650" and any(defect.code == "GK650" for defect in seen):
        raise Skip("the backend cannot be created (GK650)")
    if hiding := next((defect for defect in seen if code in defect.hides), None):
        raise Skip(f"another defect hides the result ({hiding.code or 'GK652'}): {hiding.message}")
    mine = [defect for defect in seen if defect.code == code]
    for defect in mine if code in SEVERAL else mine[:1]:
        show = defect.show.replace("{backend}", subject.recipe.value)
        yield Fault("", defect.method, show), {"message": defect.message}
