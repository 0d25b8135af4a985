"""`gymkernel check`."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gymkernel.cli import completion
from gymkernel.cli.terminal import Terminal

if TYPE_CHECKING:
    from gymkernel.checks.records import Event, Report

__all__ = ["check"]


@click.command()
@click.argument("targets", nargs=-1, metavar="TARGET...", shell_complete=completion.targets)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write the report.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file; progress is still shown.")
@click.option(
    "--select", metavar="CODES", help="Only rules whose codes begin so: GK2,GK401.", shell_complete=completion.codes
)
@click.option("--ignore", metavar="CODES", help="Without these rules.", shell_complete=completion.codes)
@click.option(
    "--severity",
    type=click.Choice(["info", "warning", "error"]),
    help="Report findings from this severity on (default warning), and exit 1 for them (default error).",
)
@click.option("--seed", type=click.IntRange(min=0), default=123, show_default=True, help="Seed of resets and actions.")
@click.option("--steps", type=click.IntRange(min=1), default=500, show_default=True, help="Steps of a recorded run.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=20.0,
    show_default=True,
    help="Seconds that one call into the target may take.",
)
@click.option("--list-rules", is_flag=True, help="Show every rule and exit.")
@click.option(
    "--explain",
    metavar="CODE",
    help="Tell why a rule is there and how to mend, and exit.",
    shell_complete=completion.codes,
)
def check(
    targets: tuple[str, ...],
    form: str,
    output: str | None,
    select: str | None,
    ignore: str | None,
    severity: str | None,
    seed: int,
    steps: int,
    timeout: float,
    list_rules: bool,
    explain: str | None,
) -> None:
    """Check environments and spaces rule by rule, and say what each finding means and how to mend it.

    TARGET is an environment id (CartPole-v1), a space (Box), a class or function (module:Class, path.py:Class), another
    plugin (vector.SyncVectorEnv), or a distribution, which stands for everything that it provides.

    Each target is checked in a process of its own, so that a crash or a hang is a finding, too.

    Exit status: 0 nothing found, 1 findings of severity error (or --severity), 2 nothing could be checked.
    """
    from gymkernel.cli import rulebook

    if list_rules or explain:
        rulebook.show(form, explain)
        return
    if not targets:
        message = "say what to check, such as: gymkernel check CartPole-v1"
        raise click.UsageError(message)
    from gymkernel.checks.subject import Options
    from gymkernel.checks.targets import expand
    from gymkernel.cli.progress import Progress, show_summary

    options = Options(_codes(select), _codes(ignore), seed, steps, timeout)
    expanded = [target for text in targets for target in expand(text)]
    shown = Terminal(sys.stdout if form == "text" or output else sys.stderr)
    with contextlib.ExitStack() as stack:
        if output and form == "text":
            file = stack.enter_context(Path(output).open("w", encoding="utf-8"))
            terminals = [shown, Terminal(file)]
        else:
            terminals = [shown] if form == "text" or output or shown.live else []
        reports = []
        for target in expanded:
            watchers = [Progress(terminal, target, options, severity or "warning") for terminal in terminals]
            reports.append(_check(target, options, watchers))
        for terminal in terminals:
            show_summary(terminal, reports, severity or "error")
    status = _status(reports, severity or "error")
    if form == "json":
        text = _json(reports, status)
        if output:
            Path(output).write_text(text + "\n", encoding="utf-8")
        else:
            click.echo(text)
    sys.exit(status)


def _codes(text: str | None) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in (text or "").split(","))))


def _check(target: Any, options: Any, watchers: list[Any]) -> Report:
    from gymkernel.checks.collector import Collector
    from gymkernel.checks.isolation import run_isolated
    from gymkernel.checks.records import Report

    report, start = Report(target.text), time.perf_counter()

    def take(event: Event) -> None:
        report.take(event)
        for watcher in watchers:
            watcher.take(event)

    run_isolated(target, options, Collector(take))
    report.seconds = time.perf_counter() - start
    for watcher in watchers:
        watcher.finish(report)
    return report


def _status(reports: list[Report], severity: str) -> int:
    if any(report.failure for report in reports):
        return 2
    return int(any(report.at_least(severity) for report in reports))


def _json(reports: list[Report], status: int) -> str:
    import json

    from gymkernel import plugins
    from gymkernel.checks.records import SCHEMA

    head: dict[str, Any] = {"schema": SCHEMA, "kernel": plugins.kernel_version(), "exit_status": status}
    head["python"] = ".".join(map(str, sys.version_info[:3]))
    return json.dumps({**head, "targets": [report.as_dict() for report in reports]}, indent=2)
