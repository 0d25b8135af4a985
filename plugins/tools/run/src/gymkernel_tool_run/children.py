"""Make the alias active in child processes."""

from __future__ import annotations

import os

__all__ = ["VARIABLE", "inherit", "start"]

VARIABLE = "GYMKERNEL_RUN"
"""The environment variable with which a Python process makes the alias active when it starts."""


def inherit() -> None:
    """Make all Python processes that this process starts activate the alias, with the file `*.pth` of this plugin."""
    os.environ[VARIABLE] = "1"


def start() -> None:
    """Activate the alias when Python starts; the file `gymkernel_tool_run_start.pth` calls this function."""
    from gymkernel_tool_run.alias import as_gymnasium

    as_gymnasium()
