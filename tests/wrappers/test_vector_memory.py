"""Tests of memory ownership: returned values do not change later, and borrowed arrays are not written to."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from tests.wrappers.test_vectorized_wrappers import FIRST, Case, N, assert_same

from gymkernel.vector import AutoresetMode, SyncVectorEnv, VectorWrapper

STEPS = 12
STATISTICS = [Case(name) for name in ("NormalizeObservation", "NormalizeReward", "RecordEpisodeStatistics")]
CASES = [*FIRST, *STATISTICS, Case("DelayObservation", {"delay": 3}), Case("RepeatAction", {"num_repeats": 3})]
CASES += [Case("TimeLimit", {"max_episode_steps": 5})]
PAIRS = [
    pytest.param(case, mode, id=f"{case}-{mode.name}", marks=[] if k == number % len(case.modes) else pytest.mark.slow)
    for number, case in enumerate(CASES)
    for k, mode in enumerate(case.modes)
]
"""One autoreset mode for each case. The tests that are marked as slow cover the other modes."""


class Kept:
    """Objects and copies of their original values."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []

    def add(self, things: Any) -> None:
        self.pairs.append((things, copy.deepcopy(things)))

    def assert_unchanged(self) -> None:
        for now, before in self.pairs:
            assert_same(now, before)


class Lender(VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector wrapper that stores the objects that it returns, so that tests can check or overwrite them."""

    def __init__(self, env: Any, kept: Kept) -> None:
        super().__init__(env)
        self.kept = kept

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self._lend(self.env.reset(seed=seed, options=options))

    def step(self, actions: Any) -> Any:
        return self._lend(self.env.step(actions))

    def step_masked(self, actions: Any, mask: Any) -> Any:
        return self._lend(self.env.step_masked(actions, mask))

    def call_masked(self, *arguments: Any) -> Any:
        return self.env.call_masked(*arguments)  # type: ignore[attr-defined] # of SyncVectorEnv

    def _lend(self, results: Any) -> Any:
        self.kept.add(results)
        return results


@pytest.mark.parametrize("case, mode", PAIRS)
def test_returned_arrays_are_not_modified(case: Case, mode: AutoresetMode) -> None:
    kept = Kept()
    envs = case.vector(Lender(SyncVectorEnv([case.env] * N, autoreset_mode=mode), kept))
    envs.action_space.seed(3)
    kept.add(envs.reset(seed=7))
    for step in range(STEPS):
        actions, mask = envs.action_space.sample(), np.arange(N) != step % N
        kept.add((actions, mask))
        results = envs.step_masked(actions, mask) if step % 4 == 3 else envs.step(actions)
        kept.add(results)
        if mode is AutoresetMode.DISABLED and (ended := results[2] | results[3]).any():
            options = {"reset_mask": ended}
            kept.add(options)
            kept.add(envs.reset(options=options))

    kept.assert_unchanged()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_returned_arrays_are_writable(case: Case) -> None:
    careful, careless = (case.vector(SyncVectorEnv([case.env] * N)) for _ in range(2))
    careful.action_space.seed(3)
    shown = [envs.reset(seed=7) for envs in (careful, careless)]
    for _ in range(STEPS):
        spoil(shown[1][0])
        actions = careful.action_space.sample()
        shown = [envs.step(copy.deepcopy(actions)) for envs in (careful, careless)]
        assert_same(shown[1][:4], shown[0][:4])


def spoil(batch: Any) -> None:
    """Overwrite every array of a batch."""
    if isinstance(batch, dict | tuple | list):
        for part in batch.values() if isinstance(batch, dict) else batch:
            spoil(part)
    elif isinstance(batch, np.ndarray) and batch.dtype != object:
        batch[...] = 1
