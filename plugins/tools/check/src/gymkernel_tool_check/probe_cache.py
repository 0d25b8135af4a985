"""`ProbeCache`: what the probes of a target saw, each done once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gymkernel_tool_check.definition import Died, Probe, Skip

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject

__all__ = ["ProbeCache"]

Seen = TypeVar("Seen")


@dataclass(slots=True)
class ProbeCache:
    """What the probes saw.

    Attributes:
        seen: for the function of each probe that ran, what it returned, or why it could not run.
        dead: probes, by name, that ended their process before, with how.
        running: the probes that go on, the innermost last.
        entering: called with a probe that begins, and with the one around it, or None, when it has ended.
    """

    seen: dict[Callable[..., Any], tuple[Any, Skip | None]] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    running: list[Probe[Any]] = field(default_factory=list)
    entering: Callable[[Probe[Any] | None], None] | None = None

    def get(self, probe: Probe[Seen], subject: Subject) -> Seen:
        """What a probe sees; it runs once, and a probe that could not run cannot for anyone."""
        if probe.function not in self.seen:
            self.seen[probe.function] = self._run(probe, subject)
        seen, skip = self.seen[probe.function]
        if skip is not None:
            raise skip
        return seen  # type: ignore[no-any-return]

    def _run(self, probe: Probe[Any], subject: Subject) -> tuple[Any, Skip | None]:
        if probe.name in self.dead:
            return None, Skip(self.dead[probe.name])
        self.running.append(probe)
        self._enter()
        try:
            return probe(subject), None
        except Died as died:
            self.seen[probe.function] = None, Skip(f"{died} (GK003)")
            raise
        except Skip as skip:
            return None, skip
        finally:
            self.running.pop()
            self._enter()

    def _enter(self) -> None:
        if self.entering is not None:
            self.entering(self.current)

    @property
    def current(self) -> Probe[Any] | None:
        """The probe that goes on."""
        return self.running[-1] if self.running else None
