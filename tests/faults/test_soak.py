"""Test a long run whose workers are killed at random: no result is lost, and memory usage does not grow.

`GYMKERNEL_SOAK_STEPS` sets the number of environment steps. `tox run -e soak` makes a million steps.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, plugins

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "AsyncVectorEnv" not in plugins.names("vector"), reason="gymkernel-vector-async is not installed"
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
STEPS = int(os.environ.get("GYMKERNEL_SOAK_STEPS", "20000"))
N = 16
LENGTH = 50


class Counting(Env[Any, Any]):
    """An environment whose observation is its index and the step number. Episodes end after LENGTH steps."""

    def __init__(self, number: int) -> None:
        from gymkernel.spaces import Box, Discrete

        self.observation_space, self.action_space = Box(0, 10**6, (2,), np.int64), Discrete(1000)
        self.number, self.steps = number, 0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return np.array([self.number, 0]), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return np.array([self.number, self.steps]), float(action), self.steps == LENGTH, False, {}


class Ledger:
    """A check of each environment's results, which must satisfy the same rules whatever happens to the worker."""

    def __init__(self) -> None:
        self.steps = np.zeros(N, np.int64)
        self.over = np.zeros(N, np.bool_)
        self.restarts = 0

    def check(self, ids: Any, results: Any, given: Any) -> None:
        observations, rewards, ends, cuts, infos = results[:5]
        restarted = infos.get("env_restarted", np.zeros(len(ids), np.bool_))
        self.restarts += int(restarted.sum())
        assert (observations[:, 0] == ids).all()
        for k, i in enumerate(ids.tolist()):
            if restarted[k]:
                assert cuts[k]
                assert rewards[k] == 0
                self.over[i] = True
            elif self.over[i]:
                assert (observations[k, 1], rewards[k], ends[k], cuts[k]) == (0, 0, False, False)
                self.steps[i], self.over[i] = 0, False
            else:
                self.steps[i] += 1
                assert observations[k, 1] == self.steps[i]
                assert rewards[k] == given[k]
                assert ends[k] == (self.steps[i] == LENGTH)
                self.over[i] = bool(ends[k])


def memory() -> int:
    """Return the memory usage of this process in kilobytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


@pytest.mark.filterwarnings("ignore:.*other threads are running")  # other tests may have left threads
@pytest.mark.parametrize("how", ["step", "send"])
def test_soak(how: str) -> None:
    from gymkernel.vector import AsyncVectorEnv

    rng, ledger = np.random.default_rng(0), Ledger()
    everyone = np.arange(N)
    done = kills = 0
    limit = time.monotonic() + 120 + STEPS / 200
    with AsyncVectorEnv(
        [functools.partial(Counting, i) for i in range(N)],
        num_workers=4,
        context="fork",
        on_error="restart",
        max_restarts=None,
        timeout=60,
    ) as envs:
        envs.reset()
        descriptors, start = len(list(Path("/proc/self/fd").iterdir())), 0
        if how == "send":
            actions = rng.integers(0, 1000, N)
            envs.send(actions)
            given = dict(enumerate(actions.tolist()))
        while done < STEPS:
            assert time.monotonic() < limit, "the run hangs or is too slow"
            if rng.random() < max(2 * N / STEPS, 1e-4) * 5:
                process = envs.processes[rng.integers(4)]
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            if how == "step":
                actions = rng.integers(0, 1000, N)
                ledger.check(everyone, envs.step(actions), actions)
                done += N
            else:
                results = envs.recv(int(rng.integers(1, N + 1)))
                ids = results[-1]
                ledger.check(ids, results, [given[i] for i in ids.tolist()])
                actions = rng.integers(0, 1000, len(ids))
                envs.send(actions, ids)
                given.update(zip(ids.tolist(), actions.tolist(), strict=True))
                done += len(ids)
            if done > STEPS / 5 and not start:
                start = memory()
        assert memory() - start < 8_000, "memory grows"
        assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    print(f"{done} steps by {how}, {kills} workers killed, {ledger.restarts} environments recreated")
    assert ledger.restarts > 0
