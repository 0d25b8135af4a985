"""Checking in processes that may die: what the target does to one becomes a finding, and the other probes go on."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, Self, cast

from gymkernel_tool_check import events
from gymkernel_tool_check.collector import Collector
from gymkernel_tool_check.definition import Hang
from gymkernel_tool_check.options import DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.process.messages import Group
from gymkernel_tool_check.process.watched import Death, WatchedProcess
from gymkernel_tool_check.shared_facts import Facts
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.targets import Target

__all__ = ["COPIES", "run_isolated"]

COPIES: Final = hasattr(os, "fork")
"""Whether a process can be copied here, so that the target is imported once for all probes."""
PATIENCE: Final = 4
MOMENT: Final = 1.0
"""A call that did not return is waited for once more: a part of the usual time, and so many seconds at least."""
SHARE: Final = 0.6
"""Of the memory that is free, so much may be taken."""


def run_isolated(
    target: Target,
    options: Options,
    collector: Collector,
    *,
    copies: bool = COPIES,
    stop: threading.Event | None = None,
) -> None:
    """Check a target; where it ends a process, go on without what it was doing.

    Args:
        target: what to check.
        options: how thoroughly.
        collector: takes what happens, and is concluded.
        copies: whether the process that has the target copies itself for each probe; else each has a new one.
        stop: set by another thread to have it end, with `KeyboardInterrupt`.
    """
    with Session(target, options, collector, copies=copies, stop=stop) as session:
        session.run()
    if not collector.failed:
        collector.conclude()


class Session:
    """The processes of one check, one at a time.

    Args:
        target, options, collector, copies, stop: as for `run_isolated`.
    """

    def __init__(
        self,
        target: Target,
        options: Options,
        collector: Collector,
        *,
        copies: bool,
        stop: threading.Event | None = None,
    ) -> None:
        self.target, self.options, self.collector, self.copies = target, options, collector, copies
        self.stop = stop or threading.Event()
        self.folder = Path(tempfile.mkdtemp(prefix="gymkernel-check-"))
        (self.folder / "tmp").mkdir()
        self.groups: tuple[Group, ...] = ()
        self.dead: dict[str, str] = {}
        self.known = Facts()
        self.close_hangs = False
        self.alive: set[str] = set()
        self.copies_die = False
        self.timeout = options.timeout
        self.longest = 0.0
        self.deadline = math.inf
        free = processes.available_memory()
        self.limit = min(options.limit, int(SHARE * free)) if free else options.limit
        self._process: WatchedProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind: no process, and no file."""
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self) -> None:
        """Import the target, then do every group of rules."""
        if not self._import():
            return
        self.deadline = time.monotonic() + self.options.budget  # an import is not what the budget is for
        for name, codes, is_first in self.groups:
            if time.monotonic() > self.deadline:
                self.collector.skip(codes, self.options.left_out, left_out=True)
                continue
            reason = self.dead.get(name)
            if reason is None and (self._process is not None or self._import()):
                reason = self._work(name, codes)
            if reason is not None:
                self.collector.skip(codes, reason)
            if self.collector.failed or (is_first and reason is not None):
                return  # it cannot be made without a death: every other probe would only die of the same

    def _import(self) -> bool:
        """Start a process that has the target; False where that is the end."""
        self._process = process = WatchedProcess(self, copies=self.copies)
        death = process.follow()
        if death is not None:
            self._end()
            if not self.collector.planned:  # it died before it could say what there is to check
                from gymkernel_tool_check.rules import making  # and NumPy, which this process can do without

                rules = (making.can_be_made, making.process_survives)
                self.collector.feed(events.Planned(tuple(one.describe() for one in rules)))
            self.collector.feed(events.Died(death.finding))
            return False
        self.groups = self.groups or process.groups
        return bool(process.groups)

    def _work(self, name: str, codes: tuple[str, ...]) -> str | None:
        """Do one group of rules; why it ended before its time, if it did."""
        process = cast("WatchedProcess", self._process)
        here = not process.copies
        death = self._attempt(process, name, here=here)
        if here or process.gone:
            self._end()
        if death is not None and not here and death.native and not self.copies_die:
            death = self._again(name, death)
        if death is not None and death.mode and death.mode not in self.known.modes and not processes.has_display():
            why = f"{death.how}, and there is no display"
            self.known.modes[death.mode] = f"{why}{death.display and f': {death.display}'}"
            return self._work(name, codes) if self._process is not None or self._import() else death.how
        if death is not None and death.display and not death.mode:
            self.dead[name] = self.dead[death.probe.name] = f"it needs a display: {death.how}: {death.display}"
            return self.dead[name]
        if death is None:
            self.alive.add(name)
            return None
        where = death.finding
        self.collector.feed(events.Died(where))
        if death.hangs:
            self.close_hangs |= where.method == "close"
            self.learn_hang(Hang(where.method, where.episode, where.step), typical=death.probe.typical)
        if where.method == "close" and self.collector.done.issuperset(codes):
            self.alive.add(name)  # it was at the end
            return None
        reason = f"{death.how} (GK003)"
        for probe in {death.probe.name, name} - self.alive - {""}:
            self.dead[probe] = reason
        return reason

    def _attempt(self, process: WatchedProcess, name: str, *, here: bool) -> Death | None:
        """Let a process do one group; how it died, if it did."""
        left = self.deadline - time.monotonic()
        process.order(messages.Order(name, self.timeout, here, self.dead, self.known, self.close_hangs, left))
        return process.follow()

    def _again(self, name: str, death: Death) -> Death | None:
        """Do a group that died once more, in a new interpreter: what native libraries hold does not survive a copy."""
        self.copies_die = True
        if death.hangs:
            self.timeout = max(self.timeout / PATIENCE, MOMENT)
        process, deadline = WatchedProcess(self, copies=False), self.deadline
        try:
            again = process.follow()
            if again is None:
                self.deadline = max(deadline, time.monotonic() + max(self.options.timeout, DEFAULT_TIMEOUT))
                again = self._attempt(process, name, here=True)
        finally:
            process.end()
        self.timeout, self.deadline = self.options.timeout, deadline
        if again is None:
            self.copies = False  # from now on, each group has a new one
            self._end()
        return death if again is not None and again.hangs else again

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Wait less long from now on, and let nobody wait again for what hangs in every probe.

        Args:
            hang: what did not return.
            typical: whether the probe was one that does what all do.
        """
        # once is enough to know a hang; the others are to be told from slow calls all the same
        self.timeout = min(self.timeout, max(self.options.timeout / 10, 4 * self.longest, 1.0))
        if typical and hang.is_early:
            self.known.learn_stuck(hang)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None
