"""Probes that create and close environments."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject
from gymkernel_util_compatibility.other_apis import accepts

__all__ = ["Closing", "Construction", "closing", "construct", "instance"]


@dataclass(slots=True)
class Construction:
    """The result of creating an environment: either the environment or an exception."""

    env: Any = None
    error: BaseException | None = None
    seconds: float = 0.0

    def require(self) -> Any:
        """Return the environment.

        Raises:
            Skip: if the environment cannot be created.
        """
        if self.error is not None:
            raise Skip("the environment cannot be created (GK001)")
        return self.env


@probe(quick=True)
def construct(subject: Subject) -> Construction:
    """Create an environment for rules that only inspect it, without stepping it."""
    start = time.perf_counter()
    existing = subject.only_instance
    if existing is not None:
        return Construction(existing)
    if subject.make is None:
        raise Skip(f"{subject.name} is not an environment")
    env, error = subject.attempt(subject.create, subject.make)
    return Construction(env, error, time.perf_counter() - start)


@dataclass(slots=True)
class Closing:
    """The exceptions that `close` raised for a new environment, for a used one, and when called a second time."""

    new: Exception | None = None
    used: Exception | None = None
    again: Exception | None = None


@probe()
def closing(subject: Subject) -> Closing:
    """Close a new environment once and a used environment twice."""
    seen = Closing()
    new = subject.env(second=True)
    if not callable(getattr(new, "close", None)):
        raise Skip("there is no close (GK002)")
    seen.new = subject.close_error(new)
    recorder = Recorder(subject, subject.env(second=True))
    recorder.reset(seed=subject.options.seed)
    with contextlib.suppress(Skip):
        recorder.step()
    seen.used = subject.close_error(recorder.env)
    seen.again = subject.close_error(recorder.env) if seen.used is None else None
    return seen


def instance(subject: Subject, **given: Any) -> Any:
    """Return a new environment, created with additional arguments. Exceptions from the constructor propagate.

    Raises:
        Skip: if the target is an existing environment, or if the function that creates it does not accept the
            arguments.
    """
    if subject.live is not None or subject.make is None:
        raise Skip("a second instance is needed; check the id, the class or a function that creates it")
    if not isinstance(subject.make, type) and not all(accepts(subject.make, name) for name in given):
        raise Skip(f"the function that creates the environment does not accept {', '.join(given)}")
    if subject.options.single_instance:
        subject.close()
    return subject.create(subject.make, **given)
