"""GK50x, GK602 and GK61x: rules about equal trajectories and about effects on other environments and the process."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import is_a
from gymkernel_tool_check.probes.global_state import Change, Changes, global_state
from gymkernel_tool_check.probes.interference import Interference
from gymkernel_tool_check.probes.nondeterminism import Cause, known_cause
from gymkernel_tool_check.probes.seeding import seeding
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.rules.outputs import parts_of, replay, result_of, shared_part
from gymkernel_tool_check.rules.reset import history
from gymkernel_tool_check.rules.values import different_runs
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _turns(subject: Subject) -> Program:
    """Return a program that makes two runs with the same seed and shows that another instance affects one of them."""
    seed = subject.options.seed
    return Program(f"""for others in (False, True):
    {subject.recipe.statement}
    env.action_space.seed({seed})
    result = [env.reset(seed={seed})[0]]
    other = {subject.recipe.expression}
    other.reset(seed={seed + 1})
    for _ in range(60):
        result.append(env.step(env.action_space.sample())[:4])
        if others and any(other.step(other.action_space.sample())[2:4]):
            other.reset()
        if any(result[-1][2:4]):
            result.append(env.reset()[0])
    print(hash(repr(result)))  # prints the same number twice if the instances are independent""")


def instances_are_apart(subject: Subject, seen: Interference) -> Faults:
    """Run one instance alone, then a second instance, and then both alternately, with the same seed and actions.

    Why: A vector environment may run several instances in one process. If they affect each other, results depend on the
    number of instances and on the order in which they run.
    Fix: Store mutable state on the instance. Create it in __init__ and reset, not in the class body or the module.
    """
    if seen.influence is None:
        return
    _reproducible(subject)
    if seen.meanwhile and seen.generators:
        raise Skip(f"the instances share the generator {_and(seen.generators)} (GK612)")
    used = result_of(subject, global_state)
    if seen.meanwhile and used is not None and (changes := used["random"]):
        raise Skip(f"the instances share the global generator of {changes[0].what} (GK613)")
    when = "is stepped alternately with it" if seen.meanwhile else "was used before it"
    call, what, detail = seen.influence
    message = f"with the same seed and actions, an instance behaves differently when another {when}: at "
    message += f"{call.when}, in the {what}, {detail}"
    message += f"; the instances share {_and(seen.data[:3])}, which runs modify" if seen.data else ""
    yield Fault(message, "step", _turns(subject), subject.options.seed, call.episode, call.step)


def generators_are_apart(subject: Subject, seen: Interference) -> Faults:
    """If instances affect each other, look for random number generators that they share.

    Why: A vector environment may run several instances in one process. If they share a generator, runs cannot be
    reproduced.
    Fix: Use self.np_random, which super().reset(seed=seed) seeds, instead of a generator stored in the class or the
    module.
    """
    if seen.influence is None or not seen.generators:
        return
    _reproducible(subject)
    call, what, detail = seen.influence
    message = f"two instances share the generator {_and(seen.generators)}: when both are used, one behaves "
    message += f"differently than on its own, at {call.when}, in the {what}: {detail}"
    yield Fault(message, "__init__", _turns(subject), subject.options.seed, call.episode, call.step)


def global_generators_are_left_alone(subject: Subject, seen: Changes) -> Faults:
    """Compare the states of `random`, `numpy.random` and, if imported, `torch` before and after each call.

    Why: Other code that uses these generators, such as data augmentation, gets different numbers, and runs cannot be
    reproduced.
    Fix: Use self.np_random. If a library needs a seed, pass it a number drawn from self.np_random.
    """
    changes = seen["random"]
    found = known_cause(subject) if changes else None
    if found in {"GK205", "GK210", "GK501"}:
        raise Skip(f"the values from the global generators change the episodes (see {found})")
    for what, first in _first_of_each(changes).items():
        where = [change.phase for change in changes if change.what == what]
        changes_it = "changes" if len(where) == 1 else "change"
        message = f"{_and(where)} {changes_it} the state of the global generator of {what}"
        yield Fault(message, _method(first), _around(subject, first, *READS[what]))


READS: Final = {
    "random": ("", "random.getstate()[1]"),
    "numpy.random": ("", "tuple(np.random.get_state()[1]) + np.random.get_state()[2:3]"),
    "torch": ("torch", "tuple(torch.get_rng_state().tolist())"),
    "the working directory": ("os", "os.getcwd()"),
    "the warning filters": ("warnings", "list(warnings.filters)"),
    "numpy's handling of floating-point errors": ("numpy", "np.geterr()"),
    "numpy's print options": ("numpy", "np.get_printoptions()"),
    "logging.disable": ("logging", "logging.root.manager.disable"),
    "the level of the root logger": ("logging", "logging.root.level"),
    "the handlers of the root logger": ("logging", "list(logging.root.handlers)"),
}
"""For each process-wide setting, the module to import and the expression that reads the setting."""


