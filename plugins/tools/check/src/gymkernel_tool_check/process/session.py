"""`Session`, which checks a target in other processes.

If the target crashes one of these processes, the crash is reported as a finding, and the check continues.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, cast

from gymkernel_tool_check import catalogue, events
from gymkernel_tool_check.definition import BudgetSpent, Group, Hang
from gymkernel_tool_check.events import Facts
from gymkernel_tool_check.options import DEFAULT_TIMEOUT, Options
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.process.watched import Death, WatchedProcess
from gymkernel_tool_check.records import Collector
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.targets import Target

__all__ = ["Session"]

PATIENCE: Final = 4
MOMENT: Final = 1.0
"""After a call has hung, the time limit is divided by `PATIENCE`, but it does not fall below `MOMENT` seconds."""
SHARE: Final = 0.6
"""The fraction of the free memory that the target is allowed to use."""
IMPORT: Final = ("GK001", "GK003")
"""The rules that report that importing the target ended the process."""


class Session:
    """A worker that runs the rules for a target in other processes, one process at a time.

    Args:
        target: the target to check.
        options: the options of the check.
        collector: the object that receives the events.
        copies: whether groups of rules may run in forks of the process that imported the target. If not, each group
            gets a new process.
        stop: an event. When another thread sets it, the check raises `KeyboardInterrupt`. None if no other thread stops
            the check.
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
        """Import the target in another process and return the groups of rules, or none if the import failed."""
        return self._process.groups if self._import() and self._process is not None else ()

    def do(self, group: Group, seconds: float) -> str | None:
        """Run a group of rules. Return the reason if the group ended early, otherwise None.

        Args:
            group: a group that `begin` returned.
            seconds: the time left for the check in seconds.

        Raises:
            BudgetSpent: if the time budget is spent.
        """
        if seconds < 0:
            raise BudgetSpent
        reason = self.known.dead.get(group.name)
        if reason is None and (self._process is not None or self._import()):
            return self._work(group, time.monotonic() + seconds)
        return reason

    def close(self) -> None:
        """End all processes and remove all files of this session."""
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _import(self) -> bool:
        """Start a process that imports the target. Return whether the check can continue."""
        self._process = process = WatchedProcess(self, copies=self.copies)
        death = process.follow()
        if death is not None:
            self._end()
            if not self.collector.report.rules:  # the process died before it sent the rules
                rules = (rule for rule in catalogue.rules(self.target.kind) if rule.code in IMPORT)
                self.collector.feed(events.Planned(tuple(rule.describe() for rule in rules)))
            self.collector.feed(events.Died(death.finding))
            return False
        return bool(process.groups)

    def _work(self, group: Group, deadline: float) -> str | None:
        """Run a group of rules in the process that imported the target, or in a fork of that process."""
        process = cast("WatchedProcess", self._process)
        death = self._attempt(process, group, deadline)
        if not process.copies or process.gone:
            self._end()
        if death is not None and process.copies and death.native and not self.copies_die:
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
        """Report how a group's process died, and remember which calls would kill other processes in the same way."""
        where = death.finding
        self.collector.feed(events.Died(where))
        if death.hangs:
            self.known.close_hangs |= where.method == "close"
            self.learn_hang(Hang(where.method, where.episode, where.step), typical=death.probe.typical)
        if where.method == "close" and self.collector.outcomes.keys() >= set(group.codes):
            self.alive.add(group.name)  # the process died after it had checked all rules
            return None
        reason = f"{death.how} (GK003)"
        self.known.dead |= dict.fromkeys({death.probe.name, group.name} - self.alive - {""}, reason)
        return reason

    def _attempt(self, process: WatchedProcess, group: Group, deadline: float) -> Death | None:
        """Let a process run a group of rules, and return the death of the process if it dies, or None."""
        return process.run(messages.Order(group, self.timeout, self.known, deadline - time.monotonic()))

    def _again(self, group: Group, deadline: float, death: Death) -> Death | None:
        """Rerun a group whose process died in a new interpreter, because native libraries may not work in a fork."""
        self.copies_die = True
        if death.hangs:
            self.timeout = max(self.timeout / PATIENCE, MOMENT)
        process = WatchedProcess(self, copies=False)
        try:
            again = process.follow()
            if again is None:
                deadline = max(deadline, time.monotonic() + max(self.options.timeout, DEFAULT_TIMEOUT))
                again = self._attempt(process, group, deadline)
        finally:
            process.end()
        self.timeout = self.options.timeout
        if again is None:
            self.copies = False  # from now on, run each group in a new process
            self._end()
        return death if again is not None and again.hangs else again

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Shorten the time limit after a hang. Remember the call if it will hang in every probe.

        Args:
            hang: the call that did not return.
            typical: whether the probe starts with the calls that every user makes.
        """
        # the limit must exceed the longest successful call, so that a slow call does not count as a hang
        self.timeout = min(self.timeout, max(self.options.timeout / 10, 4 * self.longest, 1.0))
        self.known.learn_hang(hang, typical=typical)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None
