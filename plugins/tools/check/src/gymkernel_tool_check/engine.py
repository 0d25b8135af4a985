"""`Execution`, which runs groups of rules in the current process."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from gymkernel_tool_check import catalogue, events, installed
from gymkernel_tool_check.definition import BudgetSpent, Died, Fault, Group, Probe, Rule, Skip
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.findings import Finding, death
from gymkernel_tool_check.introspect import asks_for_display, cause_of, innermost, last_line, package_of, read
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.probes.leaks import fast_leak
from gymkernel_tool_check.probes.making import Construction, construct
from gymkernel_tool_check.probes.measure import measure
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.space_instances import quiet, space_instances
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system import processes
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["MEASURE", "Execution", "plan"]

Seen = TypeVar("Seen")
LEAK: Final = "GK951"
MEASURE: Final = "measure"
"""The name of the group that measures the environment's speed. It contains no rules."""
OPENINGS: Final[dict[str, Probe[Any]]] = {"envs": construct, "spaces": space_instances}
"""The probe that must succeed before other rules can be checked, for each kind of target."""


def plan(kind: str, options: Options, *, of_plugin: bool) -> list[Rule]:
    """Return the rules that the options select for a kind of target.

    Args:
        kind: the kind of the target.
        options: the options of the check.
        of_plugin: whether an entry point provides the target. If so, the rules for plugins apply as well.
    """
    found = [rule for rule in catalogue.rules(kind) if rule.kind != "plugins" or of_plugin]
    return catalogue.chosen(found, options)


class Execution:
    """A worker that runs rules in the current process.

    Args:
        subject: the target and its instances.
        emit: a function that is called with every event as it happens.
    """

    def __init__(self, subject: Subject, emit: Callable[[Event], None]) -> None:
        self.subject, self.emit = subject, emit
        self._groups: dict[str, list[Rule]] = {}

    def begin(self) -> tuple[Group, ...]:
        """Report the target and its rules, and return the rules grouped by probe.

        The first group creates the target. The other groups are sorted by code, which puts the rules that matter to
        most users first. Slow groups that rarely find a defect come last. If there is too little time, the most useful
        rules are therefore checked first.
        """
        subject, options = self.subject, self.subject.options
        rules = plan(subject.kind, options, of_plugin=subject.plugin is not None)
        opening = OPENINGS[subject.kind].name if subject.kind in OPENINGS else ""
        self._groups = {opening: []} if opening else {}
        for rule in sorted(rules, key=lambda rule: rule.probe is not None and Probe.of(rule.probe).last):
            if rule.code not in catalogue.LAST:
                name = rule.code if rule.probe is None else Probe.of(rule.probe).name
                self._groups.setdefault(name, []).append(rule)
        if subject.kind == "envs" and options.measure:
            self._groups[MEASURE] = []
        self.emit(events.Found(subject.found))
        self.emit(events.Planned(tuple(rule.describe() for rule in rules)))
        self.emit(subject.declared)
        groups = self._groups.items()
        return tuple(Group(name, tuple(rule.code for rule in rules), name == opening) for name, rules in groups)

    def do(self, group: Group, seconds: float) -> None:
        """Run one group of rules.

        Args:
            group: a group that `begin` returned.
            seconds: the time left for the check, in seconds. When the time is up, the target is no longer called.
        """
        subject, emit = self.subject, self.emit
        subject.check_deadline = time.perf_counter() + seconds
        with contextlib.suppress(BudgetSpent):
            if group.is_first and not _describe(subject, emit):
                return
        for rule in self._groups[group.name]:
            emit(events.RuleBegan(rule.code))
            emit(_outcome(rule, subject, emit))
        with contextlib.suppress(BudgetSpent):
            if group.name == MEASURE and not subject.known.dead:
                emit(events.Measured(measure(subject)))
        if group.name == rollout.name:
            self._report_run()
        emit(events.Tried(subject.counts))
        subject.counts = {}

    def _report_run(self) -> None:
        """Report whether the recorded run was cut short for lack of time, and whether it leaked memory quickly."""
        trace, _ = self.subject.seen.get(rollout.function, (None, None))
        if trace is None:
            return
        if trace.is_short:
            self.emit(events.CutShort(len(trace.steps)))
        rule = next((rule for several in self._groups.values() for rule in several if rule.code == LEAK), None)
        if trace.leak and rule is not None:  # GK951's own probe runs many episodes, which may take too long
            self.emit(events.RuleDone(rule.code, findings=(_finding(rule, self.subject, fast_leak(trace)),)))

    def close(self) -> None:
        """Close all environments that were created, even if the time is up."""
        self.subject.check_deadline = math.inf
        self.subject.close()


