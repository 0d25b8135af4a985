"""A probe that repeats a run in other processes, in which strings have different hashes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import takes
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.guarded import GuardedOutput

__all__ = ["HASH_SEEDS", "ProcessRuns", "hash_seeds", "main"]

HASH_SEEDS: Final = (1, 2, 3, 4, 5)
FEW: Final = 2
STEPS: Final = 60
SECONDS: Final = 1.0
PROGRAM: Final = (
    "import sys, json; request = json.loads(sys.stdin.readline()); sys.path[:] = request['path']; "
    "from gymkernel_tool_check.probes.other_processes import main; main(request)"
)


@dataclass(slots=True)
class ProcessRuns:
    """The runs of several processes, keyed by PYTHONHASHSEED. Each run is a list with one string for each call."""

    lines: dict[int, list[str]]

    @property
    def mismatch(self) -> tuple[int, int, int] | None:
        """The index of the first call that differs, and two hash seeds for which it differs, or None."""
        first, *others = self.lines
        for i, results in enumerate(zip(*self.lines.values(), strict=False)):
            for seed, result in zip(others, results[1:], strict=True):
                if result != results[0]:
                    return i, first, seed
        return None


@probe(last=True)
def hash_seeds(subject: Subject) -> ProcessRuns:
    """Run the environment in several processes that differ only in their hash seeds."""
    if subject.nondeterministic:
        raise Skip("the spec declares the environment to be nondeterministic")
    single = subject.live is not None or subject.options.single_instance
    if single or not subject.recipe.imports:
        raise Skip("the environment must be created in other processes; check it by its id or as module:Class")
    if reason := subject.known.dead.get(rollout.name) or (subject.known.stuck and "a call hangs (GK003, GK217)"):
        raise Skip(reason)  # the other processes would fail in the same way
    env = subject.env(second=True)
    if not takes(env, "seed"):
        raise Skip("reset accepts no seed (GK201)")
    text = json.dumps({"path": sys.path, "recipe": str(subject.recipe), "seed": subject.options.seed}) + "\n"
    seeds = HASH_SEEDS if subject.options.profile == "thorough" else HASH_SEEDS[:FEW]
    timeout = max(subject.options.import_timeout, subject.options.timeout)
    timeout = min(timeout, max(subject.time_left, 0.1))
    subject.at("other processes", within=2 * timeout)
    with contextlib.ExitStack() as stack:
        envs = [{"PYTHONHASHSEED": str(seed)} for seed in seeds]
        started = [stack.enter_context(GuardedOutput(PROGRAM, text, env=variables)) for variables in envs]
        deadline = time.monotonic() + timeout
        statuses = [process.wait(max(0.1, deadline - time.monotonic())) for process in started]
        pairs = zip(seeds, statuses, started, strict=True)
        lines = {seed: process.read()[0].splitlines() for seed, status, process in pairs if status == 0}
    if None in statuses:
        subject.require_time()
        raise Skip(f"another process took more than {timeout:g} s to import, create and run the environment")
    if len(lines) < FEW or not all(lines.values()):
        raise Skip("the environment cannot be created in another process")
    return ProcessRuns(lines)


def main(request: dict[str, Any]) -> None:
    """Create the environment, take steps with random actions, and print the result of each call."""
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print(*_play(request), sep="\n", file=stream, flush=True)
    os._exit(0)


def _play(request: dict[str, Any]) -> Iterator[str]:
    import random

    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the global generator is seeded on purpose
    names: dict[str, Any] = {}
    exec(request["recipe"], names)  # noqa: S102 - the same program is shown in findings
    subject = Subject("", live=names["env"], options=Options(seed=request["seed"]))
    recorder = Recorder(subject, subject.env())
    recorder.reset(seed=request["seed"])
    recorder.play(STEPS, time.perf_counter() + SECONDS)
    if recorder.trace.failed is not None and recorder.trace.failed.error is not None:
        raise recorder.trace.failed.error
    for call in recorder.trace.calls:
        results = (call.kept, call.reward, call.terminated, call.truncated)
        yield _text(call.kept if call.method == "reset" else results)


def _text(value: Any) -> str:
    """Convert a value to a line of text that is the same in every process if the values are equal."""
    if isinstance(value, np.ndarray):
        if value.size > 64:
            import hashlib

            return f"{value.dtype}{value.shape}:{hashlib.sha1(value.tobytes()).hexdigest()}"  # noqa: S324
        return f"{value.dtype}{value.tolist()!r}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_text(value[key])}" for key in sorted(value, key=repr)) + "}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(_text, value)) + ")"
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if isinstance(value, bool | int | float | complex | str | bytes | None) else type(value).__name__
