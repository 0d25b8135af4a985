"""The command `gymkernel bench`. The modules that do the measuring are imported only when the command runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from gymkernel.cli.terminal import Terminal, echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from gymkernel_tool_bench.records import Report

__all__ = ["bench"]

INTERRUPTED = 130


def _numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Parse a comma-separated list of positive integers. Return None if `bench` should choose the numbers."""
    if value is None or value == "auto":
        return None
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        message = f"Expected positive numbers separated by commas, such as 1,8,64, or auto; got {value!r}"
        raise click.BadParameter(message)
    return tuple(int(part) for part in parts)


@click.command()
@click.argument("target", shell_complete=complete_targets)
@click.option(
    "--num-envs",
    callback=_numbers,
    metavar="N,N,...",
    help="Numbers of environments [default: 1,8,64,256, except those that would take too long].",
)
@click.option(
    "--workers",
    callback=_numbers,
    metavar="N,N,...",
    help="Numbers of workers, for backends with workers [default: auto, numbers that suit the environment].",
)
@click.option(
    "--backend", "backends", multiple=True, metavar="NAME", help="Measure only this backend. Can be repeated."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Time for each case [default: about 20 s for all cases together].",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the resets and actions."
)
@click.option("--make-kwargs", type=Arguments(), default="{}", help="Arguments of the environment, as a JSON object.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Format of the report.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file. Progress is still shown.")
def bench(
    target: str,
    num_envs: tuple[int, ...] | None,
    workers: tuple[int, ...] | None,
    backends: tuple[str, ...],
    seconds: float | None,
    seed: int,
    make_kwargs: dict[str, Any],
    form: str,
    output: str | None,
) -> None:
    """Measure an environment in every installed vector backend, and recommend a backend and its settings.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    Ctrl-C ends the measurement and shows the results so far.

    Exit status: 0 if everything worked, 1 if the environment or a backend failed, 2 if nothing could be measured, 130
    if interrupted.
    """
    from gymkernel_tool_bench.measuring import measure
    from gymkernel_tool_bench.targets import resolve, short
    from gymkernel_tool_bench.text import Display
    from gymkernel_util_tools.command_errors import usage_errors

    chosen = [short(name) for name in backends] or None
    for_people = form == "text" or output is not None
    # The terminal must be determined before standard output is redirected.
    terminal = Terminal(sys.stdout if for_people else sys.stderr)
    display = Display(terminal) if for_people or terminal.live else None
    with _discard_prints() as stdout:
        terminal.stream = stdout if for_people else sys.stderr
        with usage_errors("TARGET"):
            resolved = resolve(target, make_kwargs)
        try:
            report = measure(
                resolved,
                num_envs=num_envs,
                workers=workers,
                backends=chosen,
                seconds=seconds,
                seed=seed,
                notify=None if display is None else display.progress,
            )
        except ValueError as exc:
            # The error was raised before the measurement started.
            raise click.BadParameter(str(exc), param_hint="--backend") from exc
        finally:
            if display is not None:
                display.bar.erase()
        if display is not None:
            display.show(report)
    _write(report, form, output)
    if report.interrupted:
        sys.exit(INTERRUPTED)
    sys.exit(0 if not report.failed else 1 if report.measured or report.alone else 2)


@contextlib.contextmanager
def _discard_prints() -> Iterator[TextIO]:
    """Discard everything that environments print, even from native code and subprocesses.

    Yield the real standard output.
    """
    with contextlib.ExitStack() as stack:
        stdout, null_device = sys.stdout, stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        stdout.flush()
        if _descriptor(stdout) == 1:
            kept = os.dup(1)
            stdout = stack.enter_context(open(kept, "w", encoding=stdout.encoding, errors=stdout.errors))  # noqa: PTH123
            stack.callback(os.dup2, kept, 1)
            os.dup2(null_device.fileno(), 1)
        stack.enter_context(contextlib.redirect_stdout(null_device))
        yield stdout


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None


def _write(report: Report, form: str, output: str | None) -> None:
    """Write the report to a file or, if no file is given but JSON is requested, to standard output."""
    from gymkernel_tool_bench.text import Display

    if output is None:
        if form == "json":
            echo(report.to_json())
        return
    with Path(output).open("w", encoding="utf-8") as file:
        if form == "json":
            file.write(f"{report.to_json()}\n")
        else:
            Display(Terminal(file)).show(report)