def _first_of_each(changes: list[Change]) -> dict[str, Change]:
    """Return the first change to each setting, keyed by the name of the setting."""
    first: dict[str, Change] = {}
    for change in changes:
        first.setdefault(change.what, change)
    return first


def _reproducible(subject: Subject) -> None:
    """Raise `Skip` if runs differ even without a second instance."""
    found = known_cause(subject)
    if found is not None and found != "GK611":
        raise Skip(f"runs with the same seed differ anyway (see {found})")


def _method(change: Change) -> str:
    return "__init__" if change.phase == "the constructor" else change.phase


def _around(subject: Subject, change: Change, module: str, read: str) -> str:
    """Return a program that compares a process-wide setting before and after a call."""
    make, seed = subject.recipe.statement, subject.options.seed
    calls = {
        "the constructor": make,
        "reset": f"env.reset(seed={seed})",
        "step": "for _ in range(10):\n    if any(env.step(action)[2:4]):\n        env.reset()",
        "close": "env.close()",
    }
    first = {"step": f"env.reset(seed={seed})\naction = env.action_space.sample()\n"}.get(change.phase, "")
    last = f"print({read} == before)  # False"
    return f"{module and f'import {module}'}\n{first}before = {read}\n{calls[change.phase]}\n{last}".lstrip()


def process_stays_in_place(subject: Subject, seen: Changes) -> Faults:
    """Compare the working directory and the environment variables before and after each call.

    Changes made while a module is imported are ignored.

    Why: If the working directory changes, the relative paths of checkpoints and logs point to other places. If
    environment variables change, other libraries read the new values.
    Fix: Use absolute paths (pathlib.Path(__file__).parent), and pass settings directly to the library that needs them.
    """
    yield from _changes(subject, seen["place"])


def _changes(subject: Subject, changes: list[Change]) -> Faults:
    for what, change in _first_of_each(changes).items():
        show = _around(subject, change, *READS.get(what, ("os", "dict(os.environ)")))
        yield Fault(f"{change.phase} changes {what}: {change.detail}", _method(change), show)


def settings_stay(subject: Subject, seen: Changes) -> Faults:
    """Compare warning filters, numpy.seterr, print options and the root logger before and after each call.

    Changes made while a module is imported are ignored.

    Why: If an environment changes these settings, warnings from the user's own code disappear or become errors, and log
    messages appear twice or not at all.
    Fix: Use `with warnings.catch_warnings()`, `with np.errstate(...)` and your own logger.
    """
    yield from _changes(subject, seen["filters"])


def spaces_are_apart(subject: Subject, seen: Interference) -> Faults:
    """Check that two instances do not share a space object.

    Instances may share an observation space, because it is not sampled during a run.

    Why: Every space has its own random number generator. If instances share an action space, seeding it in one instance
    changes the exploration in all of them.
    Fix: Create the spaces in __init__, not in the class body or the module.
    """
    if "action_space" in seen.spaces:
        message = f"two instances use the same object as {_and(seen.spaces)}"
        make = subject.recipe.expression
        yield Fault(message, "__init__", f"other = {make}\nprint(env.action_space is other.action_space)  # True")


def infos_stay(subject: Subject, trace: Trace) -> Faults:
    """Compare the dictionaries, lists and arrays of every info with copies, both after the next call and after the run.

    Why: Loggers and buffers store infos, and wrappers add keys to them. If all infos share an object, every stored info
    changes.
    Fix: Return a new dictionary from each call, and put copies of mutable values into it: {'path': list(self.path)}.
    """
    calls = [call for call in trace.good if is_a(call.info, dict)]
    changed = [call for call in calls if _overwritten(call)]
    if not changed:
        yield from _shared_objects(trace, calls)
        return
    call = changed[0]
    later = call.info_changed_at
    when = f"at {later.when}" if later is not None else "later in the run"
    same = later is not None and later.info is call.info
    what = difference(call.info_kept, call.info) or "the info changed and then changed back"
    message = f"the info of {call.when} changed {when}: {what}"
    message += " (every call returns the same dictionary)" if same else ""
    message += f"; {len(changed) - 1} more of {len(trace.good)} infos" if len(changed) > 1 else ""
    show = f"{replay(trace, call)}\nbefore = repr(info)\nenv.step(env.action_space.sample())\nprint(before, info)"
    yield Fault(message, call.method, show, trace.seed, call.episode, call.step)