def _outcome(rule: Rule, subject: Subject, emit: Callable[[Event], None]) -> events.RuleDone:
    """Run one rule and return its outcome."""
    start = time.perf_counter()
    findings: tuple[Finding, ...] = ()
    reason = ""
    try:
        seen = None if rule.probe is None else subject.get(rule.probe)
        findings = tuple(_finding(rule, subject, fault) for fault in rule.function(subject, seen))
    except Skip as skip:
        reason = str(skip)
    except BudgetSpent:
        return events.RuleDone(rule.code, subject.options.left_out, left_out=True)
    except Died as died:
        reason = f"{died} (GK003)"
        emit(_death_of(subject, died))
    except Exception as exc:  # noqa: BLE001 - a third-party rule may raise any exception
        if cause := cause_of(exc, subject.first):
            reason = f"reading {cause} of the environment raises {error_text(exc)} (GK007)"
        else:
            reason = "the rule failed (GK005)"
            file, line = last_line(exc) or (None, None)
            message = f"{rule.code} ({rule.title}) raised {error_text(exc)}"
            emit(events.RuleCrashed(Finding("GK005", "info", message, file, line)))
    return events.RuleDone(rule.code, reason, findings, round(time.perf_counter() - start, 6))


def _finding(rule: Rule, subject: Subject, fault: Fault) -> Finding:
    file, line = fault.place or subject.where(fault.method) or (None, None)
    severity = fault.severity or rule.severity
    program = subject.reproduce(fault.show) if fault.show or subject.kind in {"envs", "spaces"} else ""
    where = (fault.method, fault.seed, fault.episode, fault.step)
    return Finding(rule.code, severity, fault.message, file, line, *where, reproducer=program)


def _describe(subject: Subject, emit: Callable[[Event], None]) -> bool:
    if subject.kind == "envs":
        made = _get(subject, construct, emit) or Construction()
        env, error = made.env, made.error
        reason = _needs_display(error) if env is None else _is_something_else(env)
        if reason:
            emit(events.Failed(f"{subject.name} is not checked: {reason}"))
            return False
        emit(events.Made({} if env is None else _describe_env(subject, env)))
    elif subject.kind == "spaces":
        emit(events.Made(_describe_spaces(subject, emit)))
    emit(subject.declared)
    return True


def _death_of(subject: Subject, died: Died) -> events.Died:
    place = last_line(died.__cause__ or died)
    return events.Died(death(died.moment, str(died), place, str(subject.recipe)))


def _is_something_else(env: Any) -> str:
    """Return the reason why an object is not a single environment, or "" if the object is a single environment."""
    name = type(env).__name__
    if read(env, "reset") is None and read(env, "step") is None:
        return f"it is not an environment but a {name}, which has neither reset nor step"
    many = all(read(env, part) is not None for part in ("num_envs", "single_action_space"))
    if many or all(callable(read(env, part)) for part in ("send", "recv", "step", "reset")):
        return f"it is a vector environment ({name}), but these rules are about single environments"
    return ""


def _needs_display(exc: BaseException | None) -> str:
    """Return the reason if an exception was caused by a missing display, or "" if it had another cause."""
    return "" if exc is None or processes.has_display() else asks_for_display(exc)


def _get(subject: Subject, probe: Callable[[Subject], Seen], emit: Callable[[Event], None]) -> Seen | None:
    """Return the result of a probe, or None if the probe could not run."""
    with contextlib.suppress(Skip):
        try:
            return subject.get(probe)
        except Died as died:
            emit(_death_of(subject, died))
    return None


def _describe_env(subject: Subject, env: Any) -> dict[str, Any]:
    inner, wrappers, layer = innermost(env), [], env
    while layer is not read(env, "unwrapped", env) and read(layer, "env") is not None:
        wrappers.append(type(layer).__name__)
        layer = layer.env
    file, line = subject.where("class") or (None, None)
    spaces = {name: short(read(env, name), 10_000) for name in ("observation_space", "action_space")}
    cls = f"{read(type(inner), '__module__')}:{type(inner).__qualname__}"
    limit = read(read(env, "spec"), "max_episode_steps")
    package = package_of(type(inner))
    version = None if "distribution" in subject.found else installed.version(package)
    provided = {} if version is None else {"distribution": installed.normalize(package), "version": version}
    found = {**provided, "class": cls, "file": file, "line": line, "wrappers": wrappers, "max_episode_steps": limit}
    return {**found, **spaces, "numpy": np.__version__}


def _describe_spaces(subject: Subject, emit: Callable[[Event], None]) -> dict[str, Any]:
    tried = _get(subject, space_instances, emit)
    if tried is None:
        return {}
    spaces, shown = tried.spaces, []
    for space in spaces:
        with contextlib.suppress(Exception), quiet():  # reported by GK724
            shown.append(short(space))
    file, line = subject.where("class") or (None, None)
    cls = type(spaces[0]) if spaces else subject.object
    name = f"{cls.__module__}:{cls.__qualname__}"
    return {"class": name, "file": file, "line": line, "spaces": shown, "numpy": np.__version__}
