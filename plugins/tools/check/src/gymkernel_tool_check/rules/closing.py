"""GK82x: rules about closing an environment and about calls after close."""

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
    """Close the environment twice after an episode has started.

    Why: A with statement, a wrapper and an error handler may each call close, and an error in the second call hides the
    first error.
    Fix: Close a resource only if it is open: if self.window is not None: self.window.close(); self.window = None.
    """
    start = f"env.reset(seed={subject.options.seed})\nenv.step(env.action_space.sample())\nenv.close()"
    if seen.used is not None:
        yield Fault(f"close of a used environment raised {error_text(seen.used)}", "close", show=start)
    elif seen.again is not None:
        yield Fault(f"the second close raised {error_text(seen.again)}", "close", show=f"{start}\nenv.close()")


def closes_early(subject: Subject, seen: Closing) -> Faults:
    """Close an environment that has just been created.

    Why: Programs, and every vector backend, create an environment only to read its spaces, and then close it.
    Fix: Set every attribute that close reads in __init__.
    """
    if seen.new is not None:
        yield Fault(f"close before the first reset raised {error_text(seen.new)}", "close", show="env.close()")


def others_stay_open(subject: Subject, seen: Lifecycle) -> Faults:
    """Close one of two instances, and step, reset and render the other; try both orders of creation.

    Why: Evaluation and training often run side by side. Closing one of the environments must not end the other's run.
    Fix: Release only the resources of this instance. Count the instances that use a shared resource, and release it
    when the last of them is closed.
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
    """Set the attribute `spec` of the innermost environment.

    Why: make sets spec. If that fails, the environment cannot be registered, and libraries cannot find its time limit.
    Fix: Remove the property spec, or give it a setter. Env already has this attribute.
    """
    if seen.spec is not None:
        message = f"setting spec on the environment raised {error_text(seen.spec)}"
        yield Fault(message, "spec", show="env.unwrapped.spec = None")


def reset_after_close(subject: Subject, seen: Lifecycle) -> Faults:
    """Reset the environment after close; an error message that mentions closing is legal.

    Why: An error about None, far from the close that caused it, takes an afternoon to find.
    Fix: Reopen the resources in reset, or raise gymkernel.error.ClosedEnvironmentError.
    """
    exc = seen.reopened
    if exc is None or "clos" in error_text(exc).lower():
        return
    if isinstance(exc, OBSCURE) or package_of(type(exc)) == "pygame":
        seed = subject.options.seed
        message = f"reset of a closed environment raised {error_text(exc)}, which does not mention closing"
        yield Fault(message, "reset", show=f"env.reset(seed={seed})\nenv.close()\nenv.reset()")
