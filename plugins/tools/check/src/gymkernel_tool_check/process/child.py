"""The program that imports the target and runs each probe in a fork of its process, so that a probe may crash.

If the operating system cannot fork, or if the target has started threads, which would be missing in a fork, each probe
gets a new process instead. In either case, the program sends events through a separate stream, and writes the current
call to a file that the watching process reads.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import mmap
import os
import signal
import threading
import time
import traceback
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gymkernel_tool_check import events
from gymkernel_tool_check.catalogue import UnknownCodeError
from gymkernel_tool_check.definition import BudgetSpent, Moment
from gymkernel_tool_check.engine import Execution
from gymkernel_tool_check.loading import load
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.system import processes, signals
from gymkernel_util_spaces.texts import error_text, text_of
from gymkernel_util_tools.target_lookup import TargetError

__all__ = ["main"]


MOST: Final = 2**20
"""The maximum amount of the target's output to keep, in bytes."""


class Reporter:
    """A connection to the watching process, over which messages and the current call are sent.

    The reporter also restarts a watchdog before each call. If the call does not return in time, the watchdog writes a
    traceback and ends the process.

    Args:
        stream: the file descriptor that the watching process reads.
        folder: the folder that is shared with the watching process.
        timeout: the time limit for each call to the target in seconds.
    """

    def __init__(self, stream: int, folder: Path, timeout: float) -> None:
        self.stream, self.folder = stream, folder
        self._count, self._moment = 0, Moment("the import")
        with (folder / messages.PLACE).open("r+b") as file:
            self._place = mmap.mmap(file.fileno(), messages.ROOM)
        self.restart(timeout)

    def restart(self, timeout: float) -> None:
        """Prepare the reporter for another group of rules, which runs in this process or in a fork.

        Args:
            timeout: the new time limit for each call to the target in seconds.
        """
        self._trace = (self.folder / messages.FAULT_DUMP).open("w")
        faulthandler.enable(file=self._trace)
        self.timeout, self._armed = timeout, -math.inf

    def rest(self) -> None:
        """Stop the watchdog before a fork, because the watchdog's thread would be missing in the fork."""
        faulthandler.cancel_dump_traceback_later()
        self._armed = -math.inf

    def tell(self, message: events.Message) -> None:
        """Send a message to the watching process."""
        self._arm()
        if os.fstat(2).st_size > MOST:
            os.ftruncate(2, 0)
        line = messages.encode(message)
        while line:
            line = line[os.write(self.stream, line) :]

    def announce(self, name: str, frames: tuple[tuple[str, int], ...]) -> None:
        """Report that the target is about to send a signal to the parent of this process."""
        self.tell(messages.ParentSignalled(name, self._moment, frames))

    def at(self, moment: Moment, within: float | None = None) -> None:
        """Record the next call. This method is called before every step, so it must be fast."""
        self._arm(within)
        self._count, self._moment = self._count + 1, moment
        text = messages.Place(self._count, within or self.timeout, moment).encode()
        self._place[: len(text)] = text

    def _arm(self, within: float | None = None) -> None:
        """Restart the watchdog. It is a C thread, so it works even while the target holds the GIL."""
        now = time.monotonic()
        if within is not None or now - self._armed > self.timeout / 8:
            self._armed = now if within is None else -math.inf  # the next call restarts the watchdog
            faulthandler.dump_traceback_later(within or self.timeout, exit=True, file=self._trace)


def main(line: str) -> None:
    """Import the target, and carry out orders until the stream of orders ends."""
    request: messages.Request = messages.decode(line)
    processes.die_with_parent()
    stream = os.dup(1)
    orders = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    output = os.open(Path(request.folder) / messages.OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):  # the watching process reads the output if the target crashes
        os.dup2(output, descriptor)
    reporter = Reporter(stream, Path(request.folder), request.options.timeout)
    warnings.simplefilter("ignore")
    signals.announce(reporter.announce)
    try:
        _serve(request, reporter, orders)
    except BaseException as exc:  # noqa: BLE001 - the imported module may call sys.exit
        _report_exit(reporter, exc)
    os._exit(0)  # exit without waiting for the target's threads


