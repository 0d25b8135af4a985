"""GK82x: closing an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.checks.definition import Fault, rule
from gymkernel.checks.probes import closing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.probes import Closing
    from gymkernel.checks.subject import Subject

__all__ = ["closes_early", "closes_twice"]


def _raised(exc: Exception) -> str:
    return f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__


@rule(
    "GK821",
    "close works twice",
    why="A with statement, a wrapper and an error handler each close it: the second close hides the first error.",
    mend="Remember what is open: if self.window is not None: self.window.close(); self.window = None.",
    probe=closing,
)
def closes_twice(subject: Subject, seen: Closing) -> Iterator[Fault]:
    """After an episode was begun."""
    start = f"env.reset(seed={subject.options.seed})\nenv.step(env.action_space.sample())\nenv.close()"
    if seen.used is not None:
        yield Fault(f"close of a used environment raised {_raised(seen.used)}", "close", show=start)
    elif seen.again is not None:
        yield Fault(f"the second close raised {_raised(seen.again)}", "close", show=f"{start}\nenv.close()")


@rule(
    "GK822",
    "close works before the first reset",
    why="Programs make environments to look at their spaces, and close them: vector backends do so at each start.",
    mend="Set in __init__ whatever close looks at.",
    probe=closing,
)
def closes_early(subject: Subject, seen: Closing) -> Iterator[Fault]:
    """Of an environment that was just made."""
    if seen.new is not None:
        yield Fault(f"close before the first reset raised {_raised(seen.new)}", "close", show="env.close()")
