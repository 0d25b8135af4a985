"""GK0xx and GK82x: rules about creating and closing an environment, its members, and calls that end the process."""

from __future__ import annotations

from pathlib import Path

from gymkernel import plugins
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import MISSING, last_line, package_of, read, unreadable
from gymkernel_tool_check.probes.lifecycle import Lifecycle
from gymkernel_tool_check.probes.making import Closing, Construction
from gymkernel_tool_check.probes.rollouts import BEFORE, IN_EPISODE
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.recipe import Program
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
    raising, absent = unreadable(env), object()  # GK007 reports attributes that cannot be read
    missing = [name for name in MEMBERS if name not in raising and read(env, name, absent) is absent]
    if explained := explain_kind(env):
        yield Fault(f"expected an environment, got {type(env).__name__}, {explained}", "class")
    elif "gym" in bases:
        old = "the class derives from Env in the old gym package, whose reset, step or spaces have a different API"
        yield Fault(f"{old}; {CONVERTED}", "class")
    elif missing:
        seen = f"a {type(env).__name__} without {', '.join(missing)}"
        yield Fault(f"expected an environment, got {seen}", "class", show=f'print(hasattr(env, "{missing[0]}"))')


def process_survives() -> None:
    """Report calls that never returned, crashed the process or exited it.

    The engine creates these findings itself.

    Why: A single call of this kind can end a training run after days, often without any message in the log.
    Fix: Return from every call within a bounded time, and raise an exception if something goes wrong.
    """


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


def rules_work() -> None:
    """Report every rule that raised an exception. The engine creates these findings at the end of a check.

    Why: A rule that raises an exception does not find any defects.
    Fix: Report the exception to the authors of the rule. The defect is in the rule, not in the target.
    """


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


def expectations_are_used() -> None:
    """Report every expected failure that did not occur. The engine creates these findings at the end of a check.

    Why: If a rule is still expected to fail after the defect was fixed, the next defect of the same kind goes
    unnoticed.
    Fix: Remove the rule from the expected failures in [tool.gymkernel.check], in the class's
    gymkernel_expected_failures or in the test.
    """


OBSCURE = (AttributeError, TypeError, KeyError, IndexError, NameError, ReferenceError, AssertionError)


def closes_twice(subject: Subject, seen: Closing) -> Faults:
    """Close an environment in the middle of an episode, and close it a second time.

    Why: A with statement, a wrapper and an error handler may all call close. If the second call raises an exception, it
    hides the original error.
    Fix: Close a resource only if it is open: if self.window is not None: self.window.close(); self.window = None.
    """
    start = f"env.reset(seed={subject.options.seed})\nenv.step(env.action_space.sample())\nenv.close()"
    if seen.used is not None:
        yield Fault(f"close raised {error_text(seen.used)} after an episode had started", "close", show=start)
    elif seen.again is not None:
        yield Fault(f"the second call to close raised {error_text(seen.again)}", "close", show=f"{start}\nenv.close()")


def closes_early(subject: Subject, seen: Closing) -> Faults:
    """Close an environment immediately after creating it.

    Why: Vector backends and other programs create an environment only to read its spaces, and then close it.
    Fix: In __init__, set every attribute that close reads.
    """
    if seen.new is not None:
        yield Fault(f"close raised {error_text(seen.new)} before the first reset", "close", show="env.close()")


def others_stay_open(subject: Subject, seen: Lifecycle) -> Faults:
    """Close one of two instances, and then step, reset and render the other. Both orders are tried.

    Why: Training and evaluation often use separate environments in the same process. Closing one of them must not
    affect the other.
    Fix: In close, release only what this instance owns. Release a shared resource when the last instance that uses it
    is closed.
    """
    found = seen.sibling
    if found is None:
        return
    mode = f" (render mode {found.mode})" if found.mode else ""
    error = error_text(found.error)
    message = f"after the {found.closed} of two instances{mode} was closed, {found.call} of the other raised {error}"
    seed = subject.options.seed
    make = subject.recipe.calling(*([f'render_mode="{found.mode}"'] if found.mode else [])).expression
    gone, left = (0, 1) if found.closed == "older" else (1, 0)
    step = f"envs[{left}].step(envs[{left}].action_space.sample())"
    lines = [f"envs = [{make} for _ in range(2)]", "for env in envs:", f"    env.reset(seed={seed})"]
    lines += ["    env.step(env.action_space.sample())", *(["    env.render()"] if found.mode else [])]
    lines += [f"envs[{gone}].close()", step, f"envs[{left}].reset()", step]
    lines += [f"envs[{left}].render()"] if found.mode else []
    yield Fault(message, "close", Program("\n".join(lines)))


def spec_can_be_set(subject: Subject, seen: Lifecycle) -> Faults:
    """Set the attribute `spec` of the innermost environment, as make does.

    Why: make sets the attribute spec of every environment. If this fails, make cannot create the environment, and
    libraries cannot find its time limit.
    Fix: Remove the property spec, because Env already has this attribute, or give the property a setter.
    """
    if seen.spec is not None:
        message = f"setting spec on the environment raised {error_text(seen.spec)}"
        yield Fault(message, "spec", show="env.unwrapped.spec = None")


def reset_after_close(subject: Subject, seen: Lifecycle) -> Faults:
    """Reset an environment after closing it. The reset may raise an exception that mentions closing.

    Why: If reset fails with an obscure error, such as an AttributeError on None, it takes a long time to trace the
    error back to the call to close.
    Fix: Reopen the resources in reset, or raise gymkernel.error.ClosedEnvironmentError.
    """
    exc = seen.reopened
    if exc is None or "clos" in error_text(exc).lower():
        return
    if isinstance(exc, OBSCURE) or package_of(type(exc)) == "pygame":
        seed = subject.options.seed
        message = f"reset of a closed environment raised {error_text(exc)}, which does not mention closing"
        yield Fault(message, "reset", show=f"env.reset(seed={seed})\nenv.close()\nenv.reset()")
