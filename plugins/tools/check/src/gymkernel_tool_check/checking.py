"""`check`: one target by every rule, in processes of its own or in this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gymkernel_tool_check import engine, loading, targets
from gymkernel_tool_check.collector import Collector
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.options import DEFAULT_SEED, DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process.session import run_isolated
from gymkernel_tool_check.records import Report

__all__ = ["check"]


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
            are checked in this process. Rules that need several instances are skipped where there is but one.
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
    report = Report(_name(target))
    start = time.perf_counter()

    def take(event: Event) -> None:
        report.take(event)
        if watch is not None:
            watch(event)

    collector = Collector(take, expected_failures)
    if isinstance(target, str | targets.Target):
        expanded = targets.expand(target) if isinstance(target, str) else [target]
        if len(expanded) != 1:
            names = ", ".join(one.text for one in expanded)
            raise ValueError(f"{target} stands for {len(expanded)} targets; check them one by one: {names}")
        run_isolated(expanded[0], options, collector)
    else:
        subject = loading.adjusted(loading.subject_of(target, options))
        engine.run(subject, collector.feed)
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
