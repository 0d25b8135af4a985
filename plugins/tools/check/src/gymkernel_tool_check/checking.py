"""The functions that check a target with all rules, either in separate processes or in the current process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gymkernel_tool_check import targets
from gymkernel_tool_check.definition import BudgetSpent
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.options import DEFAULT_SEED, DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process.session import Session
from gymkernel_tool_check.records import Collector, Report
from gymkernel_tool_check.targets import Target

if TYPE_CHECKING:
    from gymkernel_tool_check.engine import Execution

__all__ = ["check", "report_on", "run"]


def run(worker: Execution | Session, options: Options, collector: Collector) -> None:
    """Run all groups of rules one after another, and then close the worker.

    Args:
        worker: the worker that runs the rules: an `Execution` in this process, or a `Session` in other processes.
        options: the options of the check. The budget does not include the time for importing the target.
        collector: the object that receives the worker's events.
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
                break  # every other probe would fail for the same reason
    finally:
        worker.close()
    if not collector.report.failure:
        collector.conclude()


def report_on(target: Any, options: Options, collector: Collector, stop: Any = None) -> Report:
    """Check one target. A `Target` is checked in separate processes, any other object in the current process.

    Args:
        target: a `Target`, an environment, a space, a class or another object.
        options: the options of the check.
        collector: the object that receives all events and fills the report.
        stop: a `threading.Event`. When it is set, a check in separate processes raises `KeyboardInterrupt`.
    """
    start = time.perf_counter()
    run(_worker(target, options, collector, stop), options, collector)
    collector.report.seconds = time.perf_counter() - start
    return collector.report


def _worker(target: Any, options: Options, collector: Collector, stop: Any) -> Execution | Session:
    if isinstance(target, Target):
        return Session(target, options, collector, stop=stop)
    from gymkernel_tool_check import loading  # this import loads NumPy, which is not needed to watch other processes
    from gymkernel_tool_check.engine import Execution

    return Execution(loading.load(target, options), collector.feed)


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
    """Check a single target with all rules.

    Args:
        target: the name of a target, as accepted by `gymkernel check` (an id, "module:Class" or "path.py:Class"), or an
            object. A name is checked in separate processes and an object in the current process. The object can be an
            `EnvSpec`, a class or function that creates an environment, an environment, a space or a space class. If it
            is an existing environment, rules that need several instances are skipped.
        select: prefixes of the codes of rules to check; empty to check all rules.
        ignore: prefixes of the codes of rules not to check.
        seed: the seed of the resets and actions.
        steps: the maximum number of steps in a recorded run; None to use the number that the profile sets.
        timeout: the maximum duration of a single call to the target in seconds, if the target runs in a separate
            process.
        measure: whether to measure the environment's speed, which takes a quarter of a second; None to measure it
            unless the profile is "fast".
        watch: a function that is called with every event as it happens.
        profile: "fast", "default" or "thorough". Rules of slower profiles are left out.
        compat: other libraries whose restrictions the check enforces ("sb3" or "async").
        single_instance: whether to avoid creating a second environment while one exists.
        nondeterministic: whether equal seeds may give different trajectories, even if the spec says otherwise.
        make_kwargs: keyword arguments for creating the environment.
        expected_failures: the rules that are known to be broken, as a dictionary from codes to reasons. These rules are
            added to the expected failures that the class declares as `gymkernel_expected_failures`.
        budget: the maximum duration of the check in seconds; None for no limit. When the time is up, the target is no
            longer called. The rules that find the most defects run first. A recorded run uses at most a tenth of the
            budget, but always takes some steps.

    Returns:
        The report. Its verdict is "undecided" if no defect was found but too few rules could run.
        `report.raise_for_errors()` raises an exception if there are findings of severity error.
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
            names = ", ".join(part.text for part in expanded)
            raise ValueError(f"{target} matches {len(expanded)} targets; check each of them separately: {names}")
        target = expanded[0]
    collector = Collector(Report(_name(target)), [] if watch is None else [watch], expected_failures)
    return report_on(target, options, collector)


def _name(target: Any) -> str:
    if text := getattr(target, "text", None):
        return str(text)
    spec = getattr(target, "spec", None)
    return str(getattr(target, "id", None) or getattr(spec, "id", None) or getattr(target, "__qualname__", target))
