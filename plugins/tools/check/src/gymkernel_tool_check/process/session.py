"""`Session`: does the rules for a target in processes that may die; a death is a finding, and the other rules go on."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, cast

from gymkernel_tool_check import catalogue, events
from gymkernel_tool_check.definition import BudgetSpent, Group, Hang
from gymkernel_tool_check.facts import Facts
from gymkernel_tool_check.options import DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.process.watched import Death, WatchedProcess
from gymkernel_tool_check.records import Collector
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.targets import Target

__all__ = ["Session"]

PATIENCE: Final = 4
MOMENT: Final = 1.0
"""A call that did not return is waited for once more: a part of the usual time, and so many seconds at least."""
SHARE: Final = 0.6
"""Of the memory that is free, so much may be taken."""
IMPORT: Final = ("GK001", "GK003")
"""The rules that a target breaks whose import ends the process."""


class Session:
    """The processes of one check, one at a time.

    Args:
        target: what to check.
        options: how thoroughly.
        collector: takes what happens.
        copies: whether the process that has the target may copy itself for each group; else each group has a new one.
        stop: set by another thread to end the check, with `KeyboardInterrupt`.
    """

    def __init__(
        self,
        target: Target,
        options: Options,
        collector: Collector,
        *,
        copies: bool = True,
        stop: threading.Event | None = None,
    ) -> None:
        self.target, self.options, self.collector, self.copies = target, options, collector, copies
        self.stop = stop or threading.Event()
        self.folder = Path(tempfile.mkdtemp(prefix="gymkernel-check-"))
        (self.folder / "tmp").mkdir()
        self.known = Facts()
        self.alive: set[str] = set()
        self.copies_die = False
        self.timeout = options.timeout
        self.longest = 0.0
        free = processes.available_memory()
        self.limit = min(options.limit, int(SHARE * free)) if free else options.limit
        self._process: WatchedProcess | None = None

    def begin(self) -> tuple[Group, ...]:
        """Import the target in a process, and return the groups of rules; none where the import failed or died."""
        return self._process.groups if self._import() and self._process is not None else ()

    def do(self, group: Group, seconds: float) -> str | None:
        """Do one group of rules, and return why it ended before its time, if it did.

        Args:
            group: one that `begin` returned.
            seconds: until the budget of the check is spent.

        Raises:
            BudgetSpent: no time is left.
        """
        if seconds < 0:
            raise BudgetSpent
        reason = self.known.dead.get(group.name)
        if reason is None and (self._process is not None or self._import()):
            return self._work(group, time.monotonic() + seconds)
        return reason

    def close(self) -> None:
        """Leave nothing behind: no process, and no file."""
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _import(self) -> bool:
        """Start a process that has the target; False where that is the end."""
        self._process = process = WatchedProcess(self, copies=self.copies)
        death = process.follow()
        if death is not None:
            self._end()
            if not self.collector.report.rules:  # it died before it could say what there is to check
                rules = (one for one in catalogue.rules(self.target.kind) if one.code in IMPORT)
                self.collector.feed(events.Planned(tuple(one.describe() for one in rules)))
            self.collector.feed(events.Died(death.finding))
            return False
        return bool(process.groups)

    def _work(self, group: Group, deadline: float) -> str | None:
        """Do one group of rules in the process that has the target."""
        process = cast("WatchedProcess", self._process)
        here = not process.copies
        death = self._attempt(process, group, deadline, here=here)
        if here or process.gone:
            self._end()
        if death is not None and not here and death.native and not self.copies_die:
            death = self._again(group, deadline, death)
        if death is None:
            self.alive.add(group.name)
            return None
        if death.mode and death.mode not in self.known.modes and not processes.has_display():
            why = f"{death.how}, and there is no display"
            self.known.modes[death.mode] = f"{why}{death.display and f': {death.display}'}"
            return self._work(group, deadline) if self._process is not None or self._import() else death.how
        if death.display and not death.mode:
            reason = f"it needs a display: {death.how}: {death.display}"
            self.known.dead |= dict.fromkeys((group.name, death.probe.name), reason)
            return reason
        return self._learn_death(group, death)

    def _learn_death(self, group: Group, death: Death) -> str | None:
        """Report how a group ended, and do nothing again that would end in the same way."""
        where = death.finding
        self.collector.feed(events.Died(where))
        if death.hangs:
            self.known.close_hangs |= where.method == "close"
            self.learn_hang(Hang(where.method, where.episode, where.step), typical=death.probe.typical)
        if where.method == "close" and self.collector.outcomes.keys() >= set(group.codes):
            self.alive.add(group.name)  # it was at the end
            return None
        reason = f"{death.how} (GK003)"
        self.known.dead |= dict.fromkeys({death.probe.name, group.name} - self.alive - {""}, reason)
        return reason

    def _attempt(self, process: WatchedProcess, group: Group, deadline: float, *, here: bool) -> Death | None:
        """Let a process do one group; how it died, if it did."""
        process.order(messages.Order(group, self.timeout, here, self.known, deadline - time.monotonic()))
        return process.follow()

    def _again(self, group: Group, deadline: float, death: Death) -> Death | None:
        """Do a group that died once more, in a new interpreter: what native libraries hold does not survive a copy."""
        self.copies_die = True
        if death.hangs:
            self.timeout = max(self.timeout / PATIENCE, MOMENT)
        process = WatchedProcess(self, copies=False)
        try:
            again = process.follow()
            if again is None:
                deadline = max(deadline, time.monotonic() + max(self.options.timeout, DEFAULT_TIMEOUT))
                again = self._attempt(process, group, deadline, here=True)
        finally:
            process.end()
        self.timeout = self.options.timeout
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
        self.known.learn_hang(hang, typical=typical)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None
