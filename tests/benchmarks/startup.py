"""Benchmarks of new processes that import the library, list plugins or create an environment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.benchmarks.measure import Bench

__all__ = ["run"]

STEP = 'env = gym.make("CartPole-v1"); env.reset(seed=1); env.step(0)'
NUMPY = [sys.executable, "-c", "import numpy"]
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import gymkernel": [sys.executable, "-c", "import gymkernel"],
    "import gymnasium": [sys.executable, "-c", "import gymnasium"],
    "gymkernel: import, make, reset, step": [sys.executable, "-c", f"import gymkernel as gym; {STEP}"],
    "gymnasium: import, make, reset, step": [sys.executable, "-c", f"import gymnasium as gym; {STEP}"],
    "gymkernel list": [str(Path(sys.executable).with_name("gymkernel")), "list"],
}
TARGETS = {"import gymkernel": 1.1, "gymkernel: import, make, reset, step": 1.45, "gymkernel list": 0.9}


def run(bench: Bench) -> None:
    """Measure all processes alternately, and compare them with `import numpy`."""
    bench.section("Start-up: whole processes, as a share of `python -c 'import numpy'`")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def process(command: list[str]) -> float:
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    commands = [NUMPY, *COMMANDS.values()]
    for command in commands:
        process(command)  # the first run compiles the bytecode
    numpy, *times = bench.rounds([partial(process, command) for command in commands], 21)
    for name, seconds in zip(COMMANDS, times, strict=True):
        bench.add(name, (seconds, numpy), TARGETS.get(name), against="numpy", share=True)
