"""The function `observe`, which measures, checks and changes the environments of a running program."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Final

from gymkernel_tool_run.backends import Replacement
from gymkernel_tool_run.passive_check import STATUS, Findings
from gymkernel_tool_run.report.collecting import Collector
from gymkernel_tool_run.report.screen import show, show_findings
from gymkernel_tool_run.running import INTERRUPTED

__all__ = ["observe"]

SUCCESS: Final = (None, 0)
"""The arguments of `sys.exit` that indicate success."""


@contextlib.contextmanager
def observe(*, report: bool = False, check: bool = False, backend: str = "") -> Iterator[None]:
    """Observe the program that runs in a `with` block, and write the results to standard error when the block ends.

    Args:
        report: whether to measure the time in environments and to write a report.
        check: whether to end a successful program with the exit status `STATUS` if there are findings.
        backend: the full name of the backend that replaces `SyncVectorEnv`; "" to replace nothing.

    Raises:
        SystemExit: if the program or its check failed.
    """
    process = os.getpid()
    observers = _Observers(report=report, check=check, backend=backend)
    end: SystemExit | None = None
    try:
        yield
    except SystemExit as exc:
        end = exc
    if os.getpid() == process:  # forked processes do not write a report
        end = _wait_for_threads() or end
        observers.finish(None if end is None else end.code)
    if end is not None:
        raise end


class _Observers:
    """The parts of gymkernel that observe or change a program: the report, the checks and the replaced backend.

    Args:
        report, check, backend: the arguments of `observe`.
    """

    def __init__(self, *, report: bool, check: bool, backend: str) -> None:
        self._report, self._check = report, check
        self._replacement = Replacement(backend) if backend else None
        if self._replacement is not None:
            self._replacement.install()
        self._findings = Findings()
        if report or check:
            self._findings.start(thorough=check)
        self._collector = Collector()
        if report:
            self._collector.start()

    def finish(self, status: object) -> None:
        """Write the results.

        Args:
            status: the argument that the program passed to `sys.exit`; None if the program did not call it.

        Raises:
            SystemExit: if the program succeeded but the check failed.
        """
        self._collector.stop()
        self._findings.stop()
        if self._replacement is not None:
            self._replacement.stop()
        if self._report:
            show(self._collector, self._findings, self._replacement, measures=status in SUCCESS)
        elif self._check:
            show_findings(self._findings)
        if self._check and len(self._findings) and status in SUCCESS:
            raise SystemExit(STATUS)


def _wait_for_threads() -> SystemExit | None:
    """Wait for the program's threads, as Python does before it exits. After Ctrl-C, return an exception to raise."""
    try:
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
    except KeyboardInterrupt:
        return SystemExit(INTERRUPTED)
    return None
