"""GK82x: closing an environment, and what comes after."""

from __future__ import annotations

from gymkernel_tool_check.definition import Fault, Faults, rule
from gymkernel_tool_check.introspect import package_of
from gymkernel_tool_check.probes.lifecycle import Lifecycle, lifecycle
from gymkernel_tool_check.probes.making import Closing, closing
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text

OBSCURE = (AttributeError, TypeError, KeyError, IndexError, NameError, ReferenceError, AssertionError)


@rule(
    "GK821",
    "close works twice",
    why="A with statement, a wrapper and an error handler each close it: the second close hides the first error.",
    mend="Remember what is open: if self.window is not None: self.window.close(); self.window = None.",
    probe=closing,
)
def closes_twice(subject: Subject, seen: Closing) -> Faults:
    """After an episode was begun."""
    start = f"env.reset(seed={subject.options.seed})\nenv.step(env.action_space.sample())\nenv.close()"
    if seen.used is not None:
        yield Fault(f"close of a used environment raised {error_text(seen.used)}", "close", show=start)
    elif seen.again is not None:
        yield Fault(f"the second close raised {error_text(seen.again)}", "close", show=f"{start}\nenv.close()")


@rule(
    "GK822",
    "close works before the first reset",
    why="Programs make environments to look at their spaces, and close them: vector backends do so at each start.",
    mend="Set in __init__ whatever close looks at.",
    probe=closing,
)
def closes_early(subject: Subject, seen: Closing) -> Faults:
    """Of an environment that was just made."""
    if seen.new is not None:
        yield Fault(f"close before the first reset raised {error_text(seen.new)}", "close", show="env.close()")


@rule(
    "GK823",
    "closing one leaves the others open",
    why="Evaluation and training run side by side: closing the one ends the other in the middle of a run.",
    mend="Give back what this instance holds alone; count who uses the rest, and let the last one give it back.",
    probe=lifecycle,
)
def others_stay_open(subject: Subject, seen: Lifecycle) -> Faults:
    """The older and then the younger of two is closed; the other steps, resets and renders."""
    found = seen.sibling
    if found is None:
        return
    mode = f" (render mode {found.mode})" if found.mode else ""
    error = error_text(found.error)
    message = f"once the {found.closed} of two instances{mode} was closed, {found.call} of the other raised {error}"
    seed = subject.options.seed
    make = subject.recipe.calling(*([f'render_mode="{found.mode}"'] if found.mode else [])).expression
    gone, left = (0, 1) if found.closed == "older" else (1, 0)
    step = f"envs[{left}].step(envs[{left}].action_space.sample())"
    lines = [f"envs = [{make} for _ in range(2)]", "for one in envs:", f"    one.reset(seed={seed})"]
    lines += ["    one.step(one.action_space.sample())", *(["    one.render()"] if found.mode else [])]
    lines += [f"envs[{gone}].close()", step, f"envs[{left}].reset()", step]
    lines += [f"envs[{left}].render()"] if found.mode else []
    yield Fault(message, "close", Program("\n".join(lines)))


@rule(
    "GK824",
    "the spec can be set",
    why="make sets it: an environment that does not let it cannot be registered, and libraries do not find its limits.",
    mend="Take the property spec out, or give it a setter; Env has the attribute.",
    probe=lifecycle,
)
def spec_can_be_set(subject: Subject, seen: Lifecycle) -> Faults:
    """On the environment inside all wrappers."""
    if seen.spec is not None:
        message = f"setting spec on the environment raised {error_text(seen.spec)}"
        yield Fault(message, "spec", show="env.unwrapped.spec = None")


@rule(
    "GK825",
    "reset after close works, or says that it is closed",
    why="An error about None, far from the close that caused it, takes an afternoon to find.",
    mend="Open again in reset, or raise gymkernel.error.ClosedEnvironmentError.",
    probe=lifecycle,
    severity="warning",
)
def reset_after_close(subject: Subject, seen: Lifecycle) -> Faults:
    """An error that speaks of closing is as good as none."""
    exc = seen.reopened
    if exc is None or "clos" in error_text(exc).lower():
        return
    if isinstance(exc, OBSCURE) or package_of(type(exc)) == "pygame":
        seed = subject.options.seed
        message = f"reset of a closed environment raised {error_text(exc)}, which does not say that it is closed"
        yield Fault(message, "reset", show=f"env.reset(seed={seed})\nenv.close()\nenv.reset()")
