"""GK67x and GK68x: rules about recreating a wrapper from its spec, from a pickle, or with the same seed."""

from __future__ import annotations

import contextlib
import copy
import operator
from typing import Any

from gymkernel_tool_check.definition import Fault, Faults, Skip, first_fault
from gymkernel_tool_check.probes.copies import culprit, not_importable, pickled
from gymkernel_tool_check.probes.probe_envs import ProbeEnv
from gymkernel_tool_check.probes.repetition import scrambled_global_generators
from gymkernel_tool_check.probes.trace import Call, Recorder, differing_part
from gymkernel_tool_check.probes.wrapping import SEED, WrappedRun, other_parameters, wrap
from gymkernel_tool_check.rules.wrapping import each_run, program, wrapping_expression
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, snapshot
from gymkernel_util_spaces.texts import error_text


@first_fault
def spec_includes_the_wrapper(subject: Subject, seen: list[WrappedRun]) -> Faults:
    """Compare the arguments in the spec with the arguments of the constructor, and call make(env.spec).

    Why: Workers and evaluations create environments from env.spec. If the spec is wrong, they fail or get an
    environment without this wrapper.
    Fix: Derive the class from RecordConstructorArgs, and pass all arguments of the constructor as keyword arguments to
    RecordConstructorArgs.__init__.
    """
    run = seen[0]
    spec = getattr(run.env, "spec", None)
    if spec is None or type(run.inner) is not type(run.env.unwrapped):
        raise Skip("the wrapper has no spec (GK684)")
    if strange := not_importable(run.env):
        raise Skip(f"{strange} cannot be imported by its name")
    mine = [wrapper for wrapper in spec.additional_wrappers if wrapper.name == type(run.env).__name__]
    show = program(subject, run, "print(env.spec.additional_wrappers)")
    if mine and mine[-1].kwargs is None:
        message = "the wrapper does not record the arguments of its constructor, so make(env.spec) fails"
        yield Fault(message, "__init__", show)
    if mine and (found := _other_arguments(subject, run, mine[-1].kwargs)):
        yield Fault(f"the wrapper does not record the arguments of its constructor: {found}", "__init__", show)
    subject.at("the constructor")
    show = program(subject, run, "print(env.spec.make())")
    twin, exc = subject.attempt(operator.methodcaller("make"), spec)
    if isinstance(exc, ImportError):
        raise Skip(f"another plugin is needed to create the wrapper from its spec: {exc}") from exc
    if exc is not None:
        yield Fault(f"make(env.spec) raised {error_text(exc, 120)}", "__init__", show)
    if type(twin) is not type(run.env):
        yield Fault(f"make(env.spec) returned {twin}, expected {run.env}", "__init__", show)
    elif (parted := _replayed(subject, run, twin)) and not _replayed(subject, run, wrap(subject, run.variant)[0]):
        call, part, how = parted
        message = f"the environment of make(env.spec) behaves differently: at {call.when}, in the {part}: {how}"
        yield Fault(message, "__init__", show)


def _other_arguments(subject: Subject, run: WrappedRun, known: dict[str, Any]) -> str:
    """Describe the recorded numbers that differ from the arguments of the constructor, or return "" if there are none.

    The function first compares the arguments that the checker itself uses, and then arguments that differ from the
    defaults. No difference is reported if a number is recorded under another name, or if the constructor rejects it.
    """
    given = {key: value for key, value in run.form.kwargs.items() if isinstance(value, int | float)}
    found = difference(given, {key: value for key, value in known.items() if key in given})
    cls: Any = subject.object
    base = known if run.form.hook else run.form.kwargs
    for parameter in [] if found else other_parameters(cls):
        name, value = parameter.name, _other_value(parameter.default)
        if value is None or parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        try:
            made = cls(ProbeEnv(run.variant, render_mode="rgb_array"), **{**base, name: value})
            recorded = made.spec.additional_wrappers[-1].kwargs or {}
        except Exception:  # noqa: BLE001, S112 - the constructor may reject a number
            continue
        if not any(type(seen) is type(value) and seen == value for seen in recorded.values()):
            return f"with {name}={value!r}, the recorded arguments are {recorded}"
    return found or ""


