"""The guard: a process between a check and a program that has the target, which outlives whatever the target does.

The parent of the program is the guard and not the check. The guard keeps all signals waiting, adopts what the program
leaves running, and ends all of that when the program has ended, or when the check has. `guarded.py` is the side of the
check.
"""

from __future__ import annotations

import os
import select

from gymkernel_tool_check.system import processes, signals

__all__ = ["guard"]

LOOK = 0.5
"""Seconds between two looks at whether the check is alive, where no signal comes before."""


def guard(parent_watch: int, reports: int) -> None:
    """Split in two: the child returns from here and becomes the program, the parent guards that child, and ends.

    Args:
        parent_watch: a descriptor that hangs up when the check ends, or wants the program to end.
        reports: a descriptor to which the guard writes what happens, a line each: "started", "signal", "exited".
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
    for descriptor in (0, 1, 2):  # the program alone holds the streams
        os.dup2(nothing, descriptor)
    try:
        os.write(reports, f"started {pid}\n".encode())
        status = _watch(pid, parent_watch, reports)
        if status is not None:
            os.write(reports, f"exited {status}\n".encode())
    except BrokenPipeError:  # the check has ended
        pass
    finally:
        _end(pid)
        os._exit(0)


def _watch(pid: int, parent_watch: int, reports: int) -> int | None:
    """Wait until the program ends, and return its status; None where the check ended first."""
    watcher = select.poll()
    watcher.register(parent_watch, select.POLLHUP)
    while not watcher.poll(0):
        _report(signals.next_held(LOOK), reports)
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == pid:
                while name := signals.next_held(0):  # the program may have sent several signals at its end
                    _report(name, reports)
                return os.waitstatus_to_exitcode(status)
            if ended == 0:
                break
    return None


def _report(name: str, reports: int) -> None:
    """Report a signal that has come, unless the signal is harmless or the name is empty."""
    if name not in signals.HARMLESS:
        os.write(reports, f"signal {name}\n".encode())


def _end(pid: int) -> None:
    """End the program and everything that it has left running."""
    if not processes.IS_TOLD:
        processes.end_group(pid)
        return
    processes.end_descendants()
    processes.reap_trackers()
