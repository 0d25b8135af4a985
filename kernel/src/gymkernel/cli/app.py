"""The group of subcommands, each imported when it is called; those of plugins are entry points."""

import contextlib
import os
import select
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final, TextIO

import click

from gymkernel import error, plugins
from gymkernel.cli.terminal import LINES, echo
from gymkernel.suggestions import did_you_mean
from gymkernel.utils.printable import printable

__all__ = ["cli", "show_warnings_in_a_line"]

COMMANDS: Final = {
    "info": ("gymkernel.cli.about:info", "Explains what a name is, where it comes from and what it takes"),
    "list": ("gymkernel.cli.listing:list_", "Shows what is installed, missing or broken"),
}
"""Where each subcommand is, and its line in the help, which thus imports none of them."""
PYTHON: Final = ".".join(map(str, sys.version_info[:3]))
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as of a program that the signal ends: 128 and its number."""
UNREAD: Final = 141
"""The same of SIGPIPE: who reads the output has seen enough (`gymkernel list | head`)."""


SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
VERSION: Final = plugins.kernel_version()


class Commands(click.Group):
    """Subcommands, imported when they are called: the kernel's, and those of `gymkernel.commands` entry points."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None where there is none."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name][0].partition(":")
            found: click.Command = getattr(import_module(module), attribute)
            return found
        if cmd_name in plugins.known("commands"):
            broken = (error.PluginError, Absent) if ctx.resilient_parsing else ()  # the tab key shows no errors
            with contextlib.suppress(*broken):
                return _of_plugin(cmd_name)
        return None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted({*COMMANDS, *plugins.names("commands")})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with a line each."""
        with formatter.section("Commands"):
            formatter.write_dl(_lines())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Offer the options and the commands; no command is imported."""
        from click.shell_completion import CompletionItem

        options = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=line) for name, line in _lines() if name.startswith(incomplete)] + options

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, click.Command | None, list[str]]:
        """The command that is called; of a name that none has, the error has the one that is spelled alike."""
        if ctx.resilient_parsing or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        hint = did_you_mean(args[0], plugins.known("commands") | COMMANDS.keys(), "gymkernel --help lists all commands")
        raise click.UsageError(f"there is no command {args[0]}; {hint}", ctx)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """The context of a call, from the words of the command line."""
        with _ending_quietly():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _ending_quietly():
            return super().invoke(ctx)


class Absent(click.ClickException):
    """A plugin that a command needs is not there, or does not load."""

    exit_code = 2


@contextlib.contextmanager
def _ending_quietly() -> Iterator[None]:
    """End with a status and no traceback after Ctrl-C, where nobody reads the output, and where a plugin is absent."""
    try:
        yield
    except error.PluginError as exc:
        raise Absent(printable(str(exc), LINES)) from exc
    except click.ClickException as exc:
        exc.message = printable(exc.message, LINES)  # type: ignore[misc] # click has no other place for it
        raise
    except KeyboardInterrupt as exc:
        echo("gymkernel: interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from exc
    except BrokenPipeError as exc:
        closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        if not closed:  # a pipe of somebody else
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in closed:  # or what waits to be written would fail when Python ends
            os.dup2(nowhere, stream.fileno())
        raise click.exceptions.Exit(UNREAD) from exc


def _is_closed(stream: TextIO) -> bool:
    """Whether nobody reads the pipe of a stream any more."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no poll on Windows; a stream that is no file
        watch = select.poll()
        watch.register(stream.fileno(), 0)
        return bool(watch.poll(0))
    return False


def _of_plugin(name: str) -> click.Command:
    """Return a subcommand that is an entry point."""
    found = plugins.get("commands", name)
    if not isinstance(found, click.Command):
        who = plugins.providers("commands", name)[0]
        raise Absent(f"{who.label} of {who.distribution} {who.version} must name a click command, and is {found!r}")
    return found


def _lines() -> list[tuple[str, str]]:
    """Return every command with a line from metadata: what is wrong with its plugin, or the distribution's summary."""
    from gymkernel.cli import inventory

    lines = {name: line for name, (_, line) in COMMANDS.items()}
    for name in plugins.names("commands"):
        plugin = plugins.providers("commands", name)[0]
        lines.setdefault(name, inventory.problem(plugin)[1] or plugin.summary or plugin.value)
    return [(printable(name), printable(line)) for name, line in sorted(lines.items())]


@click.group(cls=Commands, context_settings=SETTINGS, invoke_without_command=True)
@click.version_option(VERSION, message=f"gymkernel %(version)s (Python {PYTHON})", help="Show the version and exit.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Reinforcement-learning environments as a microkernel of plugins.

    The tab key completes all words; for bash: eval "$(_GYMKERNEL_COMPLETE=bash_source gymkernel)"
    """
    if ctx.invoked_subcommand is None:
        echo(f"gymkernel {VERSION}: environments for reinforcement learning\n")
        for name, line in _lines():
            echo(f"  gymkernel {name:<9}{line}")
        echo("\nFor example: gymkernel list spaces. gymkernel COMMAND --help explains a command.")


def show_warnings_in_a_line() -> None:
    """Write warnings to standard error without the line of source that means nothing to a user."""

    def show(message: Warning | str, *_args: Any, **_more: Any) -> None:
        text = str(message).removeprefix("\x1b[33m").removesuffix("\x1b[0m").removeprefix("WARN: ")
        echo(f"gymkernel: warning: {text}", err=True)

    warnings.showwarning = show