def _other_value(default: Any) -> Any:
    """Return a number that differs from a default value, or None if the default is not a number."""
    if isinstance(default, bool):
        return not default
    return default + 3 if isinstance(default, int) else default / 2 + 0.125 if isinstance(default, float) else None


def _replayed(subject: Subject, run: WrappedRun, env: Any) -> tuple[Call, str, str] | None:
    """Repeat a recorded run with a second wrapper, and return the first difference, or None if the runs agree."""
    recorder = Recorder(subject, env, SEED)
    with scrambled_global_generators(), contextlib.suppress(Skip):
        for before in run.trace.good:
            options = {"level": 1} if before.seed is not None else None
            if before.method == "reset":
                call = recorder.reset(before.seed, options)
            else:
                call = recorder.step(copy.deepcopy(before.action_kept))
            if found := differing_part(before, call):
                return before, *found
    return None


def pickles(subject: Subject, seen: list[WrappedRun]) -> Faults:
    """Pickle the wrapper in the middle of an episode, and compare how the copy and the original continue.

    Why: Vector backends and schedulers send environments with their wrappers to other processes, and checkpoints store
    them in files.
    Fix: Replace lambdas and local classes with functions and classes at module level, and recreate unpicklable objects
    in __setstate__.
    """
    run = seen[0]
    if strange := not_importable(run.env):
        raise Skip(f"{strange} cannot be imported by its name")
    env, form = wrap(subject, run.variant)
    if any(callable(value) for value in form.kwargs.values()):
        raise Skip("the wrapper takes a function as an argument, and whether it can be pickled depends on the user")
    recorder = Recorder(subject, env, SEED)
    if recorder.reset(seed=SEED).error is not None or recorder.step().error is not None:
        raise Skip("the wrapper does not work (GK680)")
    action = recorder.sample()
    subject.at("pickle")
    try:
        with subject.catching_exit():
            twin, third = (pickled(env) for _ in range(2))
    except (Exception, RecursionError) as exc:
        name, resource = culprit(env, pickled)
        if resource:
            raise Skip(f"the wrapper contains {name}, which cannot be copied") from exc
        where = f", because of {name}" if name else ""
        message = f"the wrapper cannot be pickled{where}: {error_text(exc, 100)}"
        yield Fault(message, "__init__", program(subject, run, "env.reset(seed=5)", "pickle.dumps(env)"))
        return
    a, b, c = (_next(subject, copied, recorder, action) for copied in (env, twin, third))
    if c.error is None and b.error is None and differing_part(b, c):
        raise Skip("two copies differ from each other (GK689)")
    if b.error is not None or differing_part(a, b):
        how = f"raised {error_text(b.error)}" if b.error else "{}: {}".format(*(differing_part(a, b) or ("", "")))
        lines = ("env.reset(seed=5)", "twin = pickle.loads(pickle.dumps(env))", "action = env.action_space.sample()")
        show = program(subject, run, *lines, "print(env.step(action)[:2], twin.step(action)[:2])")
        yield Fault(f"a pickled copy behaves differently from its original: {how}", "__getstate__", show)


def _next(subject: Subject, env: Any, before: Recorder, action: Any) -> Call:
    """Take one step with a copy, and return the call."""
    recorder = Recorder(subject, env, SEED)
    recorder.trace.calls.append(before.trace.calls[-1])
    return recorder.step(snapshot(action))


@each_run
def repeats(subject: Subject, run: WrappedRun) -> Faults:
    """Run two wrappers with the same seed and actions, but with different states of the global generators.

    Why: If the wrapper uses a generator that no seed affects, runs cannot be reproduced.
    Fix: Use self.np_random, which is the generator of the wrapped environment.
    """
    if found := _replayed(subject, run, wrap(subject, run.variant)[0]):
        before, part, how = found
        message = f"with the same seed and actions, two wrappers differ at {before.when}, in the {part}: {how}"
        make = wrapping_expression(subject, run)
        lines = [f"envs = [{make} for _ in range(2)]", "for env in envs:", "    env.action_space.seed(5)"]
        lines += ["    print(env.reset(seed=5))", "    print(env.step(env.action_space.sample()))"]
        yield Fault(message, before.method, "\n".join(lines))
