"""`WatchedProcess`, which starts a process for the target, receives its messages, and finds out why it ended."""

from __future__ import annotations

import contextlib
import json
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from gymkernel_tool_check import events
from gymkernel_tool_check.definition import Group, Moment
from gymkernel_tool_check.events import CauseFound, HangSeen, Message, ModeEntered, ProbeEntered
from gymkernel_tool_check.findings import Finding, death
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.process.messages import FAULT_DUMP, OUTPUT, PLACE, ROOM
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.system.guarded import Guarded

if TYPE_CHECKING:
    from gymkernel_tool_check.process.session import Session

__all__ = ["Death", "WatchedProcess", "place_of"]

BOOTSTRAP: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from gymkernel_tool_check.process.child import main; main(sys.stdin.readline())"
)
"""The program that the process runs. It reads `sys.path`, so that it finds the same modules, and then a `Request`."""
NEWS: Final = 0.2
"""The time between two progress events, in seconds."""
TICK: Final = 0.05
"""The interval, in seconds, at which a process that sends no messages is examined."""
GRACE: Final = 5.0
"""How long a process may take to exit by itself before it is killed, in seconds."""
BACKSTOP: Final = 1.25
"""A process that its own watchdog has not ended is killed after this multiple of the time limit, plus `GRACE`."""
FRAME: Final = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)
CHECKER: Final = str(Path(__file__).parents[1])
FIRST_FRAME: Final = "(most recent call first)"


@dataclass(slots=True)
class Death:
    """The unexpected death of a process.

    Attributes:
        finding: the finding that reports how the process died.
        how: a description of how the process ended.
        probe: the probe that was running.
        hangs: whether the process was killed because a call did not return.
        native: whether a native library that does not work in a fork may have killed the process. This is False if
            Python code ended the process.
        mode: the render mode in use if it may need a display, otherwise "".
        display: the line of the target's output that mentions a display if none is available, otherwise "".
    """

    finding: Finding
    how: str
    probe: ProbeEntered
    hangs: bool
    native: bool
    mode: str
    display: str


