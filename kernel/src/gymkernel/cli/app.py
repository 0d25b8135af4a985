"""The command group `gymkernel`, which contains the kernel's own subcommands and the subcommands that plugins add."""

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
    "info": ("gymkernel.cli.about:info", "Describes an environment, a plugin or a distribution"),
    "list": ("gymkernel.cli.listing:list_", "Shows what is installed, missing or broken"),
}
"""Maps the name of each subcommand to its import path and its help text, so that `--help` imports no subcommand."""
PYTHON: Final = ".".join(map(str, sys.version_info[:3]))
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, which is 128 plus the signal number of SIGINT."""
UNREAD: Final = 141
"""The exit status if the program that reads the output exits early, as in `gymkernel list | head`. It is 128 plus the
signal number of SIGPIPE."""


SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
VERSION: Final = plugins.kernel_version()


class Commands(click.Group):
    """A click group that imports a subcommand only when the subcommand is called. Plugins can add subcommands."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with the given name, or None if there is no such command."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name][0].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command
        if cmd_name in plugins.known("commands"):
            broken = (error.PluginError, Absent) if ctx.resilient_parsing else ()  # completion must not print errors
            with contextlib.suppress(*broken):
                return _plugin_command(cmd_name)
        return None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the sorted names of all subcommands."""
        return sorted({*COMMANDS, *plugins.names("commands")})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the name and a one-line description of each subcommand."""
        with formatter.section("Commands"):
            formatter.write_dl(_lines())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return completions for options and subcommands without importing any subcommand."""
        from click.shell_completion import CompletionItem

        options = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=line) for name, line in _lines() if name.startswith(incomplete)] + options

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, click.Command | None, list[str]]:
        """Return the requested subcommand. If it does not exist, raise an error that suggests a similar name."""
        if ctx.resilient_parsing or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        hint = did_you_mean(args[0], plugins.known("commands") | COMMANDS.keys(), "gymkernel --help lists all commands")
        raise click.UsageError(f"there is no command {args[0]}; {hint}", ctx)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Create the click context, and convert errors to exit statuses."""
        with _handle_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the requested subcommand, and convert errors to exit statuses."""
        with _handle_errors():
            return super().invoke(ctx)


class Absent(click.ClickException):
    """Raised if a plugin that a subcommand needs is not installed or cannot be loaded."""

    exit_code = 2


@contextlib.contextmanager
def _handle_errors() -> Iterator[None]:
    """Exit without a traceback after Ctrl-C, a plugin error, or an error because the output pipe is closed."""
    try:
        yield
    except error.PluginError as exc:
        raise Absent(printable(str(exc), LINES)) from exc
    except click.ClickException as exc:
        exc.message = printable(exc.message, LINES)  # type: ignore[misc] # click offers no other way
        raise
    except KeyboardInterrupt as exc:
        echo("gymkernel: interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from exc
    except BrokenPipeError as exc:
        closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        if not closed:  # another pipe broke
            raise
        null = os.open(os.devnull, os.O_WRONLY)
        for stream in closed:  # otherwise, Python would fail at exit, when it flushes the streams
            os.dup2(null, stream.fileno())
        raise click.exceptions.Exit(UNREAD) from exc


def _is_closed(stream: TextIO) -> bool:
    """Return whether the other end of a stream's pipe has been closed."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # Windows has no poll, and some streams have no file
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return bool(poll.poll(0))
    return False


def _plugin_command(name: str) -> click.Command:
    command = plugins.get("commands", name)
    if not isinstance(command, click.Command):
        who = plugins.providers("commands", name)[0]
        raise Absent(f"{who.label} of {who.distribution} {who.version} must be a click command, but it is {command!r}")
    return command


def _lines() -> list[tuple[str, str]]:
    """Return the name and one-line description of each subcommand, without importing plugins."""
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
    """Inspect gymkernel, an environment API for reinforcement learning, and its plugins.

    To enable tab completion in bash, run: eval "$(_GYMKERNEL_COMPLETE=bash_source gymkernel)"
    """
    if ctx.invoked_subcommand is None:
        echo(f"gymkernel {VERSION}: environments for reinforcement learning\n")
        for name, line in _lines():
            echo(f"  gymkernel {name:<9}{line}")
        echo("\nFor example: gymkernel list spaces. gymkernel COMMAND --help explains a command.")


def show_warnings_in_a_line() -> None:
    """Print each warning as a single line on standard error, without the source line."""

    def show(message: Warning | str, *_args: Any, **_more: Any) -> None:
        text = str(message).removeprefix("\x1b[33m").removesuffix("\x1b[0m").removeprefix("WARN: ")
        echo(f"gymkernel: warning: {text}", err=True)

    warnings.showwarning = show
