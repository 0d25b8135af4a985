"""Probes that recreate an environment from its spec, from the spec's JSON form, and in a new process."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from importlib.machinery import PathFinder
from typing import Any, Final

from gymkernel.specs import EnvSpec
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read, takes
from gymkernel_tool_check.probes.copies import not_importable
from gymkernel_tool_check.probes.making import construct
from gymkernel_tool_check.probes.shared_data import layers
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.guarded import GuardedOutput
from gymkernel_util_spaces.compare import difference
from gymkernel_util_spaces.texts import error_text

__all__ = ["Spawned", "SpecRoundTrip", "spawned", "spec_round_trip"]

MEMBERS: Final = ("id", "kwargs", "make", "to_json")
TIMEOUT: Final = 60.0
"""The time in seconds that a new process may take to import all modules and to create an environment."""


@dataclass(slots=True)
class SpecRoundTrip:
    """The result of recreating an environment from its spec.

    Attributes:
        kwargs: how the arguments in the environment's spec differ from those in the registered spec, or "" if they are
            the same.
        remade: the exception that `make` raised for the spec, or None if it raised none.
        written: the exception that the conversion to JSON and back raised, or None if it raised none.
        reread: the exception that `make` raised for the spec restored from JSON, or None if it raised none.
        differs: how the environment created from JSON differs from the original, or "" if they agree.
        skipped: why the spec has no JSON form, or "" if it has one.
    """

    kwargs: str = ""
    remade: Exception | None = None
    written: Exception | None = None
    reread: Exception | None = None
    differs: str = ""
    skipped: str = ""


@probe()
def spec_round_trip(subject: Subject) -> SpecRoundTrip:
    """Recreate the environment from its spec, and from the spec's JSON form."""
    env = subject.get(construct).env
    spec = read(env, "spec")
    if env is None or spec is None:
        raise Skip("the environment has no spec; check it by the id under which it is registered")
    if absent := [name for name in MEMBERS if read(spec, name) is None]:
        raise Skip(f"the spec comes from another library: a {type(spec).__name__} without {absent[0]}")
    if subject.live is not None or subject.options.single_instance:
        raise Skip("a second instance is needed")
    seen = SpecRoundTrip(kwargs=_registered(spec))
    _, seen.remade = subject.attempt(subject.create, spec.make)
    if seen.remade is not None:
        return seen
    if callable(read(spec, "entry_point")):
        seen.skipped = "its entry point is an object, which has no JSON form; name it as 'module:Class'"
        return seen
    again, seen.written = subject.attempt(lambda: type(spec).from_json(spec.to_json()))
    if seen.written is None:
        twin, seen.reread = subject.attempt(lambda: subject.create(again.make))
        seen.differs = _differs(subject, env, twin) if seen.reread is None else ""
    return seen


def _registered(spec: Any) -> str:
    from gymkernel.registration import registry

    known = registry.get(spec.id)
    if known is None:
        return ""
    kept = {key: value for key, value in spec.kwargs.items() if key in known.kwargs}
    missing = [key for key in known.kwargs if key not in kept]
    if missing:
        return f"the argument {missing[0]!r} was removed"
    return difference(known.kwargs, kept) or ""


def _differs(subject: Subject, env: Any, twin: Any) -> str:
    first, second = ([type(layer).__name__ for layer in layers(instance)] for instance in (env, twin))
    if first != second:
        return f"it was {' around '.join(first)}, and is {' around '.join(second)}"
    for name in ("observation_space", "action_space"):
        spaces = [read(instance, name, None) for instance in (env, twin)]
        if repr(spaces[0]) != repr(spaces[1]):
            return f"its {name} was {spaces[0]}, and is {spaces[1]}"
    if not takes(env, "seed") or subject.nondeterministic:
        return ""
    seed = subject.options.seed
    seen = [Recorder(subject, instance).reset(seed).kept for instance in (env, twin, env)]
    if difference(seen[0], seen[2]):
        return ""
    found = difference(seen[0], seen[1])
    return f"reset(seed={seed}) gives another observation: {found}" if found else ""


@dataclass(frozen=True, slots=True)
class Spawned:
    """The result of creating an environment in a new process.

    Attributes:
        error: the error message; "" if the environment was created.
        program: the lines of Python that created the environment as `env`.
    """

    error: str
    program: str


@probe()
def spawned(subject: Subject) -> Spawned:
    """Create and reset the environment in a new interpreter."""
    made = subject.get(construct)
    if made.env is None or subject.live is not None:
        raise Skip("an id, a class or a function that creates the environment is needed")
    if isinstance(subject.make, type):
        strange = not_importable(made.env)
        if strange or PathFinder.find_spec(subject.make.__module__.partition(".")[0]) is None:
            message = f"{subject.make.__module__}.{strange or subject.make.__qualname__} cannot be imported by its name"
            raise Skip(message)
        make = f"import pickle\nenv = pickle.loads({pickle.dumps(subject.make)!r})()"
    elif isinstance(subject.object, EnvSpec):
        data, exc = subject.attempt(pickle.dumps, subject.object)
        make = f"import pickle\nenv = pickle.loads({data!r}).make()"
        if exc is not None:
            return Spawned(f"its spec cannot be sent to another process: {error_text(exc)}", "")
    elif subject.recipe.imports:
        make = str(subject.recipe)
    else:
        raise Skip("other processes cannot import the function that creates the environment")
    run = f"{make}\nenv.reset(seed={subject.options.seed})\nenv.close()"
    program = f"import sys\nsys.path[:] = {sys.path!r}\n{run}"
    with GuardedOutput(program, "") as process:
        status = process.wait(min(TIMEOUT, max(subject.time_left, 0.1)))
        lines = process.read()[1].strip().splitlines()
    if status is None:
        subject.require_time()
        return Spawned(f"it did not return in {TIMEOUT:g} s", make)
    if status:
        return Spawned(lines[-1] if lines else f"it ended with status {status}", make)
    return Spawned("", make)