def _report_exit(reporter: Reporter, exc: BaseException) -> None:
    """Report an exception that ends the process and that no rule examines, such as SystemExit."""
    if isinstance(exc, SystemExit):
        how = f"ended the process: sys.exit({text_of(exc.code)})"
    else:
        how = f"raised {error_text(exc)}"
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(exc.__traceback__)]
    reporter.tell(messages.ProcessExited(how, tuple(frames[::-1])))


def _serve(request: messages.Request, reporter: Reporter, orders: Any) -> None:
    """Import the target, report it together with its rules, and run the groups of rules that are ordered."""
    before = set(threading.enumerate())
    reporter.restart(max(request.options.timeout, request.options.import_timeout))
    reporter.at(Moment("the import"))
    try:
        subject = load(request.target, request.options)
        execution = Execution(subject, reporter.tell)
        groups = execution.begin()
    except (TargetError, UnknownCodeError) as exc:
        reporter.tell(events.Failed(str(exc)))
        return
    subject.notify, subject.tell = reporter.at, reporter.tell
    alone = hasattr(os, "fork") and not set(threading.enumerate()) - before and not _has_native_threads(reporter)
    copies = alone and request.copies
    reporter.tell(messages.Ready(copies, groups, str(subject.recipe)))
    _run_groups(execution, reporter, orders, copies=copies)
    processes.end_descendants()


def _has_native_threads(reporter: Reporter) -> bool:
    """Return whether a native library has threads that, unlike those of OpenBLAS, are not stopped before a fork."""
    reporter.rest()  # the watchdog is itself a native thread
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return processes.thread_count() > threading.active_count()


def _run_groups(execution: Execution, reporter: Reporter, orders: Any, *, copies: bool) -> None:
    """Run groups of rules, each in a fork, or run a single group in this process."""
    processes.adopt_orphans()
    gc.collect()
    gc.freeze()  # leaves memory unchanged, so that forks share it
    own = processes.children()
    for line in orders:
        order: messages.Order = messages.decode(line)
        if not copies:
            _work(execution, reporter, order)
            break
        reporter.rest()
        pid, status = _copy(execution, reporter, order)
        processes.end_descendants(but=own)
        processes.reap_trackers(but=own)
        processes.kill_group(pid)  # needed on systems that cannot list descendant processes
        reporter.tell(messages.GroupExited(status))
        reporter.rest()


def _copy(execution: Execution, reporter: Reporter, order: messages.Order) -> tuple[int, int]:
    """Run a group of rules in a fork whose signals cannot end this process. Return the fork's id and exit status."""
    masked = signals.hold()
    # if the target ignores SIGCHLD, it is impossible to wait for a fork
    handler = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, handler or signal.SIG_DFL)
        signals.release(masked)
        processes.die_with_parent()
        os.setpgid(0, 0)
        _work(execution, reporter, order)
        os._exit(0)
    status = None
    while status is None:
        name = signals.next_held(1.0)
        if name not in signals.HARMLESS:
            reporter.tell(messages.ParentSignalled(name))
            reporter.rest()
        ended, code = os.waitpid(pid, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if ended else None
    while name := signals.next_held(0):
        if name not in signals.HARMLESS:
            reporter.tell(messages.ParentSignalled(name))
    signal.signal(signal.SIGCHLD, handler or signal.SIG_DFL)
    signals.release(masked)
    return pid, status


def _work(execution: Execution, reporter: Reporter, order: messages.Order) -> None:
    """Run a group of rules. Report an exception that no rule examines."""
    reporter.restart(order.timeout)
    os.ftruncate(2, 0)
    reporter.at(Moment("the probe"))
    reporter.tell(messages.GroupBegan(os.getpid()))
    subject = execution.subject
    subject.owner, subject.known = order.group.name, order.known
    subject.options = replace(subject.options, timeout=order.timeout)
    try:
        execution.do(order.group, order.seconds)
        with contextlib.suppress(BudgetSpent):
            subject.close()
        reporter.tell(messages.GroupDone())
    except BaseException as exc:  # noqa: BLE001 - the exception may be a KeyboardInterrupt
        _report_exit(reporter, exc)
