"""`Rule`: what must be true, why it matters, how to fix it, and the function that looks."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from gymkernel_tool_check.recipe import Program

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject

__all__ = ["BudgetSpent", "Died", "Fault", "Faults", "Group", "Hang", "Moment", "Probe", "Rule", "Skip"]
__all__ += ["first_fault", "probe", "rule"]

Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True, eq=False)
class Probe(Generic[Seen]):
    """What is done with the target so that rules have something to look at; it runs once for all that name it.

    Attributes:
        function: called with the subject; what it returns is what the rules get.
        quick: rules that read it are in the profile "fast", if they do not say otherwise: it makes the target once, and
            only uses it.
        typical: it begins with the calls that every use of the target begins with, so that what hangs there hangs in
            other probes, too.
        last: it costs much for what it finds, so that it comes after all others.
    """

    function: Callable[[Subject], Seen]
    quick: bool = False
    typical: bool = False
    last: bool = False

    @classmethod
    def of(cls, function: Callable[[Subject], Seen]) -> Probe[Seen]:
        """A function that was not declared to be a probe is one without anything to say of itself.

        Args:
            function: what a rule was given as its probe.
        """
        return function if isinstance(function, Probe) else cls(function)

    @property
    def name(self) -> str:
        """The same in every process."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def __call__(self, subject: Subject) -> Seen:
        """Do it, whatever was seen before; `subject.get` does it once."""
        return self.function(subject)


def probe(
    *, quick: bool = False, typical: bool = False, last: bool = False
) -> Callable[[Callable[[Subject], Seen]], Probe[Seen]]:
    """Make a probe of the function that does it: see `Probe` for what it may say of itself.

    Args:
        quick: whether it takes so little that rules with it belong to the profile "fast".
        typical: whether what it sees is what the target does when used as it should be.
        last: whether it comes when all others have, since it takes long.

    >>> @probe(quick=True)
    ... def names(subject):
    ...     return dir(subject.env())
    >>> names.quick, names.typical
    (True, False)
    """

    def decorate(function: Callable[[Subject], Seen]) -> Probe[Seen]:
        return Probe(function, quick, typical, last)

    return decorate


class Hang(NamedTuple):
    """A call that did not return.

    >>> Hang("step", 1, 4).covers(Hang("step", 2, 0)), Hang("step", 1, 4).covers(Hang("step", 1, 3))
    (True, False)
    """

    phase: str
    episode: int | None
    step: int | None

    @property
    def is_early(self) -> bool:
        """Whether it is among the first calls of a run."""
        known = self.episode is not None and self.step is not None
        return known and (self.phase, self.episode) in {("reset", 1), ("reset", 2), ("step", 1)}

    def covers(self, call: Hang) -> bool:
        """Whether a call is this one, or one after it of the same kind."""
        return self.phase == call.phase and self[1:] <= call[1:]


class Group(NamedTuple):
    """Rules that share a probe, and so a process; without the first group there is nothing to check."""

    name: str
    codes: tuple[str, ...]
    is_first: bool


class Skip(Exception):  # noqa: N818 - a rule says that it cannot be checked; nothing went wrong
    """A rule cannot be checked here; the message says why."""


class BudgetSpent(BaseException):
    """The time for the whole check is over; no probe and no target handles this as an error of its own."""


class Moment(NamedTuple):
    """What is called, and when: `phase` is "the import", "the constructor", "reset", "step" or "close".

    >>> str(Moment("step", 123, 2, 4))
    ' at step 4 of episode 2 (seed 123)'
    """

    phase: str
    seed: int | None = None
    episode: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        if self.episode is None:
            return "" if self.seed is None else f" (seed {self.seed})"
        if self.phase == "reset":
            return f" at the beginning of episode {self.episode} (seed {self.seed})"
        return f" at step {self.step} of episode {self.episode} (seed {self.seed})"

    @property
    def show(self) -> str:
        """Lines of Python, after the ones that make `env`, that lead there."""
        if self.phase == "close":
            return "env.close()"
        if self.episode is None:
            return ""
        first = f"env.reset(seed={self.seed})"
        if self.phase == "reset" and self.episode == 1:
            return first
        lines = [f"env.action_space.seed({self.seed})", first, "while True:  # until it happens"]
        lines += ["    _, _, terminated, truncated, _ = env.step(env.action_space.sample())"]
        return "\n".join([*lines, "    if terminated or truncated:", "        env.reset()"])


