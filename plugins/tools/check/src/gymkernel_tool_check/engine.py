"""Running rules in this process: whatever they find, with events for whoever watches."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import numpy as np

from gymkernel_tool_check import catalogue, events, installed
from gymkernel_tool_check.attributes import cause_of
from gymkernel_tool_check.definition import BudgetSpent, Died, Fault, Probe, Rule, Skip
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.findings import Finding, death
from gymkernel_tool_check.introspect import asks_for_display, innermost, package_of, read
from gymkernel_tool_check.probes.making import Construction, construct
from gymkernel_tool_check.probes.measure import measure
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.space_instances import quiet, space_instances
from gymkernel_tool_check.rules.making import last_line
from gymkernel_tool_check.rules.resources import fast_leak
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system import processes
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["MEASURE", "groups", "opening", "plan", "run", "work"]

Seen = TypeVar("Seen")
LEAK: Final = "GK951"
MEASURE: Final = "measure"
"""The group that has no rules: how fast the environment is."""


def plan(subject: Subject) -> list[Rule]:
    """The rules for a subject, as chosen by its options."""
    found = [one for one in catalogue.rules(subject.kind) if one.kind != "plugins" or subject.plugin is not None]
    options = subject.options
    return catalogue.chosen(found, options.select, options.ignore, options.profile, options.compat)


def groups(subject: Subject, rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """The rules that one process checks together: those of one probe, by its name; the one that makes it first.

    They are in the order in which a limited time is best spent: by code, which is from what every use of the target
    meets to what few do, and then what costs much for what it finds.
    """
    found: dict[str, list[Rule]] = {name: [] for name in [opening(subject)] if name}
    for one in sorted(rules, key=lambda rule: rule.probe is not None and Probe.of(rule.probe).last):
        if one.code not in catalogue.LAST:
            found.setdefault(one.code if one.probe is None else Probe.of(one.probe).name, []).append(one)
    if subject.kind == "envs" and subject.options.measure:
        found[MEASURE] = []
    return found


def opening(subject: Subject) -> str:
    """The name of the probe without which there is nothing to check; empty where there is none."""
    probes: dict[str, Probe[Any]] = {"envs": construct, "spaces": space_instances}
    return probes[subject.kind].name if subject.kind in probes else ""


def work(subject: Subject, group: str, emit: Callable[[Event], None]) -> None:
    """Do one group of rules, in a process that does nothing else."""
    with contextlib.suppress(BudgetSpent):
        if group == opening(subject) and not _describe(subject, emit):
            return
    for rule in groups(subject, plan(subject)).get(group, ()):
        emit(events.RuleBegan(rule.code))
        emit(_outcome(rule, subject, emit))
    _measure(group, subject, emit)
    _tell_of_run(group, subject, emit)
    emit(events.Tried(subject.calls.counts))


def run(subject: Subject, emit: Callable[[Event], None]) -> None:
    """Do every rule in this process, and measure."""
    subject.calls.deadline = time.perf_counter() + subject.options.budget
    rules = plan(subject)
    emit(events.Found(subject.found))
    emit(events.Planned(tuple(one.describe() for one in rules)))
    go_on = True
    with contextlib.suppress(BudgetSpent):
        go_on = _describe(subject, emit)
    for name, group in groups(subject, rules).items() if go_on else ():
        for rule in group:
            emit(events.RuleBegan(rule.code))
            emit(_outcome(rule, subject, emit))
        _measure(name, subject, emit)
        _tell_of_run(name, subject, emit)
    if go_on and subject.kind == "envs":
        emit(events.Tried(subject.calls.counts))
    subject.calls.deadline = math.inf  # what was made is closed all the same
    subject.close()


def _measure(group: str, subject: Subject, emit: Callable[[Event], None]) -> None:
    """Measure the speed if the group is there for that."""
    if group == MEASURE and not subject.probe_cache.dead:
        with contextlib.suppress(BudgetSpent):
            emit(events.Measured(measure(subject)))


def _tell_of_run(group: str, subject: Subject, emit: Callable[[Event], None]) -> None:
    """Report of the run which most rules look at that it has few steps for want of time, and that the steps leak."""
    recorded = Probe.of(rollout)
    trace, _ = subject.probe_cache.seen.get(recorded.function, (None, None))
    if group != recorded.name or trace is None:
        return
    if trace.is_short:
        emit(events.CutShort(len(trace.steps)))
    rule = next((one for one in plan(subject) if one.code == LEAK), None)
    if trace.leak and rule is not None:  # there may never be time for the many episodes that it looks at otherwise
        emit(events.RuleDone(rule.code, findings=(_finding(rule, subject, fast_leak(trace)),)))


def _outcome(rule: Rule, subject: Subject, emit: Callable[[Event], None]) -> events.RuleDone:
    """What came of one rule."""
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
    except Exception as exc:  # noqa: BLE001 - a rule is code, too, and may be somebody else's
        if cause := cause_of(exc, subject.instances.first):
            return _unreadable(rule, cause, exc, start)
        reason = "the rule failed (GK005)"
        file, line = last_line(exc) or (None, None)
        message = f"{rule.code} ({rule.title}) raised {error_text(exc)}"
        emit(events.RuleCrashed(Finding("GK005", "info", message, file, line)))
    return events.RuleDone(rule.code, reason, findings, round(time.perf_counter() - start, 6))


def _unreadable(rule: Rule, name: str, exc: Exception, start: float) -> events.RuleDone:
    """What comes of a rule that failed because an attribute of the environment raises: the fault is not the rule's."""
    reason = f"reading {name} of the environment raises {error_text(exc)} (GK007)"
    return events.RuleDone(rule.code, reason, (), round(time.perf_counter() - start, 6))


