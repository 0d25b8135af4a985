"""The class `ThreadPool`, which calls a function for many indices on several threads."""

from __future__ import annotations

import multiprocessing
import os
import threading
import weakref
from collections import deque
from queue import SimpleQueue
from typing import TYPE_CHECKING

from gymkernel_util_vector.cores import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["ThreadPool", "default_threads"]


def default_threads(creator: int | None = None) -> int:
    """Return the number of threads that an environment uses by default.

    A process that `multiprocessing` has started, or that was forked from the process that created the environment,
    shares the cores with other processes and therefore uses one thread. Other processes use as many threads as there
    are cores, but at most `OMP_NUM_THREADS`, which Ray sets in its workers.

    Args:
        creator: the id of the process that created the environment. By default, it is the id of this process.
    """
    if multiprocessing.parent_process() is not None or creator not in {None, os.getpid()}:
        return 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(limit))) if limit.isdigit() else cores()


class ThreadPool:
    """A pool of threads for functions that release the global interpreter lock.

    The threads are started when `run` is first called, and again in a forked process. The calling thread counts as one
    of the threads, so a pool with one thread starts no additional thread. The threads end when the pool is closed or no
    longer referenced, or when the program exits.

    Args:
        num_threads: the number of threads. If None, `default_threads` determines it in each process.

    >>> pool, squares = ThreadPool(2), [0] * 5
    >>> pool.run(lambda i: squares.__setitem__(i, i * i), range(5))
    >>> squares
    [0, 1, 4, 9, 16]
    >>> pool.close()
    """

    def __init__(self, num_threads: int | None = None) -> None:
        self._requested, self._creator = num_threads, os.getpid()
        self._jobs: SimpleQueue[_Job | None] | None = None
        self._pid = 0
        self._finalizer: weakref.finalize[[SimpleQueue[_Job | None], list[threading.Thread], int], ThreadPool] | None
        self._finalizer = None

    @property
    def num_threads(self) -> int:
        """The number of threads."""
        return default_threads(self._creator) if self._requested is None else self._requested

    def run(self, function: Callable[[int], None], indices: Sequence[int]) -> None:
        """Call a function for each index. If a call raises an exception, re-raise it after all threads have stopped.

        Args:
            function: the function, which takes an index.
            indices: the indices, in any order.
        """
        if self._pid != os.getpid():
            self._start()
        job = _Job(function, indices, 1 if self._jobs is None else self._size)
        total = len(job.parts)
        if self._jobs is not None:
            for _ in range(min(self._size, total) - 1):
                self._jobs.put(job)
        done, failure = job.work()
        while done < total:
            more, exc = job.finished.get()
            done, failure = done + more, failure or exc
        if failure is not None:
            raise failure

    def _start(self) -> None:
        self._pid, self._size, self._jobs = os.getpid(), self.num_threads, None
        if self._size > 1:
            jobs: SimpleQueue[_Job | None] = SimpleQueue()
            threads = [
                threading.Thread(target=_serve, args=(jobs,), name="gymkernel-mujoco", daemon=True)
                for _ in range(self._size - 1)
            ]
            for thread in threads:
                thread.start()
            self._jobs, self._finalizer = jobs, weakref.finalize(self, _stop, jobs, threads, self._pid)

    def close(self) -> None:
        """End the threads. The next call of `run` starts new threads."""
        if self._finalizer is not None:
            self._finalizer()
        self._finalizer, self._jobs, self._pid = None, None, 0


class _Job:
    """A function and the indices for which it has not been called yet, divided into parts.

    A free thread takes the next part. The parts become smaller, so that all threads finish at about the same time.

    Args:
        function: the function, which takes an index.
        indices: the indices.
        num_threads: the number of threads that share the work.

    Attributes:
        parts: the parts that no thread has taken yet.
        finished: a queue of the results that `work` has returned in the pool's threads.
    """

    def __init__(self, function: Callable[[int], None], indices: Sequence[int], num_threads: int) -> None:
        self.function = function
        self.parts: deque[Sequence[int]] = deque()
        while indices:
            size = -(-len(indices) // (2 * num_threads))
            self.parts.append(indices[:size])
            indices = indices[size:]
        self.finished: SimpleQueue[tuple[int, BaseException | None]] = SimpleQueue()

    def work(self) -> tuple[int, BaseException | None]:
        """Process parts until no parts are left. Return their number, and the exception that a call raised, or None.

        After an exception, the remaining parts are taken without calling the function, so that all threads stop.
        """
        taken, failure = 0, None
        while True:
            try:
                part = self.parts.popleft()
            except IndexError:
                return taken, failure
            taken += 1
            try:
                for i in part if failure is None else ():
                    self.function(i)
            except BaseException as exc:  # noqa: BLE001 - the thread that called `run` raises the exception
                failure = exc


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    """Process jobs from a queue until None arrives, without keeping finished jobs alive."""
    while (job := jobs.get()) is not None:
        result = job.work()
        if result[0]:
            job.finished.put(result)
        del job, result


def _stop(jobs: SimpleQueue[_Job | None], threads: list[threading.Thread], pid: int) -> None:
    """End the threads, unless this is a forked process, which does not have these threads."""
    if pid == os.getpid():
        for _ in threads:
            jobs.put(None)
        for thread in threads:
            if thread is not threading.current_thread():  # any thread may run the garbage collector
                thread.join()
