"""GK0xx: rules about creating an environment, its basic members, and calls that crash or exit the process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gymkernel import plugins
from gymkernel_tool_check.attributes import MISSING, unreadable
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import last_line, package_of
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.rollouts import BEFORE, IN_EPISODE
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import explain_kind
from gymkernel_util_spaces.texts import error_text

__all__ = ["can_be_made", "is_an_env", "process_survives"]

MEMBERS = ("reset", "step", "render", "close", "unwrapped", "metadata", "render_mode", "spec")
CALLERS = str(Path(__file__).parents[1]), str(Path(str(plugins.__file__)).parent)
"""The folders whose code creates environments for the checker."""
CONVERTED = (
    "shimmy (pip install shimmy) converts the environment: GymV26CompatibilityV0(env=...) for gym 0.26, else "
    "GymV21CompatibilityV0(env=...)"
)
"""The hint shown for an environment written for OpenAI Gym."""
MISSING_ARGUMENT = "required positional argument", "required keyword-only argument"


def can_be_made(subject: Subject, construction: Construction) -> Faults:
    """Create the environment, and report a failed import, a missing argument or any other exception.

    Why: Every user must be able to create the environment from its id or class alone.
    Fix: Give every constructor argument a default, or register the environment with the required arguments.
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
        place = None  # the call itself failed, so the fault is in the constructor
    yield Fault(message, "__init__", show="", place=place)


def is_an_env(subject: Subject, construction: Construction) -> Faults:
    """Check that the object derives from a library's Env class or has all members of Env.

    Why: Wrappers, vector backends and training libraries rely on the members of Env.
    Fix: Derive the class from gymkernel.Env, and define reset(seed=, options=) and a step that returns five values.
    """
    env = construction.require()
    bases = {package_of(base) for base in type(env).__mro__ if base.__name__ == "Env"}
    raising = unreadable(env)  # GK007 reports them
    missing = [name for name in MEMBERS if name not in raising and not _has(env, name)]
    if explained := explain_kind(env):
        yield Fault(f"expected an environment, got {type(env).__name__}, {explained}", "class")
    elif "gym" in bases:
        old = "it derives from the old gym package's Env, whose reset, step or spaces differ from this API"
        yield Fault(f"{old}; {CONVERTED}", "class")
    elif missing:
        seen = f"a {type(env).__name__} without {', '.join(missing)}"
        yield Fault(f"expected an environment, got {seen}", "class", show=f'print(hasattr(env, "{missing[0]}"))')


def _has(env: Any, name: str) -> bool:
    """Return whether an attribute exists; GK007 reports exceptions other than AttributeError."""
    try:
        return hasattr(env, name)
    except Exception:  # noqa: BLE001 - a property may raise any exception
        return False


def process_survives(subject: Subject, seen: None) -> Faults:
    """Report a call that never returned, or that crashed or exited the process.

    The engine itself creates these findings.

    Why: A single such call can end a training run after days, often without a message in the log.
    Fix: Return within a bounded time, and raise an exception if something goes wrong.
    """
    yield from ()


def can_be_made_twice(subject: Subject, construction: Construction) -> Faults:
    """Check that two instances can exist at the same time.

    Why: Rules that compare instances need a second one. A skipped rule may hide a defect.
    Fix: Check an id, a class or a function that creates the environment. For environments that control hardware, this
    finding is normal.
    """
    construction.require()
    try:
        subject.env(second=True)
    except Skip as skip:
        yield Fault(f"rules that compare instances were skipped: {skip}", "class", show="")


def rules_work(subject: Subject, seen: None) -> Faults:
    """Report every rule that raised an exception. The engine itself creates these findings at the end of a check.

    Why: A rule that raises an exception cannot find the defects that it looks for.
    Fix: Report the exception to the distribution that provides the rule: the defect is in the rule, not in the target.
    """
    yield from ()


def attributes_can_be_read(subject: Subject, trace: Trace) -> Faults:
    """Read the environment's usual attributes, its random number generators and an attribute that does not exist.

    Why: Wrappers, vector environments and hasattr read the attributes at any time, even before the first reset.
    Fix: Set the attributes in __init__, or make each property return a value. Raise only AttributeError in __getattr__.
    """
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


def expectations_are_used(subject: Subject, seen: None) -> Faults:
    """Report every expected failure that did not occur. The engine itself creates these findings at the end of a check.

    Why: An outdated expectation hides the next defect of the same kind.
    Fix: Remove the expectation from [tool.gymkernel.check], from the class's gymkernel_expected_failures, or from the
    test.
    """
    yield from ()
