"""`check`: one target by every rule, in processes of its own or in this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from gymkernel_tool_check import targets
from gymkernel_tool_check.definition import BudgetSpent, Group
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.options import DEFAULT_SEED, DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process.session import Session
from gymkernel_tool_check.records import Collector, Report
from gymkernel_tool_check.targets import Target

__all__ = ["Worker", "check", "report_on", "run"]


class Worker(Protocol):
    """Does the rules for a target: `Execution` in this process, `Session` in processes of its own."""

    def begin(self) -> tuple[Group, ...]:
        """Tell what the target is and which rules there are, and return the rules in groups."""

    def do(self, group: Group, seconds: float) -> str | None:
        """Do one group of rules in so many seconds, and return why it ended before its time, if it did."""

    def close(self) -> None:
        """Leave nothing behind."""


def run(worker: Worker, options: Options, collector: Collector) -> None:
    """Let a worker do one group of rules after the other.

    Args:
        worker: does them.
        options: how thoroughly to look; its budget begins when the target is imported.
        collector: takes what the worker tells, and is concluded.
    """
    try:
        groups = worker.begin()
        deadline = time.perf_counter() + options.budget
        for group in groups:
            try:
                reason = worker.do(group, deadline - time.perf_counter())
            except BudgetSpent:
                collector.skip(group.codes, options.left_out, left_out=True)
                continue
            if reason is not None:
                collector.skip(group.codes, reason)
            if collector.report.failure or (group.is_first and reason is not None):
                break  # every other probe would only die of the same
    finally:
        worker.close()
    if not collector.report.failure:
        collector.conclude()


def report_on(
    target: Any,
    options: Options,
    *,
    expected: Mapping[str, str] | None = None,
    known: Collection[tuple[str, str]] = (),
    other_targets: Collection[str] = (),
    watchers: Sequence[Callable[[Event], None]] = (),
    stop: Any = None,
) -> Report:
    """Check one target, a `Target` by its name in processes of its own, and an object in this process.

    Args:
        target: what to check.
        options: how thoroughly.
        expected: codes of rules that are known to be broken, with the reason.
        known: findings that were there before, as (code, method).
        other_targets: expected codes whose finding another target of the same project has.
        watchers: called with every event as it happens.
        stop: a `threading.Event` that ends the check in processes with `KeyboardInterrupt`.
    """
    report, start = Report(_name(target)), time.perf_counter()
    collector = Collector(report, watchers, expected, known, other_targets)
    run(_worker(target, options, collector, stop), options, collector)
    report.seconds = time.perf_counter() - start
    return report


def _worker(target: Any, options: Options, collector: Collector, stop: Any) -> Worker:
    if isinstance(target, Target):
        return Session(target, options, collector, stop=stop)
    from gymkernel_tool_check import loading  # and NumPy, which a process that only watches can do without
    from gymkernel_tool_check.engine import Execution

    return Execution(loading.adjusted(loading.subject_of(target, options)), collector.feed)


def check(
    target: Any,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    seed: int = DEFAULT_SEED,
    steps: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    measure: bool | None = None,
    watch: Callable[[Event], None] | None = None,
    profile: str = "default",
    compat: Sequence[str] = (),
    single_instance: bool = False,
    nondeterministic: bool = False,
    make_kwargs: Mapping[str, Any] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    budget: float | None = None,
) -> Report:
    """Check one target by every rule.

    Args:
        target: what `gymkernel check` takes (an id, "module:Class", "path.py:Class"), checked in a process of its own;
            or an `EnvSpec`, a class or function that makes an environment, an environment, a space or its class, which
            are checked in this process. Rules that need several instances are skipped where only one exists.
        select: beginnings of the codes to check; all where there are none.
        ignore: beginnings of the codes not to check.
        seed: the seed of resets and of actions.
        steps: how many steps a recorded run takes at most; by default as many as the profile has.
        timeout: seconds that one call into the target may take, in a process of its own.
        measure: whether to measure the speed, which takes a quarter of a second; by default unless it is to be fast.
        watch: called with every event as it happens.
        profile: "fast", "default" or "thorough": the rules that say they need a slower one are left out.
        compat: libraries whose own limits are checked, too: "sb3", "async".
        single_instance: never make a second environment beside another.
        nondeterministic: equal seeds may give different trajectories, whatever the spec says.
        make_kwargs: arguments of whatever makes the environment.
        expected_failures: codes of rules that are known to be broken, with the reason; to those come the ones that the
            class declares as `gymkernel_expected_failures`.
        budget: seconds after which no further call into the target is made; the rules that find the most come first.
            None for no end. A recorded run takes at most a tenth of it, but plays some steps.

    Returns:
        What was found, with the verdict "undecided" where too little was tried to call the target sound.
        `report.raise_for_errors()` makes an exception of findings.
    """
    options = Options.of(
        profile,
        steps=steps,
        select=tuple(select),
        ignore=tuple(ignore),
        seed=seed,
        timeout=timeout,
        measure=measure,
        compat=tuple(compat),
        single_instance=single_instance,
        nondeterministic=nondeterministic,
        make_kwargs=dict(make_kwargs or {}),
        budget=budget,
    )
    if isinstance(target, str):
        expanded = targets.expand(target)
        if len(expanded) != 1:
            names = ", ".join(one.text for one in expanded)
            raise ValueError(f"{target} stands for {len(expanded)} targets; check them one by one: {names}")
        target = expanded[0]
    return report_on(target, options, expected=expected_failures, watchers=[] if watch is None else [watch])


def _name(target: Any) -> str:
    if text := getattr(target, "text", None):
        return str(text)
    spec = getattr(target, "spec", None)
    return str(getattr(target, "id", None) or getattr(spec, "id", None) or getattr(target, "__qualname__", target))
