"""Environments that exit, crash or block the process in which they run."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from ..bases import Cart, Grid, Screen
from ..registry import defect


@defect("GK003", apart=True)
class Exits(Cart):
    """An environment that exits the process when something is wrong."""

    def act(self, action: Any) -> None:
        if self.time == 7:
            sys.exit("something is wrong")
        super().act(action)


@defect("GK003", apart=True)
class ExitsAtOnce(Grid):
    """An environment that exits the process immediately, without a message."""

    def act(self, action: Any) -> None:
        if self.time == 5:
            os._exit(0)
        super().act(action)


@defect("GK003", apart=True)
class Crashes(Screen):
    """An environment that reads from an invalid memory address."""

    def act(self, action: Any) -> None:
        if self.time == 6:
            import ctypes

            ctypes.string_at(0)
        super().act(action)


@defect("GK003", apart=True)
class Hangs(Cart):
    """An environment whose step waits forever."""

    def act(self, action: Any) -> None:
        while self.time == 9:
            time.sleep(0.1)
        super().act(action)
