"""The function `end_with_parent`, which makes a worker exit when its parent exits."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gymkernel_vector_async._channel import Transport

__all__ = ["end_with_parent"]


def end_with_parent(transport: Transport, *, by_fork_server: bool, by_thread: bool) -> None:
    """Make this process ignore Ctrl-C and exit when its parent exits.

    Args:
        transport: the connection to the parent, which is closed when the parent exits.
        by_fork_server: whether a fork server started this process.
        by_thread: whether a thread must watch the parent, because the system cannot kill this process when its parent
            exits.
    """
    left_server = _leave_fork_server()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if by_thread or (by_fork_server and not left_server):
        threading.Thread(target=_watch, args=(transport.fd,), daemon=True, name="gymkernel-watch").start()
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    transport.receive()
    if transport.closed:
        os._exit(0)  # the parent exited before prctl was called


def _leave_fork_server() -> bool:
    """Close the connection to the parent's fork server, and return whether it was open.

    While the connection is open, the fork server cannot exit. If this process later uses the start method
    "forkserver", a new fork server is started.
    """
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    fd = getattr(server, "_forkserver_alive_fd", None)
    if not isinstance(fd, int):
        return False
    os.close(fd)
    server._forkserver_alive_fd = server._forkserver_address = None  # type: ignore[union-attr]  # noqa: SLF001
    server._forkserver_pid = None  # type: ignore[union-attr]  # noqa: SLF001
    return True


def _watch(fd: int) -> None:
    """End this process when the parent closes its end of the socket."""
    poll = select.poll()
    poll.register(fd, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll()):
        time.sleep(0.1)
    os._exit(0)
