"""`Guarded`, a Python program that runs as the child of a guard process.

The guard is a child process of the checker and the parent process of the program. It blocks all signals. When the
program or the checker has exited, it kills all processes that the program has left running.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final, Self

from gymkernel_tool_check.system import processes, signals

__all__ = ["GUARDS", "Guarded", "GuardedOutput", "guard"]

GUARDS: Final = hasattr(os, "fork")
"""Whether guards work on this system. If not, the checker itself is the parent of its programs."""
MARK: Final = "GYMKERNEL_CHECK_PROCESS"
"""The environment variable that marks a program's processes, so that they can be found if the guard was killed."""
SOURCE: Final = str(Path(__file__).parents[2])
BEGIN: Final = (
    f"import sys; sys.path.append({SOURCE!r}); from gymkernel_tool_check.system.guarded import guard; sys.path.pop(); "
    "guard(int(sys.argv.pop(1)), int(sys.argv.pop(1))); "
)
TICK: Final = 0.05
LOOK: Final = 0.5
"""The longest interval, in seconds, at which to check whether the guard's parent process is still alive."""
GRACE: Final = 5.0
"""How long the guard may take to kill the remaining processes if no shared memory must be unlinked, in seconds."""


class Guarded:
    """A Python program that is running, together with its guard process.

    Attributes:
        pid: the process id of the program.
        status: the exit status of the program, or None while it is running or if its guard was killed.
        signals: the names of the signals that were sent to the guard.

    Args:
        program: the source code of the program.
        env: environment variables to add to those of the current process, or None.
        **streams: `stdin`, `stdout` and `stderr`, as for `subprocess.Popen`.
    """

    def __init__(self, program: str, *, env: Mapping[str, str] | None = None, **streams: Any) -> None:
        self.status: int | None = None
        self.pid = 0
        self._mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        self.signals: list[str] = []
        self._started = threading.Event()
        environment = {**os.environ, **(env or {}), MARK: self._mark}
        if not GUARDS:
            self._open = contextlib.ExitStack()
            self._process = subprocess.Popen([sys.executable, "-c", program], env=environment, **streams)  # noqa: S603
            self.pid = self._process.pid
            return
        with contextlib.ExitStack() as stack:
            ends = [os.fdopen(end, mode) for end, mode in zip(os.pipe() + os.pipe(), ("rb", "wb") * 2, strict=True)]
            parent_watch, self._parent_watch, reports, theirs = map(stack.enter_context, ends)
            self._process = subprocess.Popen(  # noqa: S603 - the interpreter and the program are known
                [sys.executable, "-c", BEGIN + program, str(parent_watch.fileno()), str(theirs.fileno())],
                pass_fds=(parent_watch.fileno(), theirs.fileno()),
                start_new_session=True,
                env=environment,
                **streams,
            )
            parent_watch.close()
            theirs.close()
            self._thread = threading.Thread(target=self._read, args=(reports,), daemon=True)
            self._thread.start()
            self._open = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _read(self, reports: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):  # the stream is closed when the program has ended
            for line in reports:
                word, _, value = line.decode().strip().partition(" ")
                match word:
                    case "started":
                        self.pid = int(value)
                        self._started.set()
                    case "signal":
                        self.signals.append(value)
                    case "exited":
                        self.status = int(value)
        self._started.set()

    @property
    def stdin(self) -> Any:
        """The program's standard input if it is a pipe, otherwise None."""
        return self._process.stdin

    @property
    def stdout(self) -> Any:
        """The program's standard output if it is a pipe, otherwise None."""
        return self._process.stdout

    @property
    def is_over(self) -> bool:
        """Whether the program, its guard and all processes that the program left running have exited."""
        return self._process.poll() is not None

    @property
    def guard_died(self) -> str:
        """The name of the signal that killed the guard before the program had exited, or "" if there was none."""
        code = self._process.poll()
        return signal.Signals(-code).name if GUARDS and code is not None and code < 0 else ""

    def wait(self, timeout: float) -> int | None:
        """Wait until the program has exited.

        Args:
            timeout: the maximum number of seconds to wait.

        Returns:
            The exit status of the program, or that of the guard if the guard was killed, or None if both are still
            running.
        """
        end = time.monotonic() + timeout
        while self.status is None and not self.is_over and time.monotonic() < end:
            time.sleep(TICK / 5)
            self.look_at_guard()
        if self.is_over and GUARDS:
            self._thread.join(timeout=GRACE)
        return self._process.poll() if self.status is None else self.status

    def look_at_guard(self) -> None:
        """Resume the guard if a signal has stopped it."""
        if GUARDS and not self.is_over and processes.is_stopped(self._process.pid):
            self.signals.append("SIGSTOP")
            processes.wake(self._process.pid)

    def end(self) -> None:
        """End the program and all processes that it has left running."""
        self._started.wait(GRACE)
        if GUARDS:
            with contextlib.suppress(OSError):
                self._parent_watch.close()
            end = time.monotonic() + GRACE + processes.PATIENCE
            while not self.is_over and time.monotonic() < end:
                processes.wake(self._process.pid)  # a stopped guard cannot notice that it should exit
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=TICK)
        if self.pid and not self.is_over:
            processes.end_group(self.pid)
        processes.kill(self._process.pid) if not self.is_over else None
        self._process.wait()
        if self._process.returncode != 0:
            processes.end_marked(f"{MARK}={self._mark}")
        if GUARDS:
            self._thread.join(timeout=GRACE)
        self._open.close()


