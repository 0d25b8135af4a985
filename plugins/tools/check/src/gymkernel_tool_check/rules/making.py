"""GK0xx: rules about creating an environment, its required members, and calls that crash or exit the process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gymkernel import plugins
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import MISSING, last_line, package_of, unreadable
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.rollouts import BEFORE, IN_EPISODE
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_kind
from gymkernel_util_spaces.texts import error_text

MEMBERS = ("reset", "step", "render", "close", "unwrapped", "metadata", "render_mode", "spec")
CALLERS = str(Path(__file__).parents[1]), str(Path(str(plugins.__file__)).parent)
"""The folders that contain the code with which the checker creates environments."""
CONVERTED = "to convert the environment, run pip install gymkernel-bridge-gym and use gymkernel.utils.gym.from_gym(env)"
"""A hint for environments that were written for OpenAI Gym."""
MISSING_ARGUMENT = "required positional argument", "required keyword-only argument"


def can_be_made(subject: Subject, construction: Construction) -> Faults:
    """Create the environment, and report an import that fails, a missing argument or any other exception.

    Why: Users expect to create an environment from its id or its class alone.
    Fix: Give every constructor argument a default value, or register the environment with the required arguments.
    """
    exc = construction.error
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
        place = None  # the exception comes from the call itself, so the constructor is at fault
    yield Fault(message, "__init__", show="", place=place)


def is_an_env(subject: Subject, construction: Construction) -> Faults:
    """Check that the object's class inherits from a library's Env class, or that the object has all members of Env.

    Why: Wrappers, vector backends and training libraries rely on the attributes and methods of Env.
    Fix: Derive the class from gymkernel.Env, and define reset(seed=, options=) and a step method that returns five
    values.
    """
    env = construction.require()
    bases = {package_of(base) for base in type(env).__mro__ if base.__name__ == "Env"}
    raising = unreadable(env)  # GK007 reports them
    missing = [name for name in MEMBERS if name not in raising and not _has(env, name)]
    if explained := explain_kind(env):
        yield Fault(f"expected an environment, got {type(env).__name__}, {explained}", "class")
    elif "gym" in bases:
        old = "the class derives from Env in the old gym package, whose reset, step or spaces have a different API"
        yield Fault(f"{old}; {CONVERTED}", "class")
    elif missing:
        seen = f"a {type(env).__name__} without {', '.join(missing)}"
        yield Fault(f"expected an environment, got {seen}", "class", show=f'print(hasattr(env, "{missing[0]}"))')


def _has(env: Any, name: str) -> bool:
    """Return whether an attribute exists. GK007 reports exceptions other than AttributeError."""
    try:
        return hasattr(env, name)
    except Exception:  # noqa: BLE001 - a property may raise any exception
        return False


def process_survives(subject: Subject, seen: None) -> Faults:
    """Report calls that never returned, crashed the process or exited it.

    The engine creates these findings itself.

    Why: A single call of this kind can end a training run after days, often without any message in the log.
    Fix: Return from every call within a bounded time, and raise an exception if something goes wrong.
    """
    yield from ()


def can_be_made_twice(subject: Subject, construction: Construction) -> Faults:
    """Check that two instances can exist at the same time.

    Why: Many rules compare two instances. They are skipped if only one instance can exist, so defects may go unnoticed.
    Fix: Check an id, a class or a function that creates the environment, instead of an existing environment. If the
    environment controls hardware, you can ignore this finding.
    """
    construction.require()
    try:
        subject.env(second=True)
    except Skip as skip:
        yield Fault(f"rules that compare instances were skipped: {skip}", "class", show="")


def rules_work(subject: Subject, seen: None) -> Faults:
    """Report every rule that raised an exception. The engine creates these findings at the end of a check.

    Why: A rule that raises an exception does not find any defects.
    Fix: Report the exception to the authors of the rule. The defect is in the rule, not in the target.
    """
    yield from ()


def attributes_can_be_read(subject: Subject, trace: Trace) -> Faults:
    """Read the environment's usual attributes, its random number generators and an attribute that does not exist.

    Why: Wrappers, vector environments and calls to hasattr may read attributes at any time, even before the first
    reset.
    Fix: Set the attributes in __init__, or make each property return a value. In __getattr__, raise no exception other
    than AttributeError.
    """
    for name, (when, error) in trace.unreadable.items():
        if name == MISSING:
            message = f"__getattr__ raised {error_text(error)} for an attribute that does not exist, but "
            message += "AttributeError is expected"
            yield Fault(message, "__getattr__", f'hasattr(env, "{MISSING}")', place=last_line(error))
            continue
        lines = [] if when == BEFORE else [f"env.reset(seed={trace.seed})"]
        lines += ["env.step(env.action_space.sample())"] if when == IN_EPISODE else []
        message = f"reading {name} raised {error_text(error)}, {when}"
        yield Fault(message, name, "\n".join([*lines, f"env.{name}"]), trace.seed, place=last_line(error))


def expectations_are_used(subject: Subject, seen: None) -> Faults:
    """Report every expected failure that did not occur. The engine creates these findings at the end of a check.

    Why: If a rule is still expected to fail after the defect was fixed, the next defect of the same kind goes
    unnoticed.
    Fix: Remove the rule from the expected failures in [tool.gymkernel.check], in the class's
    gymkernel_expected_failures or in the test.
    """
    yield from ()