class WatchedProcess:
    """A handle for a process that imports the target and runs groups of rules.

    Args:
        session: the session that starts the process.
        copies: whether the process may run groups of rules in forks.
    """

    def __init__(self, session: Session, *, copies: bool) -> None:
        self.session = session
        self.copies, self.gone = False, False
        self.groups: tuple[Group, ...] = ()
        self._probe, self._recipe, self._pid, self._mode = ProbeEntered(), "", 0, ""
        self._ended, self._worked, self._died = "", False, cast("Death | None", None)
        self._announced_signals: dict[str, messages.ParentSignalled] = {}
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        timeout = max(session.timeout, session.options.import_timeout)
        (session.folder / PLACE).write_bytes(messages.Place(0, timeout).encode().ljust(ROOM))
        (session.folder / FAULT_DUMP).write_bytes(b"")
        self._process = Guarded(
            BOOTSTRAP,
            env={"TMPDIR": str(session.folder / "tmp")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        self._write(json.dumps(sys.path).encode() + b"\n")
        self._write(messages.encode(messages.Request(session.target, session.options, str(session.folder), copies)))

    def run(self, order: messages.Order) -> Death | None:
        """Send an order to the process, and return the death of the process, or None."""
        self._write(messages.encode(order))
        return self.follow()

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def follow(self) -> Death | None:
        """Handle messages until the order has been carried out, and return the death of the process, or None."""
        self._ended, self._worked, self._died = "", False, None
        while line := self._next_line():
            match message := messages.decode(line):
                case messages.Ready(copies, groups, recipe):
                    self.copies, self.groups, self._recipe = copies, groups, recipe
                    return None
                case messages.GroupBegan(pid):
                    self._pid, self._probe, self._mode = pid, ProbeEntered(), ""
                case messages.GroupDone():
                    self._worked = True
                case messages.GroupExited(status):
                    died = self._verdict(status)
                    self._pid = 0
                    return died
                case messages.ProcessExited(how, frames):
                    self._died = self._make_death(how, frames, native=False)
                case messages.ParentSignalled():
                    self._take_signal(message)
                case events.Failed():
                    self.session.collector.feed(message)
                    return None
                case _:
                    self._pass_on(message)
        self.gone = True
        return self._verdict(None)

    def _pass_on(self, message: Message) -> None:
        """Store facts in the session, and pass events on to the collector."""
        match message:
            case ProbeEntered():
                self._probe = message
            case ModeEntered(mode):
                self._mode = mode
            case CauseFound(code):
                self.session.known.learn_cause(code)
            case HangSeen(hang):
                self.session.learn_hang(hang, typical=self._probe.typical)
            case events.Event():
                self.session.collector.feed(message)

    def _take_signal(self, signalled: messages.ParentSignalled) -> None:
        """Report a signal that the target sent to its parent process. Report each signal only once."""
        announced = self._announced_signals.get(signalled.name)
        if announced is None:
            self._announced_signals[signalled.name] = signalled
            moment = signalled.moment if signalled.frames else messages.Place.read(self.session.folder).moment
            how = f"{moment.phase} sent {signalled.name} to its parent process"
            found = death(moment, how, place_of(signalled.frames), self._recipe)
            self.session.collector.feed(events.Died(found))

    def _look_at_parents(self) -> None:
        """Resume the parent process if the target has stopped it with a signal."""
        if self._pid not in {0, self._process.pid} and processes.is_stopped(self._process.pid):
            processes.wake(self._process.pid)
            self._take_signal(messages.ParentSignalled("SIGSTOP"))

    def _verdict(self, status: int | None) -> Death | None:
        self._look_at_parents()
        self._process.look_at_guard()
        for name in self._process.signals:
            self._take_signal(messages.ParentSignalled(name))
        return self._died or (None if self._worked else self._death(status))

    def _next_line(self) -> bytes:
        """Return the next line, or b"" at the end. Kill the process if it hangs or uses too much memory."""
        seen, since = -1, time.monotonic()
        shown = since
        while True:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=TICK)
            if self.session.stop.is_set():
                raise KeyboardInterrupt
            self._look_at_parents()
            if self._process.is_over:
                self._thread.join(timeout=1)  # another process may have kept the stream open
                return b"" if self._lines.empty() else self._lines.get()
            now = time.monotonic()
            count, timeout, moment = messages.Place.read(self.session.folder)
            if count != seen:
                self.session.longest = max(self.session.longest, now - since if seen >= 0 and not self._ended else 0)
                seen, since = count, now
            if now - shown > NEWS:
                shown = now
                self.session.collector.feed(events.At(moment))
            pid = self._pid or self._process.pid
            if not self._ended and processes.resident_memory(pid) > self.session.limit:
                self._ended = f"took more than {self.session.limit / 2**30:.1f} GiB of memory"
                processes.kill(pid)
            elif not self._ended and now - since > BACKSTOP * timeout + GRACE:
                self._ended = f"did not return in {timeout:g} s"
                processes.kill(pid)

    def _death(self, status: int | None) -> Death:
        """Describe the death of a process that did not report why it ended."""
        is_parent = False
        if status is None:
            status = self._process.wait(timeout=GRACE)
            is_parent = bool(self._process.guard_died) or self._pid not in {0, self._process.pid}
        text = (self.session.folder / FAULT_DUMP).read_text(errors="replace")
        frames = tuple((file, int(line)) for file, line in FRAME.findall(text[max(text.rfind(FIRST_FRAME), 0) :]))
        if self._ended:
            return self._make_death(self._ended, frames, native="memory" not in self._ended)
        if re.search(r"^Timeout \(\d+:\d\d:\d\d", text, re.MULTILINE):
            timeout = messages.Place.read(self.session.folder).timeout
            return self._make_death(f"did not return in {timeout:g} s", frames)
        if status is not None and status < 0:
            with contextlib.suppress(ValueError):
                name = signal.Signals(-status).name
                if is_parent:
                    sent = self._announced_signals.get(name, messages.ParentSignalled(name, frames=frames))
                    how, moment = f"sent {name} to its parent process", sent.moment if sent.moment.phase else None
                    return self._make_death(how, sent.frames, native=False, moment=moment)
                return self._make_death(f"killed the process ({name})", frames)
        return self._make_death(f"ended the process with status {status}", frames)

    def _make_death(
        self, how: str, frames: Sequence[tuple[str, int]], *, native: bool = True, moment: Moment | None = None
    ) -> Death:
        moment = moment or messages.Place.read(self.session.folder).moment
        how = f"{moment.phase} {how}"
        finding = death(moment, how, place_of(frames), self._recipe)
        return Death(finding, how, self._probe, "did not return" in how, native, self._mode, self._asked())

    def _asked(self) -> str:
        """Return the line of the target's output that mentions a display, or "" if the machine has a display."""
        if processes.has_display():
            return ""
        with contextlib.suppress(OSError):
            text = (self.session.folder / OUTPUT).read_text(encoding="utf-8", errors="replace")
            return processes.asks_for_a_display(text[-10_000:])
        return ""

    def end(self) -> None:
        """End the process and all processes that it has started."""
        if self._pid:
            processes.kill(self._pid)
            if not processes.HAS_PROC and self._pid != self._process.pid:
                processes.kill_group(self._pid)
        self._process.end()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._thread.join(timeout=1)
        if not self._thread.is_alive():
            self._process.stdout.close()


def place_of(frames: Sequence[tuple[str, int]]) -> tuple[str, int] | None:
    """Return the (file, line) of the innermost stack frame outside of the checker, or None if there is none.

    Args:
        frames: the (file, line) of each stack frame, starting with the innermost.
    """
    own = [frame for frame in frames if not frame[0].startswith((CHECKER, "<frozen", "<string>"))]
    mine = [frame for frame in own if not frame[0].startswith((sys.base_prefix, sys.prefix))]
    return next(iter(mine or own), None)
