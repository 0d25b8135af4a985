"""How the processes of workers are ended: asked, then by SIGTERM, then by SIGKILL."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from gymkernel_vector_async._worker_handle import GRACE_PERIOD, WorkerHandle

__all__ = ["ask_to_close", "end_workers"]

CLOSE_TIMEOUT: Final = 10.0
"""Seconds for environments to close, once their worker has heard."""


def ask_to_close(workers: Sequence[WorkerHandle], timeout: float | None, failures: list[Any]) -> None:
    """Ask workers to close their environments, and wait until their processes have ended.

    Args:
        workers: some of which may have ended.
        timeout: seconds; None for 1 s to hear, and 10 s to close once heard.
        failures: is given the failures of environments that could not close.
    """
    began = time.monotonic()
    waiting, pause = [worker for worker in workers if worker.has_process()], 0.0005
    for worker in waiting:
        worker.ask_to_close(began + (GRACE_PERIOD if timeout is None else timeout))
    while waiting:
        for worker in list(waiting):
            failures += worker.close_failures()
            limit = timeout if timeout is not None else CLOSE_TIMEOUT if worker.has_heard_to_close() else GRACE_PERIOD
            if not worker.has_process() or time.monotonic() > began + limit:
                waiting.remove(worker)
        if waiting:
            time.sleep(pause)
            pause = min(pause * 2, 0.02)


def end_workers(workers: Sequence[WorkerHandle]) -> None:
    """End processes that still run, by SIGTERM, then by SIGKILL, and give back everything of all of them.

    Args:
        workers: some of which may have ended.
    """
    for end in ("terminate", "kill"):
        left = [worker for worker in workers if worker.has_process()]
        for worker in left:
            getattr(worker.process, end)()
        deadline = time.monotonic() + GRACE_PERIOD
        for worker in left:
            worker.join(max(deadline - time.monotonic(), 0.0))
    for worker in workers:
        worker.discard()
