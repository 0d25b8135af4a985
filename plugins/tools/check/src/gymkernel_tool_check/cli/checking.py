"""The command `gymkernel check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gymkernel_tool_check.cli.formats import FORMATS
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["check"]


def _codes(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """Parse a comma-separated list of code prefixes. Return None if the option was not given."""
    return None if text is None else tuple(filter(None, (part.strip().upper() for part in text.split(","))))


def _complete_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from gymkernel_tool_check.catalogue import rules

    return [CompletionItem(rule.code, help=rule.title) for rule in rules() if rule.code.startswith(incomplete.upper())]


SEVERITY = click.Choice(["info", "warning", "error"])


@click.command()
@click.argument("targets", nargs=-1, metavar="TARGET...", shell_complete=complete_targets)
@click.option("--all", "everything", is_flag=True, help="Check all installed plugins and distributions.")
@click.option("--fast", "profile", flag_value="fast", help="Run only rules that need less than a second.")
@click.option("--thorough", "profile", flag_value="thorough", help="Also run the slow rules.")
@click.option("--select", callback=_codes, metavar="CODES", help="Run only rules with these code prefixes: GK2,GK401.")
@click.option("--ignore", callback=_codes, metavar="CODES", help="Leave out rules with these code prefixes.")
@click.option(
    "--severity",
    type=SEVERITY,
    help="Lowest severity to report (default warning), and to exit with status 1 (default error).",
)
@click.option(
    "--compat",
    type=click.Choice(["sb3", "async"]),
    multiple=True,
    help="Also check the limits of a library; repeatable.",
)
@click.option("--seed", type=click.IntRange(min=0), default=123, show_default=True, help="Seed of resets and actions.")
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help="Steps of a recorded run [default: 500, --fast 100, --thorough 2000].",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=20.0,
    show_default=True,
    help="Maximum seconds of one call into the target.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0.1),
    metavar="SECONDS",
    help="Start no further call after this time [default: 10; no limit with --thorough].",
)
@click.option("--make-kwargs", type=Arguments(), help="Arguments of the environment, as a JSON object.")
@click.option("--single-instance", is_flag=True, help="Never create a second instance while one exists.")
@click.option("--nondeterministic", is_flag=True, help="Equal seeds may give different trajectories.")
@click.option("--diff", metavar="OLD.JSON", help="Report only findings that an older JSON report does not have.")
@click.option(
    "--format",
    "report_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Format of the report.",
)
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file; progress is still shown.")
@click.option("-v", "--verbose", is_flag=True, help="Also show passed rules, and why rules were skipped.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the verdict and the findings.")
@click.option("--list-rules", is_flag=True, help="List all rules and exit.")
@click.option(
    "--explain",
    metavar="CODE",
    help="Explain why a rule exists and how to fix its findings, and exit.",
    shell_complete=_complete_codes,
)
def check(targets: tuple[str, ...], everything: bool, list_rules: bool, explain: str | None, **given: Any) -> None:
    """Check environments and other plugins, and explain what each finding means and how to fix it.

    TARGET is an environment id (CartPole-v1), a space (Box), a class or function (module:Class, path.py:Class), another
    plugin (vector.SyncVectorEnv), or a distribution, which includes everything that it provides.

    Each probe of a target runs in its own process, so a crash or a hang becomes a finding. A project's own settings and
    expected failures are in [tool.gymkernel.check] of its pyproject.toml.

    Exit status: 0 if nothing was found, 1 for findings of severity error (or --severity), 2 if nothing could be
    checked, 3 if rules raised exceptions, 4 if there was too little time for a verdict.
    """
    from gymkernel_tool_check.cli import rulebook, running

    if list_rules or explain:
        rulebook.show("json" if given["report_format"] == "json" else "text", explain)
    elif not targets and not everything:
        raise click.UsageError("specify a target to check, for example: gymkernel check CartPole-v1")
    else:
        running.run(targets, everything=everything, given=given)