def _shared_objects(trace: Trace, calls: list[Call]) -> Faults:
    """Yield a fault if two consecutive infos share a mutable object."""
    for before, call in itertools.pairwise(calls):
        if shared_part(before.observation, call.observation) is not None:
            continue  # if the observation is also in the info, GK409 reports that it is shared
        if (found := shared_part(before.info, call.info)) is not None:
            where, _ = found
            what = f"{where} of the infos" if where else "the info"
            message = f"{what} of {before.when} and of {call.when} is the same object: "
            message += "a value that a wrapper adds to one info also appears in the other"
            again = "reset()" if call.method == "reset" else "step(env.action_space.sample())"
            show = f"{replay(trace, before)}\nkept = info\ninfo = env.{again}[-1]\nprint(kept{where} is info{where})"
            yield Fault(message, call.method, show, trace.seed, call.episode, call.step, "info")
            return


def _overwritten(call: Call) -> bool:
    """Return whether an info has changed. GK404 reports changes to arrays that are also in the observation."""
    known = set()
    if call.changed_at is not None or difference(call.kept, call.observation):
        arrays = _arrays(call.observation)
        pairs = {key: itertools.product(_arrays(part), arrays) for key, part in call.info.items()}
        known = {key for key in pairs if any(np.may_share_memory(*pair) for pair in pairs[key])}
    kept, now = ({key: info[key] for key in info if key not in known} for info in (call.info_kept, call.info))
    return difference(kept, now) is not None or (call.info_changed_at is not None and not known)


def _arrays(value: Any) -> list[Any]:
    return [part for _, part in parts_of(value) if is_a(part, np.ndarray)]


def instances_agree() -> None:
    """Run two instances with the same seed but with different states of the global random number generators.

    Why: If the same seed and actions give different trajectories, bugs cannot be reproduced, and algorithms cannot be
    compared on equal terms.
    Fix: Take all randomness from self.np_random. Do not use random, numpy.random, the clock or the order of a set.
    """


def every_generator_is_seeded() -> None:
    """If runs with the same seed differ, look for a random number generator that reset does not seed.

    Why: If most of the environment is reproducible but one part of it is not, the cause is hard to find.
    Fix: Use self.np_random instead of your own generator, or create your generator from the seed in reset.
    """


def clock_does_not_matter() -> None:
    """Check whether runs agree if time passes in the same way, but differ if it passes at different speeds.

    Why: An environment that depends on the clock behaves differently on a faster machine, under load and in a debugger.
    Fix: Count steps or simulated seconds instead of reading a clock.
    """


def processes_agree() -> None:
    """Compare runs in processes that differ only in the value of PYTHONHASHSEED.

    Why: Strings have a different hash in each new process, so results that depend on these hashes change from run to
    run and from worker to worker.
    Fix: Iterate over a list or sorted(...) instead of a set, and do not call hash() on a string.
    """


def constructor_is_certain() -> None:
    """Check whether two instances differ although each of them repeats its own results.

    Why: Each worker of a vector environment runs a different environment, and none of these environments can be
    recreated.
    Fix: Make the random choice in reset, using self.np_random, or add a constructor argument for the value or for its
    seed.
    """


def action_space_is_left_alone() -> None:
    """Compare the state of the action space's generator before and after a run that does not use the generator.

    Why: Agents make their exploration reproducible with action_space.seed(...). If the environment samples from the
    space as well, the agents get other samples.
    Fix: In reset and step, use self.np_random instead of self.action_space.sample().
    """


def infos_agree() -> None:
    """Compare the infos of runs that otherwise agree. NaN equals NaN, and measured times may differ.

    Why: Metrics and action masks are taken from infos. If infos differ, two runs with the same seed can report
    different results.
    Fix: Compute infos only from the state and self.np_random. Store measured times under a key that contains "time".
    """


def uses_agree(subject: Subject, found: Cause | None) -> Faults:
    """Compare the episodes of a used instance with those of a new instance.

    Why: If an episode depends on earlier episodes, results change with the order of the episodes, and a vector
    environment gives different results from a single environment.
    Fix: In reset, set every attribute that step changes.
    """
    for fault, words in different_runs(subject, found, "GK602"):
        start = "a used instance and a fresh instance differ after the same reset(seed=...) and actions"
        yield replace(fault, message=f"{start} {words['there']}")
    seeds = result_of(subject, seeding) if found is None else None
    if seeds is not None and (differs := history(seeds)) is not None:
        call, how = differs
        message = f"runs with the same seed and actions differ, depending on earlier calls: {how}"
        yield Fault(message, "reset", _AGAIN, call.seed, step=call.step)


_AGAIN = """seen = set()
for run in range(50):
    seen.add(repr(env.reset(seed=9)[0]))
    env.step(env.action_space.sample())
    env.reset()
print(len(seen))  # 1"""
