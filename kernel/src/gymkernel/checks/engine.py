"""Running rules: all of them, whatever they find, with events for whoever watches."""

from __future__ import annotations

import contextlib
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gymkernel.checks import catalogue
from gymkernel.checks.compare import short
from gymkernel.checks.definition import Died, Skip
from gymkernel.checks.families.making import last_line
from gymkernel.checks.records import Finding, Report
from gymkernel.checks.subject import DEFAULT_SEED, DEFAULT_STEPS, DEFAULT_TIMEOUT, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gymkernel.checks.definition import Fault, Moment, Rule
    from gymkernel.checks.records import Event
    from gymkernel.checks.subject import Subject

__all__ = ["Collector", "check", "death", "run"]


def check(
    target: Any,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    seed: int = DEFAULT_SEED,
    steps: int = DEFAULT_STEPS,
    timeout: float = DEFAULT_TIMEOUT,
    measure: bool = True,
    watch: Callable[[Event], None] | None = None,
) -> Report:
    """Check one target by every rule.

    Args:
        target: what `gymkernel check` takes (an id, "module:Class", "path.py:Class"), checked in a process of its own;
            or an `EnvSpec`, a class or function that makes an environment, an environment, a space or its class, which
            are checked in this process. Rules that need several instances are skipped where there is but one.
        select: beginnings of the codes to check; all where there are none.
        ignore: beginnings of the codes not to check.
        seed: the seed of resets and of actions.
        steps: how many steps a recorded run takes at most.
        timeout: seconds that one call into the target may take, in a process of its own.
        measure: whether to measure the speed, which takes a quarter of a second.
        watch: called with every event as it happens.

    Returns:
        What was found; `report.raise_for_errors()` makes an exception of it.
    """
    from gymkernel.checks import loading, targets

    options = Options(tuple(select), tuple(ignore), seed, steps, timeout, measure=measure)
    report = Report(_name(target))
    start = time.perf_counter()

    def take(event: Event) -> None:
        report.take(event)
        if watch is not None:
            watch(event)

    if isinstance(target, str | targets.Target):
        from gymkernel.checks.isolation import run_isolated

        expanded = targets.expand(target) if isinstance(target, str) else [target]
        if len(expanded) != 1:
            names = ", ".join(one.text for one in expanded)
            message = f"{target} stands for {len(expanded)} targets; check them one by one: {names}"
            raise ValueError(message)
        run_isolated(expanded[0], options, take)
    else:
        collector = Collector(take)
        subject = loading.subject_of(target, options)
        run(subject, collector.feed)
        collector.conclude()
    report.seconds = time.perf_counter() - start
    return report


def _name(target: Any) -> str:
    if isinstance(target, str):
        return target
    if text := getattr(target, "text", None):
        return str(text)
    spec = getattr(target, "spec", None)
    return str(getattr(target, "id", None) or getattr(spec, "id", None) or getattr(target, "__qualname__", target))


def run(subject: Subject, emit: Callable[[Event], None], done: Iterable[str] = ()) -> None:
    """Run every rule that is not done yet, and measure."""
    found = [one for one in catalogue.rules(subject.kind) if one.kind != "plugins" or subject.plugin is not None]
    rules = catalogue.chosen(found, subject.options.select, subject.options.ignore)
    emit({"event": "found", **subject.found})
    emit({"event": "plan", "rules": [one.describe() for one in rules]})
    if subject.kind == "envs":
        emit({"event": "made", **_describe(subject, emit)})
    elif subject.kind == "spaces":
        emit({"event": "made", **_describe_spaces(subject, emit)})
    for rule in rules:
        if rule.code not in done and rule.code not in catalogue.LAST:
            emit({"event": "rule", "code": rule.code})
            emit(_outcome(rule, subject, emit))
    if subject.kind == "envs":
        emit({"event": "tried", **subject.calls})
        if subject.options.measure and not subject.dead:
            from gymkernel.checks.measure import measure

            emit({"event": "measured", **measure(subject)})
    subject.close()


def _outcome(rule: Rule, subject: Subject, emit: Callable[[Event], None]) -> Event:
    """What came of one rule."""
    start = time.perf_counter()
    findings: list[Finding] = []
    reason = ""
    try:
        seen = None if rule.probe is None else subject.get(rule.probe)
        findings = [_finding(rule, subject, fault) for fault in rule.function(subject, seen)]
    except Skip as skip:
        reason = str(skip)
    except Died as died:
        reason = f"{died} (GK003)"
        emit(_death(subject, died))
    except Exception as exc:  # noqa: BLE001 - a rule is code, too, and may be somebody else's
        reason = "the rule failed (GK005)"
        file, line = last_line(exc) or (None, None)
        message = f"{rule.code} ({rule.title}) raised {type(exc).__name__}: {exc}"
        emit({"event": "crashed", "finding": asdict(Finding("GK005", "error", message, file, line))})
    seconds = time.perf_counter() - start
    return {
        "event": "done",
        "code": rule.code,
        "reason": reason,
        "findings": [asdict(one) for one in findings],
        "seconds": round(seconds, 6),
    }


