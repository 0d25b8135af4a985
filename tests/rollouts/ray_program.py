"""The function `run_ray_program`, with which tests run a program that starts a Ray cluster of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["run_ray_program"]

ROOT = Path(__file__).parents[2]
SECONDS = 400
SLOW_STARTS = ("node timed out during startup", "Failed to connect to GCS")
"""Messages of Ray if a process of a new cluster did not start, which happens on a busy machine."""
TRIES = 3


def run_ray_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the given arguments, and run the program again if Ray's own processes did not start in time.

    The program has its own folder for Ray, and none of the environment variables of Ray that tests set.
    """
    set_by_tests = {"RAY_ADDRESS", "RAY_worker_niceness"}
    environ = {name: value for name, value in os.environ.items() if name not in set_by_tests}
    for remaining in reversed(range(TRIES)):
        # The path of the folder must be short, because Ray creates sockets in it.
        with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as folder:
            try:
                ended = subprocess.run(
                    [sys.executable, *arguments],
                    capture_output=True,
                    text=True,
                    timeout=SECONDS,
                    cwd=ROOT,
                    env=environ | {"RAY_TMPDIR": folder},
                    check=False,
                )
            except subprocess.TimeoutExpired as exc:
                errors = (exc.stderr or b"").decode(errors="replace")
                if not remaining or not any(text in errors for text in SLOW_STARTS):
                    raise AssertionError(f"The program did not end within {SECONDS} s: {errors[-4000:]}") from exc
                continue
        if not remaining or not any(text in ended.stderr for text in SLOW_STARTS):
            break
    return ended
