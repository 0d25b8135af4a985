"""`Process`: one process that has the target, watched from outside: what it says, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

from gymkernel_tool_check import processes
from gymkernel_tool_check.child import BOOTSTRAP, PLACE, ROOM, TRACE, read_moment
from gymkernel_tool_check.deaths import death
from gymkernel_tool_check.definition import Hang

if TYPE_CHECKING:
    from gymkernel_tool_check.isolation import Session

__all__ = ["Death", "Group", "Process"]

NEWS: Final = 0.2
"""Seconds between two events that only tell that it goes on."""
TICK: Final = 0.05
"""Seconds between two looks at a process that says nothing."""
GRACE: Final = 5.0
"""Seconds after which a process that should have ended itself is ended."""
BACKSTOP: Final = 1.25
"""And after so many times its patience."""
FRAME: Final = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)
FIRST_FRAME: Final = "(most recent call first)"


class Group(NamedTuple):
    """Rules that are checked in one process; without the first group there is nothing to check."""

    name: str
    codes: list[str]
    is_first: bool


@dataclass(slots=True)
class Death:
    """How a process ended before its time: `how` of the finding, and at which probe, a typical one or not."""

    finding: dict[str, Any]
    how: str
    probe: str
    typical: bool
    hangs: bool


class Process:
    """One process that has the target, and what is known of it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.copies, self.gone = False, False
        self.groups: list[Group] = []
        self._probe, self._typical, self._recipe, self._pid = "", False, "", 0
        self._ended, self._worked, self._died = "", False, cast("Death | None", None)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        patience = max(session.timeout, session.options.import_timeout)
        for name, size in ((PLACE, ROOM), (TRACE, 0)):
            (session.folder / name).write_bytes(
                f"0|{patience}|the import|None|None|None\n".encode().ljust(size, b" ")[:size]
            )
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, and a program of ours
            [sys.executable, "-c", BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(session.folder / "tmp")},
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        target, options = asdict(session.target), asdict(session.options)
        request = {"path": sys.path, "target": target, "options": options, "folder": str(session.folder)}
        self.order({**request, "copies": session.copies})

    def order(self, order: dict[str, Any]) -> None:
        """Say what to do next."""
        stdin = cast("IO[bytes]", self._process.stdin)
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(order).encode() + b"\n")
            stdin.flush()

    def _read(self) -> None:
        for line in cast("IO[bytes]", self._process.stdout):
            self._lines.put(line)
        self._lines.put(b"")

    def follow(self) -> Death | None:
        """Pass on its events until what was ordered is done; how it died, if it did."""
        self._ended, self._worked, self._died = "", False, None
        while line := self._next_line():
            event = json.loads(line)
            match event["event"]:
                case "ready":
                    self.copies, self.groups = event["copies"], [Group(*one) for one in event["groups"]]
                    return None
                case "failure":
                    self.session.collector.feed(event)
                    return None
                case "gone":
                    self._pid = 0
                    return self._verdict(event["status"])
                case _:
                    self._take(event)
        self.gone = True
        return self._verdict(None)

    def _take(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "recipe":
                self._recipe = event["lines"]
            case "began":
                self._pid, self._probe, self._typical = event["pid"], "", False
            case "probe":
                self._probe, self._typical = event["name"], event["typical"]
            case "known":
                self.session.learn(event["name"], event["value"])
            case "hung":
                self.session.learn_hang(Hang(event["phase"], event["episode"], event["step"]), typical=self._typical)
            case "worked":
                self._worked = True
            case "exit":
                self._died = self._told_death(event["how"], [(str(file), line) for file, line in event["frames"]])
            case _:
                self.session.collector.feed(event)

    def _verdict(self, status: int | None) -> Death | None:
        return self._died or (None if self._worked else self._death(status))

    def _next_line(self) -> bytes:
        """The next line, empty at the end; a process that is silent or takes too much memory is ended."""
        seen, since = -1, time.monotonic()
        shown = since
        while True:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=TICK)
            now = time.monotonic()
            count, patience, moment = read_moment(self.session.folder)
            if count != seen:
                self.session.longest = max(self.session.longest, now - since if seen >= 0 and not self._ended else 0)
                seen, since = count, now
            if now - shown > NEWS:
                shown = now
                self.session.collector.feed({"event": "at", **moment._asdict()})
            pid = self._pid or self._process.pid
            if not self._ended and processes.resident_memory(pid) > self.session.limit:
                self._ended = f"took more than {self.session.limit / 2**30:.1f} GiB of memory"
                processes.kill(pid)
            elif not self._ended and now - since > BACKSTOP * patience + GRACE:
                self._ended = f"did not return in {patience:g} s"
                processes.kill(pid)

    def _death(self, status: int | None) -> Death:
        """What the end of a process without a word means."""
        if status is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=GRACE)
            status = self._process.returncode
        text = (self.session.folder / TRACE).read_text(errors="replace")
        frames = [(file, int(line)) for file, line in FRAME.findall(text[max(text.rfind(FIRST_FRAME), 0) :])]
        if self._ended:
            return self._told_death(self._ended, frames)
        if re.search(r"^Timeout \(\d+:\d\d:\d\d", text, re.MULTILINE):
            patience = read_moment(self.session.folder)[1]
            return self._told_death(f"did not return in {patience:g} s", frames)
        if status is not None and status < 0:
            with contextlib.suppress(ValueError):
                return self._told_death(f"killed the process ({signal.Signals(-status).name})", frames)
        return self._told_death(f"ended the process with status {status}", frames)

    def _told_death(self, how: str, frames: list[tuple[str, int]]) -> Death:
        moment = read_moment(self.session.folder)[2]
        how = f"{moment.phase} {how}"
        finding = asdict(death(moment, how, _place(frames), self._recipe))
        return Death(finding, how, self._probe, self._typical, hangs="did not return" in how)

    def end(self) -> None:
        """Leave nothing behind: not it, nor what it started."""
        if self._pid:
            processes.kill(self._pid)
        with contextlib.suppress(OSError):
            cast("IO[bytes]", self._process.stdin).close()
        if self.groups and not self.gone:  # it ends what it has inherited, and then itself
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=GRACE)
        processes.kill_group(self._process.pid)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._thread.join(timeout=1)
        if not self._thread.is_alive():
            cast("IO[bytes]", self._process.stdout).close()


def _place(frames: list[tuple[str, int]]) -> tuple[str, int] | None:
    """The innermost line of the target; `frames` begin with the innermost."""
    own = [frame for frame in frames if not re.search(r"gymkernel[\\/]checks|<frozen|<string>", frame[0])]
    mine = [frame for frame in own if not frame[0].startswith((sys.base_prefix, sys.prefix))]
    return next(iter(mine or own), None)
