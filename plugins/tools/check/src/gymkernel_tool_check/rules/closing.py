"""GK82x: rules about closing an environment, and about calls after it was closed."""

from __future__ import annotations

from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.introspect import package_of
from gymkernel_tool_check.probes.lifecycle import Lifecycle
from gymkernel_tool_check.probes.making import Closing
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text

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
