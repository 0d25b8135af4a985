"""GK0xx: the environment can be made, is one, and leaves the process alive."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from gymkernel import plugins
from gymkernel_tool_check.attributes import MISSING, unreadable
from gymkernel_tool_check.definition import Fault, Faults, Skip, rule
from gymkernel_tool_check.introspect import package_of
from gymkernel_tool_check.probes.making import Construction, construct
from gymkernel_tool_check.probes.rollouts import BEFORE, IN_EPISODE, rollout
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_kind
from gymkernel_util_spaces.texts import error_text

__all__ = ["can_be_made", "is_an_env", "process_survives"]

MEMBERS = ("reset", "step", "render", "close", "unwrapped", "metadata", "render_mode", "spec")
CALLERS = str(Path(__file__).parents[1]), str(Path(str(plugins.__file__)).parent)
"""What makes environments for the checker."""
CONVERTED = (
    "shimmy (pip install shimmy) converts the environment: GymV26CompatibilityV0(env=...) for gym 0.26, else "
    "GymV21CompatibilityV0(env=...)"
)
"""For an environment of OpenAI Gym."""
MISSING_ARGUMENT = "required positional argument", "required keyword-only argument"


@rule(
    "GK001",
    "the environment can be made",
    why="Whoever installs it must be able to make it from its id or class with no further knowledge.",
    mend="Give every constructor argument a default, or register the environment with the arguments it needs.",
    probe=construct,
)
def can_be_made(subject: Subject, made: Construction) -> Faults:
    """Tell an import that fails, a missing argument and an exception apart."""
    exc = made.error
    if exc is None:
        return
    if isinstance(exc, ImportError):
        message = f"an import failed: {error_text(exc)}"
    elif isinstance(exc, TypeError) and any(text in error_text(exc) for text in MISSING_ARGUMENT):
        message = f"the constructor needs arguments that have no defaults: {exc}"
    else:
        message = f"the constructor raised {error_text(exc)}"
    place = last_line(exc)
    if place and place[0].startswith(CALLERS):
        place = None  # the call itself failed: the constructor is the place
    yield Fault(message, "__init__", show="", place=place)


def last_line(exc: BaseException) -> tuple[str, int] | None:
    """Where an exception was raised."""
    frames = traceback.extract_tb(exc.__traceback__)
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


@rule(
    "GK002",
    "it is an environment",
    why="Wrappers, vector backends and training libraries rely on the members of Env.",
    mend="Derive the class from gymkernel.Env, with reset(seed=, options=) and five values from step.",
    probe=construct,
)
def is_an_env(subject: Subject, made: Construction) -> Faults:
    """A subclass of somebody's Env, or something with all of its members."""
    env = made.require()
    bases = {package_of(base) for base in type(env).__mro__ if base.__name__ == "Env"}
    raising = unreadable(env)  # GK007 reports them
    missing = [name for name in MEMBERS if name not in raising and not _has(env, name)]
    if explained := explain_kind(env):
        yield Fault(f"expected an environment, got {type(env).__name__}, {explained}", "class")
    elif "gym" in bases:
        old = "it derives from Env of the old gym package, whose reset, step or spaces differ from this API"
        yield Fault(f"{old}; {CONVERTED}", "class")
    elif missing:
        seen = f"a {type(env).__name__} without {', '.join(missing)}"
        yield Fault(f"expected an environment, got {seen}", "class", show=f'print(hasattr(env, "{missing[0]}"))')


def _has(env: Any, name: str) -> bool:
    """Whether an environment has an attribute; what else than AttributeError is raised is reported by GK007."""
    try:
        return hasattr(env, name)
    except Exception:  # noqa: BLE001 - of any kind
        return False


@rule(
    "GK003",
    "no call hangs, crashes or exits",
    why="One such call ends a training run of days, often with nothing in the log.",
    mend="Raise an exception where something is wrong, and return in bounded time.",
    kind="any",
    family="the process",
)
def process_survives(subject: Subject, seen: None) -> Faults:
    """The engine fills this in at the end of a run."""
    yield from ()


@rule(
    "GK004",
    "every rule can be checked",
    why="A rule that was skipped may be broken.",
    mend="Check an id, a class or a function that makes the environment; with hardware, this is normal.",
    probe=construct,
    severity="info",
)
def can_be_made_twice(subject: Subject, made: Construction) -> Faults:
    """Whether there can be a second instance beside the first."""
    made.require()
    try:
        subject.env(second=True)
    except Skip as skip:
        yield Fault(f"rules that compare instances were left out: {skip}", "class", show="")


@rule(
    "GK005",
    "the rules themselves work",
    why="A rule that cannot judge hides what it is there to find.",
    mend="This is a defect of the rule, not of what was checked: report it to whoever provides the rule.",
    severity="info",
    kind="any",
    family="the process",
)
def rules_work(subject: Subject, seen: None) -> Faults:
    """The engine fills this in at the end of a run."""
    yield from ()


@rule(
    "GK007",
    "the attributes of the environment can be read",
    why="Wrappers, vector environments and hasattr read them at any time, also before the first reset.",
    mend="Set them in __init__, or let the property return a value; let __getattr__ raise AttributeError only.",
    probe=rollout,
)
def attributes_can_be_read(subject: Subject, trace: Trace) -> Faults:
    """The spaces, metadata, render_mode, spec, unwrapped, reward_range and generators, and one that does not exist."""
    for name, (when, error) in trace.unreadable.items():
        if name == MISSING:
            message = f"__getattr__ raised {error_text(error)} for an attribute that does not exist, where "
            message += "AttributeError is expected"
            yield Fault(message, "__getattr__", f'hasattr(env, "{MISSING}")', place=last_line(error))
            continue
        lines = [] if when == BEFORE else [f"env.reset(seed={trace.seed})"]
        lines += ["env.step(env.action_space.sample())"] if when == IN_EPISODE else []
        message = f"reading {name} raised {error_text(error)}, {when}"
        yield Fault(message, name, "\n".join([*lines, f"env.{name}"]), trace.seed, place=last_line(error))


@rule(
    "GK006",
    "every expected failure happens",
    why="An expectation that is no longer true hides the next defect of the same kind.",
    mend="Take it out of [tool.gymkernel.check], of gymkernel_expected_failures of the class, or of the test.",
    severity="warning",
    kind="any",
    family="the process",
    profile="fast",
)
def expectations_are_used(subject: Subject, seen: None) -> Faults:
    """The engine fills this in at the end of a run."""
    yield from ()
