"""The process that has the target: it imports it once, and does each probe in a copy of itself that may die.

Where the operating system cannot copy processes, or the target has started threads, which no copy has, every probe is
given a new process instead. Either way this one says what happens on a stream of its own, and where it is in a file
that it shares with the process that watches it.
"""

from __future__ import annotations

import faulthandler
import gc
import math
import mmap
import os
import threading
import time
import traceback
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from gymkernel_tool_check import engine, events, processes
from gymkernel_tool_check.catalogue import UnknownCodeError
from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.loading import load
from gymkernel_tool_check.targets import TargetError
from gymkernel_tool_check.wire import (
    PLACE,
    ROOM,
    TRACE,
    Began,
    CauseFound,
    Ended,
    Entered,
    Exited,
    Gone,
    Group,
    HangSeen,
    Place,
    Ready,
    Told,
    decode,
    encode,
)

if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject
    from gymkernel_tool_check.wire import Message, Order, Request

__all__ = ["main"]


class Teller:
    """Tells events, one line each, and keeps the watchdog quiet while calls into the target return.

    Args:
        stream: the descriptor that the parent reads.
        folder: what is shared with the parent.
        timeout: seconds without a call that returns, after which the process writes where it is and exits.
    """

    def __init__(self, stream: int, folder: Path, timeout: float) -> None:
        self.stream, self.folder, self.patience = stream, folder, timeout
        self._armed = -math.inf
        self._count = 0
        with (folder / PLACE).open("r+b") as file:
            self._place = mmap.mmap(file.fileno(), ROOM)
        self._trace = (folder / TRACE).open("w")
        faulthandler.enable(file=self._trace)

    def begin(self, timeout: float) -> None:
        """Begin anew, in this process or a copy: nothing happened yet, and this is the patience from now on."""
        self._trace.close()
        self._trace = (self.folder / TRACE).open("w")
        faulthandler.enable(file=self._trace)
        self.patience, self._armed = timeout, -math.inf

    def rest(self) -> None:
        """Nothing of the target is called now; the watchdog does not survive a copy, so there must be none."""
        faulthandler.cancel_dump_traceback_later()
        self._armed = -math.inf

    def tell(self, message: Message) -> None:
        """Say what happened."""
        self._arm()
        line = encode(message)
        while line:
            line = line[os.write(self.stream, line) :]

    def at(self, moment: Moment, within: float | None = None) -> None:
        """Say what is called next; cheap, since it is said before every step."""
        self._arm(within)
        self._count += 1
        text = Place(self._count, within or self.patience, moment).encode()
        self._place[: len(text)] = text

    def _arm(self, within: float | None = None) -> None:
        """Wind the watchdog up; it is a thread in C, so a target that keeps the interpreter busy cannot stop it."""
        now = time.monotonic()
        if within is not None or now - self._armed > self.patience / 8:
            self._armed = now if within is None else -math.inf  # the next call has the usual time again
            faulthandler.dump_traceback_later(within or self.patience, exit=True, file=self._trace)


def main(line: str) -> None:
    """Import the target, and do what is ordered, until nobody orders any more."""
    request = cast("Request", decode(line))
    processes.die_with_parent()
    stream = os.dup(1)
    orders = os.fdopen(os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # what the target prints goes nowhere, and there is nothing to read
        os.dup2(null, descriptor)
    teller = Teller(stream, Path(request.folder), request.options.timeout)
    warnings.simplefilter("ignore")
    try:
        subject = _load(request, teller)
        if subject is not None:
            _serve(subject, teller, orders)
    except BaseException as exc:  # noqa: BLE001 - sys.exit and the like, from the import
        _tell_exit(teller, exc)
    os._exit(0)  # what the target has left running keeps nobody waiting


def _tell_exit(teller: Teller, exc: BaseException) -> None:
    """Tell of what ended the process without being an error that a rule has looked for."""
    if isinstance(exc, SystemExit):
        how = f"ended the process: sys.exit({exc.code!r})"
    else:
        how = f"raised {type(exc).__name__}{f': {exc}' if str(exc) else ''}"
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(exc.__traceback__)]
    teller.tell(Exited(how, tuple(frames[::-1])))


def _load(request: Request, teller: Teller) -> Subject | None:
    """Import the target, and say what it is and what there is to check."""
    options = request.options
    before = set(threading.enumerate())
    teller.begin(max(options.timeout, options.import_timeout))
    teller.at(Moment("the import"))
    try:
        subject = load(request.target, options)
        rules = engine.plan(subject)
    except (TargetError, UnknownCodeError) as exc:
        teller.tell(events.Failed(str(exc)))
        return None
    teller.tell(Told(str(subject.recipe)))
    teller.tell(events.Found(subject.found))
    teller.tell(events.Planned(tuple(one.describe() for one in rules)))
    alone = hasattr(os, "fork") and not set(threading.enumerate()) - before and not _has_native_threads(teller)
    teller.tell(events.Declared(subject.declared))
    first = engine.opening(subject)
    parts = engine.groups(subject, rules).items()
    groups = tuple(Group(name, tuple(one.code for one in several), name == first) for name, several in parts)
    teller.tell(Ready(alone and request.copies, groups))
    return subject


def _has_native_threads(teller: Teller) -> bool:
    """Whether there are threads that are not Python's, and that no library ends before a fork, as OpenBLAS does."""
    teller.rest()  # the watchdog is a thread, too
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return processes.thread_count() > threading.active_count()


def _serve(subject: Subject, teller: Teller, orders: Any) -> None:
    """Do one group of rules after the other, each in a copy of this process, or the only one in this one."""
    processes.adopt_orphans()
    gc.collect()
    gc.freeze()  # copies share what is not touched
    own = processes.children()
    for line in orders:
        order = cast("Order", decode(line))
        if order.here:
            _work(subject, teller, order)
        teller.rest()
        pid = os.fork()
        if pid == 0:
            _work(subject, teller, order)
        _, status = os.waitpid(pid, 0)
        processes.end_family(but=own)
        processes.kill_group(pid)  # where a family cannot be known
        teller.tell(Gone(os.waitstatus_to_exitcode(status)))
        teller.rest()
    processes.end_family()


def _work(subject: Subject, teller: Teller, order: Order) -> NoReturn:
    """Do one group of rules, and end."""
    if not order.here:
        processes.die_with_parent()
        os.setpgid(0, 0)
    teller.begin(order.timeout)
    teller.at(Moment("the probe"))
    teller.tell(Began(os.getpid()))
    subject.calls.notify, subject.memo.dead, subject.instances.leaves = teller.at, order.dead, order.leaves
    subject.exchange.owner, subject.exchange.known = order.group, order.known
    subject.options = replace(subject.options, timeout=order.timeout)
    subject.exchange.tell_cause = lambda code: teller.tell(CauseFound(code))
    subject.exchange.tell_hang = lambda hang: teller.tell(HangSeen(hang))
    subject.memo.entering = lambda probe: teller.tell(Entered(probe.name, probe.typical) if probe else Entered())
    try:
        engine.work(subject, order.group, teller.tell)
        subject.close()
        teller.tell(Ended())
    except BaseException as exc:  # noqa: BLE001 - KeyboardInterrupt, say: no rule looks for it
        _tell_exit(teller, exc)
    if order.here:
        processes.end_family()
    os._exit(0)
