"""Making an environment, and closing it."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.trace import Recorder

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject

__all__ = ["Closing", "Construction", "closing", "construct"]


@dataclass(slots=True)
class Construction:
    """What came of making the environment: it, or why it cannot be made."""

    env: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


@probe(quick=True)
def construct(subject: Subject) -> Construction:
    """Make one environment, which is only looked at."""
    start = time.perf_counter()
    if subject.live is not None:
        return Construction(subject.live)
    if subject.instances.only_instance is not None:
        return Construction(subject.instances.only_instance)
    if subject.make is None:
        message = f"{subject.name} is no environment"
        raise Skip(message)
    subject.at("the constructor")
    try:
        with subject.catching_exit():
            env = subject.make()
    except Exception as exc:  # noqa: BLE001 - whatever it raises is what is looked for
        return Construction(error=exc)
    subject.keep(env)
    return Construction(env, seconds=time.perf_counter() - start)


@dataclass(slots=True)
class Closing:
    """What `close` raised, of a new environment, of a used one, and of one that was closed before."""

    new: Exception | None = None
    used: Exception | None = None
    again: Exception | None = None


@probe()
def closing(subject: Subject) -> Closing:
    """Close a new environment, and a used one twice."""
    seen = Closing()
    new = subject.env(second=True)
    if not callable(getattr(new, "close", None)):
        message = "there is no close (GK002)"
        raise Skip(message)
    seen.new = _close(subject, new)
    used = subject.env(second=True)
    recorder = Recorder(subject, used)
    recorder.reset(seed=subject.options.seed)
    with contextlib.suppress(Skip):
        recorder.step()
    seen.used = _close(subject, used)
    seen.again = _close(subject, used) if seen.used is None else None
    return seen


def _close(subject: Subject, env: Any) -> Exception | None:
    subject.instances.before_close()
    try:
        with subject.catching_exit():
            env.close()
    except Exception as exc:  # noqa: BLE001 - whatever it raises is what is looked for
        return exc
    return None
