"""GK5xx and GK60x: equal seeds and equal actions give equal trajectories."""

from __future__ import annotations

import contextlib

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.probes.nondeterminism import Cause, cause, cause_code
from gymkernel_tool_check.probes.other_processes import ProcessRuns
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.seeding import seeding
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.trace import Recorder, Trace
from gymkernel_tool_check.rules.reproduce import replay_twice
from gymkernel_tool_check.rules.seeding import history, named, remake
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short


def instances_agree(subject: Subject, found: Cause | None) -> Faults:
    """Run two instances, with the global generators in different states.

    Why: A run cannot be repeated, a bug cannot be reproduced, and two algorithms cannot be compared on equal terms.
    Fix: Draw from self.np_random only, not from random, numpy.random, the clock, or the order of a set.
    """
    if named(found, "GK501"):
        yield _fault(subject, found, f"with the same seed and actions, {found.mismatch.who} differ")


def every_generator_is_seeded(subject: Subject, found: Cause | None) -> Faults:
    """If runs differ, look for generators that reset does not seed, and that make the runs agree when they are seeded.

    Why: Most of the environment repeats itself and one part does not; such a difference is hard to find.
    Fix: Use self.np_random instead of a private generator, or create the private generator from the seed in reset.
    """
    if named(found, "GK502"):
        more = f" (and {', '.join(found.names[1:])})" if len(found.names) > 1 else ""
        start = f"reset(seed={subject.options.seed}) does not seed {found.names[0]}{more}; {found.mismatch.who} differ"
        yield _fault(subject, found, start)


def clock_does_not_matter(subject: Subject, found: Cause | None) -> Faults:
    """Compare runs with the same fake clock, which agree, with runs with different clocks, which do not.

    Why: The environment behaves differently on a faster machine, under load, and in a debugger.
    Fix: Count steps, or simulated seconds, instead of looking at a clock.
    """
    if named(found, "GK503"):
        start = f"the trajectory depends on the clock: {found.hint or 'with the same seed and actions'}, runs differ"
        yield _fault(subject, found, start)


def processes_agree(subject: Subject, seen: ProcessRuns) -> Faults:
    """Run processes that differ in PYTHONHASHSEED alone.

    Why: Each worker and each start of a program hashes strings differently, so that results change from day to day.
    Fix: Iterate over sorted(...) or a list, not over a set, and do not use hash() of a string.
    """
    if seen.mismatch is None:
        return
    if (found := cause_code(subject)) is not None and found != "GK507":
        raise Skip(f"runs differ within one process, which {found} reports")
    at, one, other = seen.mismatch
    first, second = (short(seen.lines[seed][at]) for seed in (one, other))
    place = "the first reset" if not at else f"call {at + 1}"
    message = f"with the same seed and actions, processes differ at {place}: "
    message += f"with PYTHONHASHSEED={one} it returned {first}, with PYTHONHASHSEED={other} {second}"
    seed = subject.options.seed
    show = "# run it with PYTHONHASHSEED=1, and with PYTHONHASHSEED=2\n"
    show += f"env.action_space.seed({seed})\nprint(env.reset(seed={seed})[0])\n"
    show += f"for _ in range({at}):\n    print(env.step(env.action_space.sample())[:2])" if at else ""
    yield Fault(message, "step" if at else "reset", show=show, seed=seed)


def constructor_is_certain(subject: Subject, found: Cause | None) -> Faults:
    """Look for two instances that differ, although each of them repeats itself.

    Why: Each worker of a vector environment has a different environment, and none of them can be created again.
    Fix: Draw in reset from self.np_random, or let the constructor take the value, or a seed for it, as an argument.
    """
    if named(found, "GK505"):
        start = "the constructor draws what no seed repeats: each instance repeats itself, and two instances differ"
        yield _fault(subject, found, start)


@first_fault
def action_space_is_left_alone(subject: Subject, trace: Trace) -> Faults:
    """Compare the state of the generator before and after a run whose actions come from a copy of the space.

    Why: Agents seed exploration by action_space.seed(...), and each draw of the environment changes their next samples.
    Fix: Draw from self.np_random in reset and step, never from self.action_space.sample().
    """
    if not trace.drawn:
        return
    try:
        found = subject.get(cause)
    except Skip:
        found = None
    if found is not None and any("action_space" in name for name in found.names):
        raise Skip(f"runs with one seed differ because of it, which {found.code} reports")
    method = _changes_in(subject)
    message = f"{method} draws from the generator of the action space, or seeds it: its state is another one after "
    message += f"{len(trace.calls)} calls, of which none asked it for an action"
    state = "repr(env.action_space.np_random.bit_generator.state)"
    show = f"env.action_space.seed({trace.seed})\nbefore = {state}\nenv.reset(seed={trace.seed})\n"
    show += "env.step(env.action_space.__class__.sample(copy.deepcopy(env.action_space)))\n"
    show += f"print(before == {state})  # False"
    yield Fault(message, method, show=show, seed=trace.seed)


def _changes_in(subject: Subject) -> str:
    """Which of reset and step changes the generator of the action space, as far as one call of reset shows."""
    recorder = Recorder(subject, subject.env())
    before = state_of(recorder.env.action_space.np_random)
    recorder.reset(seed=subject.options.seed)
    return "step" if state_of(recorder.env.action_space.np_random) == before else "reset"


def infos_agree(subject: Subject, found: Cause | None) -> Faults:
    """Compare the infos of runs that agree otherwise; NaN equals NaN, and times may differ.

    Why: Metrics and masks are read from the infos, so that two runs with one seed report different results.
    Fix: Fill the info from the state and from self.np_random; keep times under a key that says time.
    """
    if named(found, "GK507"):
        yield _fault(subject, found, f"with the same seed and actions, {found.mismatch.who} return different infos")


def uses_agree(subject: Subject, found: Cause | None) -> Faults:
    """Compare a used instance with a fresh one.

    Why: Episodes depend on each other, so that results change with their order and vectorised runs differ from single
    ones.
    Fix: Set in reset every attribute that step changes.
    """
    if named(found, "GK602"):
        start = "a used instance and a fresh one differ after the same reset(seed=...) and actions"
        yield _fault(subject, found, start)
    elif found is None:
        with contextlib.suppress(Skip):
            seeds = subject.get(seeding)
            if (differs := history(seeds)) is not None:
                call, how = differs
                message = f"runs of one instance with the same seed and actions differ, by what was before them: {how}"
                yield Fault(message, "reset", _AGAIN, call.seed, step=call.step)


_AGAIN = """seen = set()
for run in range(50):
    seen.add(repr(env.reset(seed=9)[0]))
    env.step(env.action_space.sample())
    env.reset()
print(len(seen))  # 1"""


def _fault(subject: Subject, found: Cause, start: str) -> Fault:
    mismatch, trace = found.mismatch, subject.get(rollout)
    call = mismatch.call
    hint = found.hint if ";" in found.hint else ""
    message = f"{start} at {call.when}, in the {mismatch.what}: {mismatch.detail}{hint}"
    shown = "observation" if mismatch.what == "outcome" else mismatch.what
    show = replay_twice(trace, call, remake(subject, mismatch), shown)
    method = "__init__" if found.code == "GK505" else call.method
    return Fault(message, method, show, seed=trace.seed, episode=call.episode, step=call.step)
