"""`Subject`: what rules and probes are given: the target, what may be done with it, and what was seen of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from gymkernel_tool_check.calls import Calls
from gymkernel_tool_check.definition import Hang, Moment, Probe
from gymkernel_tool_check.instances import Description, Instances
from gymkernel_tool_check.introspect import innermost, read, source_of
from gymkernel_tool_check.probe_cache import ProbeCache
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.settings import Settings
from gymkernel_tool_check.shared_facts import SharedFacts

__all__ = ["Subject"]

ASIDE: Final = 6
"""A run that is only repeated, so that other rules have it in their process, gets so much less time."""
Seen = TypeVar("Seen")


@dataclass
class Subject(Description):
    """What is checked, and what is done with it; rules and probes get it as their first argument.

    What describes the target are attributes of it: `name`, `kind`, `object`, `options`, `found`, ... What is done
    with it are methods: `env()` makes an environment, `at(...)` says what is called next, `get(probe)` is what a probe
    saw. The parts behind them are for the engine.

    Attributes:
        calls: which call into the target is made.
        probe_cache: what the probes saw.
        facts: what the processes of the check know of each other.
        instances: what was made, and is to be closed.
        settings: those of the process when the check began.
    """

    calls: Calls = field(default_factory=Calls, init=False)
    probe_cache: ProbeCache = field(default_factory=ProbeCache, init=False)
    facts: SharedFacts = field(default_factory=SharedFacts, init=False)
    instances: Instances = field(init=False)
    settings: Settings = field(default_factory=Settings.now, init=False)

    def __post_init__(self) -> None:
        """Make environments of what is described here."""
        self.instances = Instances(self, self.calls)

    def get(self, probe: Callable[[Subject], Seen]) -> Seen:
        """What a probe sees; it runs once, and a probe that could not run cannot for anyone.

        Args:
            probe: a function of a subject, mostly one that `probe` made.

        Raises:
            Skip: it could not run.
        """
        return self.probe_cache.get(Probe.of(probe), self)

    def at(
        self,
        phase: str,
        seed: int | None = None,
        episode: int | None = None,
        step: int | None = None,
        *,
        within: float | None = None,
    ) -> None:
        """Say what is called next, so that a hang or crash in it can be told.

        What is no call into the target may take another time: `within` so many seconds.

        Args:
            phase: what is called: "step", "reset", "the constructor".
            seed: of the episode.
            episode: the number of the episode, from 1 on.
            step: the number of the step, from 1 on; 0 is the reset.
            within: seconds; None for the time-out of that phase.
        """
        self.calls.at(Moment(phase, seed, episode, step), within)

    def catching_exit(self) -> AbstractContextManager[None]:
        """Turn an attempt of the target to end the process into `Died`."""
        return self.calls.catching_exit()

    def attempt(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
        """What a call gives, and what it raised: one of both is None. `Skip` is passed on.

        Args:
            call: a function, of the target or one that uses it; say before by `at` what it is.
            *arguments: for it.
            **keywords: for it.
        """
        return self.calls.attempt(call, *arguments, **keywords)

    def env(self, *, second: bool = False) -> Any:
        """An environment to try things with: a fresh one where it can be made, else the one that there is.

        Args:
            second: it must be a fresh one.

        Raises:
            Skip: it cannot be made.
        """
        return self.instances.env(second=second)

    def keep(self, env: Any) -> None:
        """Close this environment with the others.

        Args:
            env: what is to be closed when the check ends.
        """
        self.instances.made.append(env)

    def shut(self, env: Any) -> None:
        """Close an environment that is no longer needed, whatever it raises.

        Args:
            env: what `env()` returned.
        """
        self.instances.shut(env)

    def close(self) -> None:
        """Close everything that was made."""
        self.instances.close()

    def hung(self, phase: str, episode: int, step: int) -> None:
        """Remember a call that did not return.

        Args:
            phase: what was called.
            episode: the number of the episode.
            step: the number of the step.
        """
        current = self.probe_cache.current
        self.facts.hung(Hang(phase, episode, step), typical=current is not None and current.typical)

    def stuck(self, phase: str, episode: int, step: int) -> str:
        """Why a call is not to be made: one like it hung before; empty where none did.

        Args:
            phase: what would be called.
            episode: the number of the episode.
            step: the number of the step.
        """
        return self.facts.stuck(Hang(phase, episode, step))

    def where(self, method: str) -> tuple[str, int] | None:
        """File and line of a method of what is checked.

        Args:
            method: its name; empty, or "class", for the class itself.

        Returns:
            None where the source is not known.
        """
        inner = innermost(self.instances.first)
        owner = type(inner) if inner is not None else self.make if isinstance(self.make, type) else self.object
        found = getattr(owner, method, None) if owner is not None and method not in {"", "class"} else None
        return source_of(found if callable(found) else owner) or (None if owner is None else source_of(owner))

    def reproduce(self, show: str | Program) -> str:
        """A program that shows a fault: the recipe and the lines that follow it.

        Args:
            show: the lines that follow the making of `env`, or a `Program` that has its own.
        """
        return self.recipe.program(show, made=self.kind in {"envs", "spaces"})

    def deadline(self) -> float:
        """When a recorded run that starts now takes no further step."""
        return time.perf_counter() + self.options.run_seconds / (ASIDE if self.is_aside else 1)

    @property
    def is_aside(self) -> bool:
        """Whether the probe that goes on is one that another process does, too, and only repeated in this one."""
        owner, current = self.facts.owner, self.probe_cache.current
        return owner is not None and current is not None and current.name != owner

    @property
    def declared(self) -> dict[str, str]:
        """The expected failures, with a reason each, that the classes of the target declare."""
        layers: list[Any] = [self.object if isinstance(self.object, type) else type(self.object)]
        env = self.instances.first
        while env is not None and type(env) not in layers:
            layers.append(type(env))
            env = read(env, "env", None)
        found: dict[str, str] = {}
        for cls in layers:
            given = getattr(cls, "gymkernel_expected_failures", None)
            found |= {str(code).upper(): str(reason) for code, reason in given.items()} if given else {}
        return found