def _finding(rule: Rule, subject: Subject, fault: Fault) -> Finding:
    file, line = fault.place or subject.where(fault.method) or (None, None)
    severity = fault.severity or rule.severity
    program = subject.reproduce(fault.show) if subject.kind in {"envs", "spaces"} else ""
    where = (fault.method, fault.seed, fault.episode, fault.step)
    return Finding(rule.code, severity, fault.message, file, line, *where, reproducer=program)


def death(moment: Moment, message: str, place: tuple[str, int] | None, recipe: str) -> Finding:
    """The finding of a process that ended before its time."""
    file, line = place or (None, None)
    program = f"{recipe}\n{moment.show}".rstrip() if recipe else ""
    when = moment.seed, moment.episode, moment.step
    return Finding("GK003", "error", f"{message}{moment}", file, line, moment.phase, *when, reproducer=program)


def _death(subject: Subject, died: Died) -> Event:
    place = last_line(died.__cause__ or died)
    return {"event": "died", "finding": asdict(death(died.moment, str(died), place, subject.recipe))}


def _describe(subject: Subject, emit: Callable[[Event], None]) -> dict[str, Any]:
    """What the environment turns out to be, once it is made."""
    import numpy as np

    from gymkernel.checks.probes import construct

    try:
        made = subject.get(construct)
    except Died as died:
        emit(_death(subject, died))
        return {}
    except Skip:
        return {}
    env = made.env
    if env is None:
        return {}
    inner, wrappers, layer = getattr(env, "unwrapped", env), [], env
    while layer is not inner and hasattr(layer, "env"):
        wrappers.append(type(layer).__name__)
        layer = layer.env
    file, line = subject.where("class") or (None, None)
    spaces = {name: " ".join(repr(getattr(env, name, None)).split()) for name in ("observation_space", "action_space")}
    cls = f"{type(inner).__module__}:{type(inner).__qualname__}"
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    return {
        "class": cls,
        "file": file,
        "line": line,
        "wrappers": wrappers,
        "max_episode_steps": limit,
        **spaces,
        "numpy": np.__version__,
    }


def _describe_spaces(subject: Subject, emit: Callable[[Event], None]) -> dict[str, Any]:
    """Which spaces are tried."""
    import numpy as np

    from gymkernel.checks.laws import quiet, specimens

    try:
        spaces = subject.get(specimens).spaces
    except Died as died:
        emit(_death(subject, died))
        return {}
    except Skip:
        return {}
    shown = []
    for space in spaces:
        with contextlib.suppress(Exception), quiet():  # GK724 tells of it
            shown.append(short(space))
    file, line = subject.where("class") or (None, None)
    cls = type(spaces[0]) if spaces else subject.object
    name = f"{cls.__module__}:{cls.__qualname__}"
    return {"class": name, "file": file, "line": line, "spaces": shown, "numpy": np.__version__}


class Collector:
    """Keeps what several processes of one check tell, and says at the end what only then is known.

    Args:
        emit: called with the events of the check as a whole.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.emit = emit
        self.planned: list[str] = []
        self.done: set[str] = set()
        self.failed = False
        self._told: dict[str, list[dict[str, Any]]] = {"GK003": [], "GK005": []}

    def feed(self, event: Event) -> None:
        """Take an event of a run; what belongs to the check as a whole is passed on once."""
        match event["event"]:
            case "plan":
                if self.planned:
                    return
                self.planned = [one["code"] for one in event["rules"]]
            case "found" if self.planned:
                return
            case "done":
                self.done.add(event["code"])
            case "died":
                known = {_cause(one) for one in self._told["GK003"]}
                if _cause(event["finding"]) not in known:  # the first is enough
                    self._told["GK003"].append(event["finding"])
                return
            case "crashed":
                self._told["GK005"].append(event["finding"])
                return
            case "failure":
                self.failed = True
        self.emit(event)

    def conclude(self) -> None:
        """Tell of the rules that nobody came to, and of GK003 and GK005."""
        for code in self.planned:
            if code not in self.done and code not in self._told:
                self._emit_done(code, "the check could not go on (GK003)", [])
        for code, findings in self._told.items():
            if code in self.planned or findings:
                self._emit_done(code, "", findings)

    def _emit_done(self, code: str, reason: str, findings: list[dict[str, Any]]) -> None:
        self.emit({"event": "rule", "code": code})
        self.emit({"event": "done", "code": code, "reason": reason, "findings": findings, "seconds": 0.0})


def _cause(finding: dict[str, Any]) -> tuple[Any, ...]:
    """What two deaths have in common that are one defect."""
    return finding["message"].partition(" at ")[0].partition(" (seed")[0], finding["file"], finding["line"]
