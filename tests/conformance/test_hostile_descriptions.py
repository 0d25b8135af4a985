"""Test that every description of a space is validated before memory is allocated for the space."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

READER = Path(__file__).with_name("hostile_descriptions.py")
TIME = 300
"""The time limit in seconds. The program normally takes a few seconds, but never ends if a check is missing."""


@pytest.mark.limit(TIME + 10)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit the memory of a process")
@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["300"], ["1200", "large"]], ids=["many", "large"])
def test_hostile_descriptions_are_rejected_cheaply(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "utf8", str(READER), *arguments]
    few_threads = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # each thread reserves memory
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME, check=False, env=few_threads)

    assert done.stdout == ""
    assert done.returncode == 0, done.stderr[-2000:]