class Died(BaseException):
    """The environment ended its process, or tried to; `except Exception` does not take it for an error of its own."""

    def __init__(self, message: str, moment: Moment) -> None:
        super().__init__(message)
        self.moment = moment


@dataclass(frozen=True, slots=True)
class Fault:
    """What the function of a rule yields: a finding without what the engine fills in.

    Attributes:
        message: a sentence with what was expected and what was seen.
        method: the method at fault; its file and line are looked up.
        show: the lines of the reproducer that follow the making of `env` or `space`, or a `Program` that makes them.
        seed, episode, step: when it was seen.
        severity: where it differs from the rule's.
        place: (file, line) where it is known better than by the method.
    """

    message: str
    method: str = ""
    show: str | Program = ""
    seed: int | None = None
    episode: int | None = None
    step: int | None = None
    severity: str | None = None
    place: tuple[str, int] | None = None


Faults = Iterator[Fault]
"""What the function of a rule gives."""


def first_fault(function: Callable[..., Iterable[Fault]]) -> Callable[..., Faults]:
    """A function that ends with its first fault."""

    @functools.wraps(function)
    def first(*arguments: Any) -> Faults:
        return itertools.islice(function(*arguments), 1)

    return first


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that `gymkernel check` checks.

    Attributes:
        code: letters and three digits; "GK" is gymkernel's own, a plugin takes letters of its own.
        title: the rule as a statement that is true of a good target.
        why: what goes wrong in training where the rule is broken.
        fix: what to change.
        function: called with the subject and what the probe saw; yields a `Fault` for each defect, may raise `Skip`.
        probe: what has to be done with the target first, shared by all rules that name it; None for nothing.
        severity: "error", "warning" or "info".
        kind: the kind of target, as in the entry-point groups: "envs", "spaces", ...; "any" for all of them.
        family: the heading under which it is shown.
        doc: what the rule looks at; by default the docstring of the function.
        profile: the quickest profile that runs it: "fast", "default" or "thorough".
        compat: the library whose own limit the rule states ("sb3", "async"); such a rule runs where it is asked for.
        status: "stable"; or "preview" if what the rule finds may still change.
    """

    code: str
    title: str
    why: str
    fix: str
    function: Callable[[Subject, Any], Iterable[Fault]]
    probe: Callable[[Subject], Any] | None = None
    severity: str = "error"
    kind: str = "envs"
    family: str = ""
    doc: str = ""
    profile: str = "default"
    compat: str = ""
    status: str = "stable"

    @property
    def heading(self) -> str:
        """The family, or "more rules" if the rule names none."""
        return self.family or "more rules"

    def describe(self) -> dict[str, str]:
        """What a report and `--list-rules` show."""
        names = ("code", "severity", "family", "kind", "title", "why", "fix", "profile", "compat", "status")
        return {name: getattr(self, name) for name in names} | {"family": self.heading}


def rule(
    code: str,
    title: str,
    *,
    why: str,
    fix: str,
    probe: Callable[[Subject], Any] | None = None,
    severity: str = "error",
    kind: str = "envs",
    family: str = "",
    profile: str = "",
    compat: str = "",
) -> Callable[[Callable[[Subject, Any], Iterable[Fault]]], Rule]:
    """Make a rule of the function that checks it; it is in the profile "fast" where its probe is quick.

    Args:
        code: letters and three digits, by which it is selected: "LAB001".
        title: what holds for a sound target, as a sentence without its point.
        why: what goes wrong for users where it does not hold.
        fix: what to do then.
        probe: what is seen of the target before the function is called with it; None for a rule that looks for itself.
        severity: of its findings: "error", "warning" or "info".
        kind: of targets: "envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions", "plugins" or
            "any".
        family: the heading of the report under which it stands; by default that of its code.
        profile: "fast", "default" or "thorough"; by default as its probe is quick or not.
        compat: the library whose limit it is; then it runs with `--compat` only.

    >>> @rule("LAB001", "the environment has a name", why="Logs show it.", fix="Set `name`.")
    ... def named(subject, _):
    ...     if not hasattr(subject.env(), "name"):
    ...         yield Fault("expected an attribute name, got none")
    >>> named.code, named.severity
    ('LAB001', 'error')
    """

    def decorate(function: Callable[[Subject, Any], Iterable[Fault]]) -> Rule:
        usual = "fast" if isinstance(probe, Probe) and probe.quick else "default"
        return Rule(code, title, why, fix, function, probe, severity, kind, family, "", profile or usual, compat)

    return decorate
