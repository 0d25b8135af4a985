"""The command `gymkernel run`. The modules that do the work are imported only when the command runs."""

from __future__ import annotations

import contextlib

import click

__all__ = ["command"]


class ProgramCommand(click.Command):
    """A command whose own options must come before the program, because all later arguments belong to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separate the options from the program's arguments, which begin after SCRIPT or after `-m MODULE`."""
        start = self._module_end(ctx, args)
        return super().parse_args(ctx, args if start is None else [*args[:start], "--", *args[start:]])

    def _module_end(self, ctx: click.Context, args: list[str]) -> int | None:
        """Return the number of arguments up to and including `-m MODULE`, or None if the program is a script."""
        alone = {name for option in self.params if getattr(option, "is_flag", False) for name in option.opts}
        alone.update(ctx.help_option_names)
        place = 0
        while place < len(args) and args[place].startswith("-") and args[place] not in {"-", "--"}:
            option = args[place]
            place += 1 if option in alone or "=" in option or (option.startswith("-m") and option != "-m") else 2
            if option.startswith("-m"):
                return place
        return None


@click.command("run", cls=ProgramCommand, context_settings={"allow_interspersed_args": False})
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m MODULE` does, instead of a script.")
@click.option("--children", is_flag=True, help="Also change the Python programs that the program starts.")
@click.option(
    "--report", is_flag=True, help="Write a report at the end: the time spent in environments, and faster settings."
)
@click.option("--check", is_flag=True, help="Report violations of the API in the first episodes of environments.")
@click.option("--backend", metavar="NAME", help="Use another vector backend, such as async, instead of SyncVectorEnv.")
@click.argument("arguments", metavar="SCRIPT [ARGS]...", nargs=-1, type=click.UNPROCESSED)
def command(
    module: str | None, children: bool, report: bool, check: bool, backend: str | None, arguments: tuple[str, ...]
) -> None:
    """Run a program that was written for Gymnasium on gymkernel, without changes.

    SCRIPT is a Python file, a folder or zip file with a __main__.py, or - for standard input. Everything after SCRIPT,
    or after -m MODULE, is passed to the program. In the program and its worker processes, `import gymnasium` imports
    gymkernel's modules.

    Exit status: 2 if the program cannot be found, 3 if the program succeeded but --check found something, and otherwise
    the program's own exit status.
    """
    from gymkernel_tool_run import running
    from gymkernel_tool_run.alias import as_gymnasium
    from gymkernel_tool_run.children import inherit

    if module is None and not arguments:
        raise click.UsageError("Expected a SCRIPT or -m MODULE, for example: gymkernel run train.py")
    as_gymnasium()
    if children:
        inherit()
    with _observed(report=report, check=check, backend=backend):
        if module is not None:
            running.run_module(module, arguments)
        else:
            running.run_script(arguments[0], arguments[1:])


def _observed(*, report: bool, check: bool, backend: str | None) -> contextlib.AbstractContextManager[None]:
    """Return a context manager that observes the program. If no option requires this, the manager does nothing."""
    if not (report or check or backend):
        return contextlib.nullcontext()
    from gymkernel_tool_run.backends import backend_name
    from gymkernel_tool_run.observing import observe

    try:
        name = backend_name(backend) if backend else ""
    except (ValueError, ImportError) as exc:
        raise click.BadParameter(str(exc), param_hint="--backend") from exc
    return observe(report=report, check=check, backend=name)
