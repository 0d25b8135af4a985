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
    replacement = Replacement(backend) if backend else None
    findings, collector, stops = Findings(), Collector(), contextlib.ExitStack()
    if replacement is not None:
        replacement.install()
        stops.callback(replacement.stop)
    if report or check:
        findings.start(thorough=check)
        stops.callback(findings.stop)
    if report:
        collector.start()
        stops.callback(collector.stop)
    process = os.getpid()
    end: SystemExit | None = None
    try:
        yield
    except SystemExit as exc:
        end = exc
    if os.getpid() == process:  # forked processes do not write a report
        end = _wait_for_threads() or end
        succeeded = end is None or end.code in SUCCESS
        stops.close()
        if report:
            show(collector, findings, replacement, measures=succeeded)
        elif check:
            show_findings(findings)
        if check and len(findings) and succeeded:
            raise SystemExit(STATUS)
    if end is not None:
        raise end


def _wait_for_threads() -> SystemExit | None:
    """Wait for the program's threads, as Python does before it exits. After Ctrl-C, return an exception to raise."""
    try:
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
    except KeyboardInterrupt:
        return SystemExit(INTERRUPTED)
    return None
