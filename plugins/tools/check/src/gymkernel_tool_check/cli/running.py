"""The code behind `gymkernel check`, which checks the targets, shows the progress and writes the report."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import click

from gymkernel import error
from gymkernel.cli.terminal import Terminal, echo
from gymkernel_tool_check import project, targets
from gymkernel_tool_check.checking import report_on
from gymkernel_tool_check.cli.formats import render
from gymkernel_tool_check.cli.overview import Overview, show_matrix, show_summary
from gymkernel_tool_check.cli.progress import Progress
from gymkernel_tool_check.cli.reproducing import verified
from gymkernel_tool_check.cli.results import Results, read_old
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.project import Project
from gymkernel_tool_check.records import Collector, Report
from gymkernel_tool_check.targets import Target
from gymkernel_util_vector.cores import cores

__all__ = ["run"]

INTERRUPTED = 128
BUDGET = 10.0
"""The default time budget for one target, in seconds."""
PROGRAMS: Final = 20.0
LEAST: Final = 5.0
"""Example programs may run for half of the budget, but for at least `LEAST` and at most `PROGRAMS` seconds."""


def run(texts: Sequence[str], *, everything: bool, given: dict[str, Any]) -> None:
    """Check the targets, write the report, and exit with the resulting status."""
    report_format, output = given["report_format"], given["output"]
    found = [target for text in texts for target in targets.expand(text)] + (targets.everything() if everything else [])
    found = list(dict.fromkeys(found))
    try:
        projects = [project.project_of(target) for target in found]
    except error.Error as exc:
        raise click.UsageError(str(exc)) from exc
    severity = given["severity"] or next((settings.severity for settings in projects if settings.severity), None)
    results = Results(severity=severity or "warning", threshold=severity or "error")
    shown = Terminal(sys.stdout if report_format == "text" or output else sys.stderr)
    with contextlib.ExitStack() as stack:
        terminals = [shown] if report_format == "text" or output or shown.live else []
        if output and report_format == "text":
            terminals.append(Terminal(stack.enter_context(Path(output).open("w", encoding="utf-8"))))
        runner = Runner(given, results, terminals)
        check = runner.check_beside if everything else runner.check_all
        try:
            with interruptible():
                check(list(zip(found, projects, strict=True)))
        except KeyboardInterrupt as exc:
            shown.erase()
            number = exc.args[0] if exc.args else signal.SIGINT
            echo("gymkernel: interrupted", err=True)
            sys.exit(INTERRUPTED + number)
        for terminal in terminals:
            (show_matrix if everything else show_summary)(terminal, results)
    if report_format != "text":
        text = render(report_format, results)
        if output:
            Path(output).write_text(text + "\n", encoding="utf-8")
        elif text:
            echo(text)
    sys.exit(results.status)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C within the block, so that no child processes are left running."""

    def stop(number: int, _frame: Any) -> None:
        raise KeyboardInterrupt(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), stop) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class Runner:
    """A runner that checks several targets, either one after another or in parallel.

    Args:
        given: the command-line options.
        results: the results to which the reports are added.
        terminals: the terminals on which the progress is shown.
    """

    def __init__(self, given: dict[str, Any], results: Results, terminals: list[Terminal]) -> None:
        self.given, self.results, self.terminals = given, results, terminals
        self.old = read_old(given["diff"]) if given["diff"] else {}
        self.stop, self.lock = threading.Event(), threading.Lock()

    def check_all(self, found: list[tuple[Target, Project]]) -> None:
        """Check the targets one after another.

        An expected failure is reported as unused only if it does not occur in any target of its project.
        """
        used: dict[Path | None, set[str]] = {}
        for i, (target, own) in enumerate(found):
            is_last = all(other.file != own.file for _, other in found[i + 1 :])
            other_targets = used.get(own.file, set()) if is_last else set(own.expected_failures)
            options, severity = _options(self.given, own), self.results.severity
            detail = {name: self.given[name] for name in ("quiet", "verbose")}
            watchers = [Progress(terminal, target, options, severity, **detail) for terminal in self.terminals]
            report = self.check(target, own, other_targets, [watcher.take for watcher in watchers])
            for watcher in watchers:
                if i and not self.given["quiet"]:
                    watcher.terminal.write("")
                watcher.finish(report)
            used.setdefault(own.file, set()).update(report.expected)
            self.results.reports.append(report)

    def check_beside(self, found: list[tuple[Target, Project]]) -> None:
        """Check several targets in parallel, as many at a time as there are CPU cores.

        Expected failures are never reported as unused here, because they may occur in another target of the same
        project.
        """
        names = [target.text for target, _ in found]
        views = [
            Overview(terminal, names, self.results.severity, quiet=self.given["quiet"]) for terminal in self.terminals
        ]

        def check_target(target: Target, own: Project) -> Report:
            with self.lock:
                for view in views:
                    view.begin(target.text)
            report = self.check(target, own, set(own.expected_failures), [])
            with self.lock:
                for view in views:
                    view.finish(report)
            return report

        pool = ThreadPoolExecutor(cores())
        try:
            waiting = [pool.submit(check_target, *each) for each in found]
            self.results.reports += [each.result() for each in waiting]
        finally:
            self.stop.set()
            pool.shutdown(cancel_futures=True)

    def check(
        self, target: Target, own: Project, other_targets: set[str], watchers: list[Callable[[Event], None]]
    ) -> Report:
        """Check one target, and run the example programs of its findings."""
        start, options = time.perf_counter(), _options(self.given, own)
        known = self.old.get(target.text, ())
        collector = Collector(Report(target.text), watchers, own.expected_failures, known, other_targets)
        report = report_on(target, options, collector, self.stop)
        shown = self.results.shown(report)
        seconds = min(PROGRAMS, max(options.budget / 2, LEAST))
        tried = dict(zip(map(id, shown), verified(shown, self.stop, seconds), strict=True))
        report.findings = [tried.get(id(finding), finding) for finding in report.findings]
        report.seconds = time.perf_counter() - start
        return report


def _options(given: dict[str, Any], own: Project) -> Options:
    """Combine the command-line options with the project's settings."""
    profile = given["profile"] or "default"
    return Options.of(
        profile,
        budget=given["budget"] or (None if profile == "thorough" else BUDGET),
        steps=given["steps"],
        select=given["select"] if given["select"] is not None else own.select,
        ignore=given["ignore"] if given["ignore"] is not None else own.ignore,
        seed=given["seed"],
        timeout=given["timeout"],
        compat=given["compat"] or own.compat,
        single_instance=given["single_instance"] or own.single_instance,
        nondeterministic=given["nondeterministic"] or own.nondeterministic,
        make_kwargs={**own.make_kwargs, **(given["make_kwargs"] or {})},
    )