def _finding(rule: Rule, subject: Subject, fault: Fault) -> Finding:
    file, line = fault.place or subject.where(fault.method) or (None, None)
    severity = fault.severity or rule.severity
    program = subject.reproduce(fault.show) if fault.show or subject.kind in {"envs", "spaces"} else ""
    where = (fault.method, fault.seed, fault.episode, fault.step)
    return Finding(rule.code, severity, fault.message, file, line, *where, reproducer=program)


def _describe(subject: Subject, emit: Callable[[Event], None]) -> bool:
    """Say what the target is once it is made, and which failures its classes declare; False where it is none."""
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
    emit(events.Declared(subject.declared))
    return True


def _death_of(subject: Subject, died: Died) -> events.Died:
    """The event of a target that tried to end the process, where that could be held up."""
    place = last_line(died.__cause__ or died)
    return events.Died(death(died.moment, str(died), place, str(subject.recipe)))


def _is_something_else(env: Any) -> str:
    """What it is, where it is no environment, or many; empty where it can be checked as one."""
    name = type(env).__name__
    if read(env, "reset") is None and read(env, "step") is None:
        return f"it is no environment but a {name}, which has neither reset nor step"
    many = all(read(env, part) is not None for part in ("num_envs", "single_action_space"))
    if many or all(callable(read(env, part)) for part in ("send", "recv", "step", "reset")):
        return f"it is a vector environment ({name}), and the rules for environments are about a single one"
    return ""


def _needs_display(exc: BaseException | None) -> str:
    """Why it cannot be made on this machine, which has no display; empty where that is not the reason."""
    return "" if exc is None or processes.has_display() else asks_for_display(exc)


def _get(subject: Subject, probe: Callable[[Subject], Seen], emit: Callable[[Event], None]) -> Seen | None:
    """What a probe saw; None where it could not run."""
    try:
        return subject.get(probe)
    except Died as died:
        emit(_death_of(subject, died))
    except Skip:
        pass
    return None


def _describe_env(subject: Subject, env: Any) -> dict[str, Any]:
    """What the environment turns out to be, once it is made."""
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
    """Which spaces are tried."""
    tried = _get(subject, space_instances, emit)
    if tried is None:
        return {}
    spaces, shown = tried.spaces, []
    for space in spaces:
        with contextlib.suppress(Exception), quiet():  # GK724 tells of it
            shown.append(short(space))
    file, line = subject.where("class") or (None, None)
    cls = type(spaces[0]) if spaces else subject.object
    name = f"{cls.__module__}:{cls.__qualname__}"
    return {"class": name, "file": file, "line": line, "spaces": shown, "numpy": np.__version__}
