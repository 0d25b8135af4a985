"""`gymkernel check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gymkernel_tool_check.cli.formats import FORMATS
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["check"]


def _codes(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The beginnings of codes in a list with commas; None where the option was not given."""
    return None if text is None else tuple(filter(None, (part.strip().upper() for part in text.split(","))))


def _complete_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from gymkernel_tool_check.catalogue import rules

    return [CompletionItem(one.code, help=one.title) for one in rules() if one.code.startswith(incomplete.upper())]


SEVERITY = click.Choice(["info", "warning", "error"])
OPTIONS: tuple[Callable[..., Any], ...] = (
    click.argument("targets", nargs=-1, metavar="TARGET...", shell_complete=complete_targets),
    click.option("--all", "everything", is_flag=True, help="Check everything that is installed."),
    click.option("--fast", "profile", flag_value="fast", help="Only what takes less than a second."),
    click.option("--thorough", "profile", flag_value="thorough", help="Also what takes long."),
    click.option("--select", callback=_codes, metavar="CODES", help="Only rules whose codes begin so: GK2,GK401."),
    click.option("--ignore", callback=_codes, metavar="CODES", help="Without these rules."),
    click.option(
        "--severity",
        type=SEVERITY,
        help="Report findings from this severity on (default warning), and exit 1 for them (default error).",
    ),
    click.option(
        "--compat",
        type=click.Choice(["sb3", "async"]),
        multiple=True,
        help="Check the limits of a library, too; may be repeated.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=123, show_default=True, help="Of resets and actions."),
    click.option("--steps", type=click.IntRange(min=1), help="Steps of a recorded run (default 500; 100; 2000)."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=20.0,
        show_default=True,
        help="Seconds that one call into the target may take.",
    ),
    click.option(
        "--budget",
        type=click.FloatRange(min=0.1),
        metavar="SECONDS",
        help="Make no further call after so long (default 10; no end with --thorough).",
    ),
    click.option("--make-kwargs", type=Arguments(), help="Arguments of what makes it, as a JSON object."),
    click.option("--single-instance", is_flag=True, help="Never make a second one beside another."),
    click.option("--nondeterministic", is_flag=True, help="Equal seeds may give different trajectories."),
    click.option("--diff", metavar="OLD.JSON", help="Report what an older JSON report does not have."),
    click.option(
        "--format",
        "report_format",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How to write the report.",
    ),
    click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file, and progress here."),
    click.option("-q", "--quiet", is_flag=True, help="Show findings and the verdict alone."),
    click.option("--list-rules", is_flag=True, help="Show every rule and exit."),
    click.option(
        "--explain",
        metavar="CODE",
        help="Explain why a rule exists and how to fix its findings, and exit.",
        shell_complete=_complete_codes,
    ),
)


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Put every option on a command, in this order."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


@click.command()
@with_options
def check(targets: tuple[str, ...], everything: bool, list_rules: bool, explain: str | None, **given: Any) -> None:
    """Check environments and whatever else can be published, and say what each finding means and how to fix it.

    TARGET is an environment id (CartPole-v1), a space (Box), a class or function (module:Class, path.py:Class), another
    plugin (vector.SyncVectorEnv), or a distribution, which stands for itself and everything that it provides.

    Each probe of a target runs in a process of its own, so that a crash or a hang is a finding, too. A project's own
    settings and expected failures are in [tool.gymkernel.check] of its pyproject.toml.

    Exit status: 0 nothing found, 1 findings of severity error (or --severity), 2 nothing could be checked, 3 rules
    failed themselves, 4 not decided: there was no time to try enough for a verdict.
    """
    from gymkernel_tool_check.cli import rulebook, running

    if list_rules or explain:
        rulebook.show("json" if given["report_format"] == "json" else "text", explain)
    elif not targets and not everything:
        raise click.UsageError("say what to check, such as: gymkernel check CartPole-v1")
    else:
        running.run(targets, everything=everything, given=given)
