"""How the processes of workers are ended: asked, then by SIGTERM, then by SIGKILL."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from gymkernel_vector_async._worker_handle import GRACE_PERIOD, WorkerHandle

__all__ = ["stop_workers"]

CLOSE_TIMEOUT: Final = 10.0
"""Seconds for environments to close, once their worker has heard."""


def stop_workers(workers: Sequence[WorkerHandle], *, timeout: float | None, terminate: bool) -> list[Any]:
    """End processes: ask, then SIGTERM, then SIGKILL; the failures of environments that could not close.

    Args:
        workers: some of which may have ended.
        timeout: seconds for those that were asked; None for 1 s to hear, and 10 s to close once heard.
        terminate: do not ask.
    """
    running = [worker for worker in workers if worker.has_process()]
    failures: list[Any] = []
    try:
        if not terminate:
            _ask_to_close(running, timeout, failures)
        for end in ("terminate", "kill"):
            left = [worker for worker in running if worker.has_process()]
            for worker in left:
                getattr(worker.process, end)()
            deadline = time.monotonic() + GRACE_PERIOD
            for worker in left:
                worker.join(max(deadline - time.monotonic(), 0.0))
    finally:
        for worker in workers:
            worker.discard()
    return failures


def _ask_to_close(workers: Sequence[WorkerHandle], timeout: float | None, failures: list[Any]) -> None:
    began = time.monotonic()
    for worker in workers:
        worker.ask_to_close(began + (GRACE_PERIOD if timeout is None else timeout))
    waiting, pause = list(workers), 0.0005
    while waiting:
        for worker in list(waiting):
            failures += worker.close_failures()
            limit = timeout if timeout is not None else CLOSE_TIMEOUT if worker.has_heard_to_close() else GRACE_PERIOD
            if not worker.has_process() or time.monotonic() > began + limit:
                waiting.remove(worker)
        if waiting:
            time.sleep(pause)
            pause = min(pause * 2, 0.02)
