"""Checking in a process of its own: what the target does to it becomes a finding, and the check goes on in another."""

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
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final, cast

from gymkernel.checks.child import BOOTSTRAP, IMPORT_TIMEOUT
from gymkernel.checks.definition import Moment
from gymkernel.checks.engine import Collector, death

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

    from gymkernel.checks.records import Event, Finding
    from gymkernel.checks.subject import Options
    from gymkernel.checks.targets import Target

__all__ = ["run_isolated"]

TAIL: Final = 64 * 1024
"""Bytes of what the target prints that are kept."""
START: Final = Moment("the import")
NEWS: Final = 0.2
"""Seconds between two events that only tell that it goes on."""
HANGS: Final = 2
DEATHS: Final = 6
"""Processes that one target may cost by hanging, and in all."""


def run_isolated(target: Target, options: Options, emit: Callable[[Event], None]) -> None:
    """Check a target; where it ends its process, go on in a new one without the probe that did."""
    collector = Collector(emit)
    dead: dict[str, str] = {}
    deaths: list[Death] = []
    while True:
        request = {
            "path": sys.path,
            "target": asdict(target),
            "options": asdict(options),
            "dead": dead,
            "done": sorted(collector.done),
        }
        child = Child(request, options.timeout)
        try:
            death = child.follow(collector.feed)
        finally:
            child.end()
        if death is None:
            break
        collector.feed({"event": "died", "finding": asdict(death.finding)})
        dead[child.probe] = f"{death.how} (GK003)"
        deaths.append(death)
        if not collector.planned:
            collector.planned = ["GK001", "GK003"]  # it died before it could say what there is to check
        hangs = sum(one.hangs for one in deaths)
        if death.fatal or not child.probe or hangs >= HANGS or len(deaths) >= DEATHS:
            break
    if not collector.failed:
        collector.conclude()


@dataclass(slots=True)
class Death:
    """How a process ended before its time."""

    finding: Finding
    how: str
    fatal: bool
    hangs: bool


@dataclass(slots=True)
class Child:
    """One process that checks, and what is known of it."""

    request: dict[str, Any]
    timeout: float
    probe: str = ""
    now: Moment = START
    recipe: str = ""
    complete: bool = False
    _lines: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    _tail: deque[bytes] = field(default_factory=deque)
    _process: subprocess.Popen[bytes] = field(init=False)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start it."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, and a program of ours
            [sys.executable, "-c", BOOTSTRAP],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        for target in (self._read_events, self._read_prints):
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
            self._threads.append(thread)
        with contextlib.suppress(BrokenPipeError):
            stdin = cast("IO[bytes]", self._process.stdin)
            stdin.write(json.dumps(self.request).encode() + b"\n")
            stdin.close()

    def _read_events(self) -> None:
        for line in cast("IO[bytes]", self._process.stdout):
            self._lines.put(line)
        self._lines.put(b"")

    def _read_prints(self) -> None:
        stderr, size = cast("BufferedReader", self._process.stderr), 0
        while chunk := stderr.read1(8192):
            self._tail.append(chunk)
            size += len(chunk)
            while size > TAIL:
                size -= len(self._tail.popleft())

    def follow(self, feed: Callable[[Event], None]) -> Death | None:
        """Pass on its events until it has said all, or is gone."""
        shown = time.monotonic()
        while line := self._next_line():
            if line.startswith(b"@"):
                phase, *numbers = line[1:-1].decode().split("|")
                self.now = Moment(phase, *(int(number) if number else None for number in numbers))
                if time.monotonic() - shown > NEWS:
                    shown = time.monotonic()
                    feed({"event": "at", **self.now._asdict()})
                continue
            event = json.loads(line)
            match event["event"]:
                case "end":
                    self.complete = True
                    return None
                case "exit":
                    return self._told_death(event["message"])
                case "probe":
                    self.probe = event["name"]
                case "recipe":
                    self.recipe = event["lines"]
                case _:
                    feed(event)
        return self._death(hangs=line is None)

    def _next_line(self) -> bytes | None:
        """The next line, empty where there are no more; None where it is quiet for too long."""
        patience = max(1.25 * self.timeout, IMPORT_TIMEOUT if self.now.phase == "the import" else 0) + 5
        end = time.monotonic() + patience
        while time.monotonic() < end:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=0.1)
            if self._process.poll() is not None and self._lines.empty():
                return b""
        return None

    def _death(self, *, hangs: bool) -> Death:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0 if hangs else 5)
        for thread in self._threads:
            thread.join(timeout=0.5)
        text = b"".join(self._tail).decode(errors="replace")
        status = self._process.returncode
        if hangs or re.search(r"^Timeout \(\d+:\d\d:\d\d", text, re.MULTILINE):
            return self._told_death(f"did not return in {self.timeout:g} s", text)
        if status is not None and status < 0:
            with contextlib.suppress(ValueError):
                return self._told_death(f"killed the process ({signal.Signals(-status).name})", text)
        return self._told_death(f"ended the process with status {status}", text)

    def _told_death(self, how: str, text: str = "") -> Death:
        moment = self.now
        place = _place(text)
        finding = death(moment, f"{moment.phase} {how}", place, self.recipe)
        fatal = moment.phase in {"the import", "the constructor"}
        return Death(finding, f"{moment.phase} {how}", fatal, hangs="did not return" in how)

    def end(self) -> None:
        """Leave nothing behind: not it, nor what it started."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2 if self.complete else 0)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for thread, pipe in zip(self._threads, (self._process.stdout, self._process.stderr), strict=True):
            thread.join(timeout=1)
            if pipe is not None and not thread.is_alive():
                pipe.close()


FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)


def _place(text: str) -> tuple[str, int] | None:
    """The innermost line of the target in what faulthandler wrote."""
    start = max(text.rfind("(most recent call first)"), 0)
    frames = [(file, int(line)) for file, line in FRAME.findall(text[start:])]
    own = [frame for frame in frames if not re.search(r"gymkernel[\\/]checks|<frozen|<string>", frame[0])]
    mine = [frame for frame in own if not frame[0].startswith((sys.base_prefix, sys.prefix))]
    return next(iter(mine or own), None)
