"""How a worker ends with its parent, whatever its environments are doing, and leaves Ctrl-C to it."""

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
    from gymkernel_vector_async._channel import Channel

__all__ = ["hold_on"]


def hold_on(channel: Channel, *, served: bool, watch: bool) -> None:
    """Tie this process to its parent, whose end of the channel closes when it ends.

    Args:
        channel: to the parent.
        served: whether a fork server started this process.
        watch: whether a thread has to watch the channel, because the system cannot end this process with its parent.
    """
    left = _leave_server()
    watch = watch or (served and not left)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if watch:
        threading.Thread(target=_watch, args=(channel.fd,), daemon=True, name="gymkernel-watch").start()
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    channel.take()
    if channel.closed:
        os._exit(0)  # the parent ended before


def _leave_server() -> bool:
    """Let go of the parent's fork server, which else lives as long as this process; whether there was one.

    What this process starts by a fork server has one of its own.
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
    """End this process with its parent, whatever the environments are doing."""
    poll = select.poll()
    poll.register(fd, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll()):
        time.sleep(0.1)
    os._exit(0)
