"""GK90x: rules about copying an environment, and about creating it in another process."""

from __future__ import annotations

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.copies import Copied
from gymkernel_tool_check.probes.interference import interference
from gymkernel_tool_check.probes.nondeterminism import cause_code
from gymkernel_tool_check.probes.spec_round_trip import Spawned, SpecRoundTrip
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text


def _only_copies(subject: Subject) -> None:
    """Raise `Skip` if runs with the same seed differ even if nothing is copied."""
    try:
        found, seen = cause_code(subject), subject.get(interference)
    except Skip:
        return
    if found is not None or seen.influence is not None:
        raise Skip(f"runs differ even without copies ({found or 'GK611, GK612'})")


def _copy(subject: Subject, how: str, *lines: str) -> str:
    seed = subject.options.seed
    make = "copy.deepcopy(env)" if how == "deepcopy" else "pickle.loads(pickle.dumps(env))"
    start = [f"env.reset(seed={seed})", f"env.action_space.seed({seed})", "env.step(env.action_space.sample())"]
    return "\n".join([*start, f"twin = {make}", *lines])


def survives_pickle(subject: Subject, seen: list[Copied]) -> Faults:
    """Pickle an environment in the middle of an episode.

    The rule is skipped if an attribute contains a file, a lock or a simulator. The rule also looks for a `__getattr__`
    that recurses endlessly on an object without attributes.

    Why: Vector backends and schedulers send environments to other processes, and checkpoints store them in files.
    Fix: Replace lambdas and local classes with functions and classes at module level, and recreate unpicklable objects
    in __setstate__. In __getattr__, raise AttributeError for names that begin with "_".
    """
    pickled = seen[0]
    if pickled.endless is not None:
        cls, name = pickled.endless
        message = f"copying never ends (RecursionError): __getattr__ of {cls} reads {name or 'an attribute'}"
        message += ", which calls __getattr__ again as long as the attribute does not exist"
        show = "import copy\ncopy.copy(env.unwrapped)  # RecursionError"
        yield Fault(message, "__getattr__", show, severity="error")
        return
    if pickled.skipped:
        raise Skip(pickled.skipped)
    exc = pickled.error
    if exc is None:
        return
    if pickled.resource:
        raise Skip(f"the environment contains {pickled.culprit}, which cannot be copied")
    where = f", because of {pickled.culprit}" if pickled.culprit else ""
    if isinstance(exc, RecursionError):
        message = "pickling never ends (RecursionError): __getattr__ reads an attribute that does not exist"
        yield Fault(message, "__getattr__", _copy(subject, "pickle"), severity="error")
    else:
        message = f"the environment cannot be pickled{where}: {error_text(exc, 120)}"
        yield Fault(message, "__init__", _copy(subject, "pickle"))


@first_fault
def copies_are_apart(subject: Subject, seen: list[Copied]) -> Faults:
    """Step a copy, then step its original, and compare the original with an environment that was never copied.

    Why: Tree searches and planners try out moves in a copy. If the copy shares state with the original, these moves
    change the original.
    Fix: Copy all mutable state in __deepcopy__, and do not store mutable state in the class or the module.
    """
    pickled, deep = seen
    if deep.error is not None and (deep.resource or pickled.error is not None):
        raise Skip(f"the environment cannot be copied (GK901): {error_text(deep.error, 120)}")
    if deep.error is not None:
        where = f", because of {deep.culprit}" if deep.culprit else ""
        message = f"copy.deepcopy raised {error_text(deep.error, 120)}{where}"
        yield Fault(message, "__deepcopy__", _copy(subject, "deepcopy"))
    for copied in (deep, pickled):
        if copied.changed is not None:
            _only_copies(subject)
            call, what, detail = copied.changed
            way = "copy.deepcopy" if copied.how == "deepcopy" else "pickle"
            message = f"stepping a copy made by {way} changed its original: at {call.when}, in the {what}, {detail}"
            lines = ["action = env.action_space.sample()", "before = repr(vars(env.unwrapped))"]
            lines += ["for _ in range(5):", "    twin.step(action)"]
            show = _copy(subject, copied.how, *lines, "print(before == repr(vars(env.unwrapped)))  # False")
            yield Fault(message, "__deepcopy__", show, subject.options.seed, call.episode, call.step)