class GuardedOutput(Guarded):
    """A guarded Python program whose output is written to files.

    If the output were a pipe, a process that the program leaves running could block whoever reads the pipe.

    Args:
        program: the source code of the program.
        text: the text for the program's standard input.
        env: environment variables to add to those of the current process, or None.
    """

    def __init__(self, program: str, text: str, *, env: Mapping[str, str] | None = None) -> None:
        with contextlib.ExitStack() as stack:
            given, *self._files = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(text.encode())
            given.seek(0)
            super().__init__(program, env=env, stdin=given, stdout=self._files[0], stderr=self._files[1])
            self._open.push(stack.pop_all())

    def read(self) -> tuple[str, str]:
        """Return what the program has written to standard output and to standard error so far."""
        out, err = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in self._files)
        return out.decode(errors="replace"), err.decode(errors="replace")


def guard(parent_watch: int, reports: int) -> None:
    """Fork the current process. The child process returns and becomes the program, and the parent process guards it.

    Args:
        parent_watch: the read end of a pipe. Its other end is closed when the checker exits or wants the program to
            end.
        reports: the file descriptor to which the guard writes one event per line: "started", "signal" or "exited".
    """
    before = signals.hold()
    processes.adopt_orphans()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(parent_watch)
        os.close(reports)
        os.setsid()
        processes.die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        signals.release(before)
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # the guard must not keep the program's streams open
        os.dup2(nothing, descriptor)
    try:
        os.write(reports, f"started {pid}\n".encode())
        status = _watch(pid, parent_watch, reports)
        if status is not None:
            os.write(reports, f"exited {status}\n".encode())
    except BrokenPipeError:  # the checker has exited
        pass
    finally:
        if processes.HAS_PROC:
            processes.end_descendants()
            processes.reap_trackers()
        else:
            processes.end_group(pid)
        os._exit(0)


def _watch(pid: int, parent_watch: int, reports: int) -> int | None:
    """Wait until the program exits, and return its status, or None if the checker exits first."""
    watcher = select.poll()
    watcher.register(parent_watch, select.POLLHUP)
    while not watcher.poll(0):
        _report(signals.next_held(LOOK), reports)
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == pid:
                while name := signals.next_held(0):  # the program may have sent several signals before it exited
                    _report(name, reports)
                return os.waitstatus_to_exitcode(status)
            if ended == 0:
                break
    return None


def _report(name: str, reports: int) -> None:
    """Report a signal to the checker, unless it is harmless or has no name."""
    if name not in signals.HARMLESS:
        os.write(reports, f"signal {name}\n".encode())
