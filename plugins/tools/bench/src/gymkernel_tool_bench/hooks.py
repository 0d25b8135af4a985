"""Adds `gymkernel bench` to the command line; click and the rest load only where there is a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["gymkernel_add_commands"]


@hookimpl
def gymkernel_add_commands(cli: click.Group) -> None:
    """Add the subcommand `bench`."""
    from gymkernel_tool_bench.command import bench

    cli.add_command(bench)