@first_fault
def copies_go_on(subject: Subject, seen: list[Copied]) -> Faults:
    """Compare a copy, and the states of its generators, with an environment that was never copied.

    Why: Tree searches, planners and checkpoints rely on copies. If a copy behaves differently, their results are wrong.
    Fix: Include the generator and the complete state in __getstate__ and __deepcopy__, or define neither of these
    methods.
    """
    if all(copied.error is not None or copied.skipped for copied in seen):
        raise Skip("the environment cannot be copied (GK901)")
    for copied in seen:
        way = "copy.deepcopy" if copied.how == "deepcopy" else "pickle"
        step = "print(env.step(action)[:2], twin.step(action)[:2])"
        show = _copy(subject, copied.how, "action = env.action_space.sample()", step)
        if copied.lost:
            message = f"a copy made by {way} has a different generator from its original ({', '.join(copied.lost)})"
            anew = any(cls.__name__ == "EzPickle" for cls in type(read(subject.env(), "unwrapped", None)).__mro__)
            severity = "info" if anew and copied.how == "pickle" else None
            message += "; EzPickle creates the copy again from the constructor arguments" if severity else ""
            yield Fault(message, "__getstate__", show, severity=severity)
        if copied.mismatch is not None:
            _only_copies(subject)
            call, what, detail = copied.mismatch
            message = f"a copy made by {way} continues differently: at {call.when}, in the {what}, {detail}"
            yield Fault(message, "__getstate__", show, subject.options.seed, call.episode, call.step)


def spec_survives_json(subject: Subject, seen: SpecRoundTrip) -> Faults:
    """Restore the spec from JSON, call make, and compare both environments' wrappers, spaces and first observations.

    Why: Experiments are often recorded as specs in JSON. If a spec cannot be restored from JSON, make fails or creates
    a different environment.
    Fix: Accept only numbers, strings, lists and dictionaries as constructor arguments, and create other objects from
    them in __init__.
    """
    if seen.remade is not None:
        raise Skip("the environment cannot be created from its spec (GK906)")
    if seen.skipped:
        raise Skip(seen.skipped)
    read = "spec = type(env.spec).from_json(env.spec.to_json())"
    if seen.written is not None:
        message = f"the spec cannot be written as JSON: {error_text(seen.written, 120)}"
        yield Fault(message, "__init__", "env.spec.to_json()")
    elif seen.reread is not None:
        message = f"creating the environment from the JSON form of its spec raised {error_text(seen.reread, 120)}"
        yield Fault(message, "__init__", f"{read}\nspec.make()")
    elif seen.differs:
        seed = subject.options.seed
        show = f"{read}\ntwin = spec.make()\nprint(twin)\n"
        show += f"print(env.reset(seed={seed})[0], twin.reset(seed={seed})[0])"
        yield Fault(f"the environment created from its spec in JSON form differs: {seen.differs}", "__init__", show)


def new_process_makes_it(subject: Subject, seen: Spawned) -> Faults:
    """Create and reset the environment in a new interpreter.

    Why: A worker that is spawned, as on macOS, on Windows and in clusters, starts with a new interpreter and has to
    import everything itself.
    Fix: Register the environment with an entry point or in the module that defines it, and do not require any setup
    before the constructor is called.
    """
    if seen.error:
        program = f"{seen.program}\nenv.reset(seed={subject.options.seed})"
        lines = "import subprocess, sys\n"
        show = f"{lines}program = {program!r}\nprint(subprocess.run([sys.executable, '-c', program]).returncode)"
        show = show if seen.program else "pickle.dumps(env.spec)"
        yield Fault(f"creating the environment in a new process failed: {short(seen.error, 160)}", "__init__", show)


def spec_makes_it_again(subject: Subject, seen: SpecRoundTrip) -> Faults:
    """Call make(env.spec), and compare the arguments in the spec with the registered arguments.

    Why: Workers and evaluations recreate the environment from env.spec. If the spec is wrong, they fail or run a
    different environment.
    Fix: Do not modify the arguments in the constructor. Modify a copy instead: config = dict(config), then
    config.pop(...).
    """
    if seen.remade is not None:
        message = f"creating the environment from its own spec raised {error_text(seen.remade, 120)}"
        message += f"; in the spec, {seen.kwargs}" if seen.kwargs else ""
        yield Fault(message, "__init__", "env.spec.make()")
    elif seen.kwargs:
        message = f"the constructor changes its arguments: in env.spec, {seen.kwargs}"
        yield Fault(message, "__init__", "print(env.spec.kwargs)")
