"""The classes and decorators with which rules and probes are written."""

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
    """An experiment on a target. A probe runs once per check, and its result is passed to all rules that use it.

    Attributes:
        function: the function that performs the experiment. It is called with the subject, and its result is passed
            to the rules.
        quick: whether rules that use this probe belong to the "fast" profile by default. A quick probe creates only one
            instance of the target.
        typical: whether the probe starts with the calls that every user makes, so that a hang in one of these calls
            would also occur in other probes.
        last: whether the probe runs after all other probes because it is slow and rarely finds a defect.
    """

    function: Callable[[Subject], Seen]
    quick: bool = False
    typical: bool = False
    last: bool = False

    @classmethod
    def of(cls, function: Callable[[Subject], Seen]) -> Probe[Seen]:
        """Wrap a plain function in a probe with default attributes. A probe is returned unchanged.

        Args:
            function: a plain function or a probe.
        """
        return function if isinstance(function, Probe) else cls(function)

    @property
    def name(self) -> str:
        """The function's qualified name, which identifies the probe in every process."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def __call__(self, subject: Subject) -> Seen:
        """Run the probe, even if it has already run. Use `subject.get` to run it only once."""
        return self.function(subject)


def probe(
    *, quick: bool = False, typical: bool = False, last: bool = False
) -> Callable[[Callable[[Subject], Seen]], Probe[Seen]]:
    """Turn the decorated function into a probe. `Probe` describes the arguments in more detail.

    Args:
        quick: whether the probe is so fast that rules that use it belong to the "fast" profile.
        typical: whether the probe starts with the calls that every user of a target makes.
        last: whether the probe runs after all other probes, because it is slow.

    >>> @probe(quick=True)
    ... def names(subject):
    ...     return dir(subject.env())
    >>> names.quick, names.typical
    (True, False)
    """
    return functools.partial(Probe, quick=quick, typical=typical, last=last)


class Hang(NamedTuple):
    """A call to the target that did not return.

    >>> Hang("step", 1, 4).covers(Hang("step", 2, 0)), Hang("step", 1, 4).covers(Hang("step", 1, 3))
    (True, False)
    """

    phase: str
    episode: int | None
    step: int | None

    @property
    def is_early(self) -> bool:
        """Whether the call was made in the first episode of a run, or was the second reset."""
        known = self.episode is not None and self.step is not None
        return known and (self.phase, self.episode) in {("reset", 1), ("reset", 2), ("step", 1)}

    def covers(self, call: Hang) -> bool:
        """Return whether another call is the same call or a later call of the same method."""
        return self.phase == call.phase and self[1:] <= call[1:]


class Group(NamedTuple):
    """A group of rules that share a probe and therefore run in the same process.

    Attributes:
        name: the name of the probe, or the code of a rule without a probe.
        codes: the codes of the rules.
        is_first: whether this group creates the target. If this group fails, no other group can run.
    """

    name: str
    codes: tuple[str, ...]
    is_first: bool


class Skip(Exception):  # noqa: N818 - skipping a rule is not an error
    """Raised if a rule or a probe cannot run for this target. The message is the reason."""


class BudgetSpent(BaseException):
    """Raised if the time budget of the check is spent.

    The class derives from BaseException so that `except Exception` in a probe or target does not catch it.
    """


class Moment(NamedTuple):
    """A call to the target, and when it was made.

    Attributes:
        phase: what was called, for example "the import", "the constructor", "reset", "step" or "close".
        seed, episode, step: the seed of the run, and the numbers of the episode and the step; None outside of a run.

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
        """The lines of Python that lead to this call, given a new environment `env`."""
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
    """Raised if the environment exits its process or tries to exit it.

    The class derives from BaseException so that `except Exception` does not catch it.
    """

    def __init__(self, message: str, moment: Moment) -> None:
        super().__init__(message)
        self.moment = moment


@dataclass(frozen=True, slots=True)
class Fault:
    """A defect that a rule reports. The engine turns it into a `Finding`.

    Attributes:
        message: a sentence that says what was expected and what was observed.
        method: the name of the method at fault, whose file and line the engine looks up.
        show: the lines of Python that reproduce the defect once `env` or `space` has been created, or a complete
            `Program` that creates its own objects.
        seed, episode, step: when the defect was observed. Each is None if it is unknown.
        severity: the severity of this defect, or None to use the rule's severity.
        place: the (file, line) of the defect, or None to use the source of the method.
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
"""The return type of a rule's function."""


def first_fault(function: Callable[..., Iterable[Fault]]) -> Callable[..., Faults]:
    """Wrap a rule's function so that the function stops after its first fault."""

    @functools.wraps(function)
    def first(*arguments: Any) -> Faults:
        return itertools.islice(function(*arguments), 1)

    return first


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement that `gymkernel check` enforces.

    Attributes:
        code: the code of the rule: letters and three digits. The letters "GK" are reserved for gymkernel.
        title: a statement that is true for a correct target.
        why: what can go wrong in training if the target breaks the rule.
        fix: what the author of the target should change.
        function: the function that checks the rule. It is called with the subject and the probe's result, yields a
            `Fault` for each defect, and may raise `Skip`.
        probe: the experiment whose result the function examines, or None if no experiment is needed. It runs only once,
            even if several rules use it.
        severity: "error", "warning" or "info".
        kind: the kind of target that the rule checks, such as "envs" or "spaces", or "any" for all kinds.
        family: the heading under which reports list the rule.
        doc: what the rule examines, or "" to use the docstring of the function.
        profile: the fastest profile that includes the rule: "fast", "default" or "thorough".
        compat: the library ("sb3" or "async") whose restriction the rule enforces. Such a rule runs only with
            `--compat` or if its code is selected.
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
        """The family, or "more rules" if the rule has no family."""
        return self.family or "more rules"

    def describe(self) -> dict[str, str]:
        """Return the fields of the rule that appear in reports and in `--list-rules`."""
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
    """Turn the decorated function into a rule.

    Args:
        code: letters and three digits, such as "LAB001". Users select the rule by this code.
        title: a statement that is true for a correct target, without a full stop.
        why: what can go wrong if the target breaks the rule.
        fix: what the author of the target should change.
        probe: the experiment whose result is passed to the function; None if the function needs no experiment.
        severity: the severity of the findings: "error", "warning" or "info".
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions", "plugins"
            or "any".
        family: the heading under which reports list the rule; "" for the heading "more rules".
        profile: the fastest profile that includes the rule: "fast", "default" or "thorough". By default, it is "fast"
            if the probe is quick, and otherwise "default".
        compat: the library whose restriction the rule enforces. Such a rule runs only with `--compat` or if its code is
            selected.

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
