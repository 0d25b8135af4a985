"""`Rule`, which states what must be true, why it matters and how to fix it, with a function that checks it."""

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
    """A use of the target whose result rules examine; it runs once for all rules that name it.

    Attributes:
        function: a function that is called with the subject; its result is passed to the rules.
        quick: whether its rules are in profile "fast" by default, because it creates the target once and only uses it.
        typical: whether it starts with the same calls as every use of the target, so that a hang in these calls also
            occurs in other probes.
        last: whether it runs after all other probes, because it takes long for what it finds.
    """

    function: Callable[[Subject], Seen]
    quick: bool = False
    typical: bool = False
    last: bool = False

    @classmethod
    def of(cls, function: Callable[[Subject], Seen]) -> Probe[Seen]:
        """Return a probe unchanged; wrap a plain function in a probe without attributes.

        Args:
            function: the probe of a rule.
        """
        return function if isinstance(function, Probe) else cls(function)

    @property
    def name(self) -> str:
        """The name of the function, which is the same in every process."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def __call__(self, subject: Subject) -> Seen:
        """Run the function, even if it ran before; `subject.get` runs it only once."""
        return self.function(subject)


def probe(
    *, quick: bool = False, typical: bool = False, last: bool = False
) -> Callable[[Callable[[Subject], Seen]], Probe[Seen]]:
    """Decorate a function to make it a probe; see `Probe` for the arguments.

    Args:
        quick: whether it is so fast that its rules belong to profile "fast".
        typical: whether it uses the target in the usual way.
        last: whether it runs after all other probes, because it takes long.

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
        """Whether the call is one of the first calls of a run."""
        known = self.episode is not None and self.step is not None
        return known and (self.phase, self.episode) in {("reset", 1), ("reset", 2), ("step", 1)}

    def covers(self, call: Hang) -> bool:
        """Return whether another call is the same as this call, or a later call of the same kind."""
        return self.phase == call.phase and self[1:] <= call[1:]


class Group(NamedTuple):
    """Rules that share a probe and therefore a process; if the first group fails, nothing else can be checked."""

    name: str
    codes: tuple[str, ...]
    is_first: bool


class Skip(Exception):  # noqa: N818 - the exception skips a rule and is not an error
    """A rule cannot be checked here; the message is the reason."""


class BudgetSpent(BaseException):
    """The time for the whole check is over; it is a BaseException so that probes and targets do not handle it."""


class Moment(NamedTuple):
    """A call and its time: `phase` is "the import", "the constructor", "reset", "step" or "close".

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
        """The lines of Python that lead to this call, after the lines that create `env`."""
        if self.phase == "close":
            return "env.close()"
        if self.episode is None:
            return ""
        first = f"env.reset(seed={self.seed})"
        if self.phase == "reset" and self.episode == 1:
            return first
        lines = [f"env.action_space.seed({self.seed})", first, "while True:  # until the defect occurs"]
        lines += ["    _, _, terminated, truncated, _ = env.step(env.action_space.sample())"]
        return "\n".join([*lines, "    if terminated or truncated:", "        env.reset()"])


class Died(BaseException):
    """The environment ended its process or tried to.

    It is a BaseException so that `except Exception` does not handle it.
    """

    def __init__(self, message: str, moment: Moment) -> None:
        super().__init__(message)
        self.moment = moment


@dataclass(frozen=True, slots=True)
class Fault:
    """A defect that the function of a rule yields; the engine completes it to a finding.

    Attributes:
        message: a sentence with what was expected and what was seen.
        method: the method at fault; its file and line are looked up.
        show: the lines of the reproducer after the creation of `env` or `space`, or a `Program` that creates them.
        seed, episode, step: when the defect was seen.
        severity: the severity if it differs from the rule's.
        place: (file, line) if it is known more precisely than from the method.
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
"""The result of a rule's function."""


def first_fault(function: Callable[..., Iterable[Fault]]) -> Callable[..., Faults]:
    """Wrap a function so that it ends after its first fault."""

    @functools.wraps(function)
    def first(*arguments: Any) -> Faults:
        return itertools.islice(function(*arguments), 1)

    return first


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that `gymkernel check` checks.

    Attributes:
        code: letters and three digits; "GK" is reserved for gymkernel, and a plugin uses its own letters.
        title: a statement that is true of a good target.
        why: what goes wrong in training if the rule is broken.
        fix: what to change.
        function: a function that is called with the subject and the probe's result; it yields a `Fault` for each
            defect, and may raise `Skip`.
        probe: the use of the target that runs first and is shared by all rules that name it; None for no probe.
        severity: "error", "warning" or "info".
        kind: the kind of target, as in the entry-point groups: "envs", "spaces", ...; "any" for all kinds.
        family: the heading in the report.
        doc: what the rule examines; by default the docstring of the function.
        profile: the fastest profile that includes the rule: "fast", "default" or "thorough".
        compat: the library whose limit the rule states ("sb3", "async"); the rule then runs only on request.
        status: "stable", or "preview" if the findings of the rule may still change.
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
        """Return the rule as shown in a report and by `--list-rules`."""
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
    """Decorate a function to make it a rule; the rule is in profile "fast" if its probe is quick.

    Args:
        code: letters and three digits, by which the rule is selected: "LAB001".
        title: a statement that is true of a sound target, without a period.
        why: what goes wrong for users if the statement is false.
        fix: what to change in this case.
        probe: the use of the target whose result is passed to the function; None if the function needs none.
        severity: the severity of the findings: "error", "warning" or "info".
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions", "plugins"
            or "any".
        family: the heading in the report; by default the heading of the code.
        profile: "fast", "default" or "thorough"; by default it depends on whether the probe is quick.
        compat: the library whose limit the rule states; the rule then runs only with `--compat`.

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
