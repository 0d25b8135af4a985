"""Tests of `FrameStackObservation` with lazy and compressed frames, with every space, and with vector environments."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.wrappers.test_vectorized_wrappers import BOX, IMAGE, NUMBERS, N, Walk

import gymkernel as gym
from gymkernel import spaces
from gymkernel.vector import AutoresetMode, SyncVectorEnv
from gymkernel_util_spaces.membership import explain

LAZY = [{"lazy": True}, {"lazy": True, "compress": "lz4"}]


def walks(mode: AutoresetMode, space: Any = BOX) -> SyncVectorEnv:
    return SyncVectorEnv([partial(Walk, space, spaces.Discrete(3))] * N, autoreset_mode=mode)


@pytest.mark.parametrize("space", NUMBERS, ids=str)
@pytest.mark.parametrize("options", LAZY, ids=str)
def test_lazy_frames_equal_the_stack(space: Any, options: dict[str, Any]) -> None:
    make = gym.wrappers.FrameStackObservation
    plain, lazy = (make(Walk(space, spaces.Discrete(3)), 3, **item) for item in ({}, options))
    assert np.array_equal(plain.reset(seed=1)[0], lazy.reset(seed=1)[0])
    for _ in range(10):
        stacked, frames = plain.step(0)[0], lazy.step(0)[0]
        assert np.array_equal(stacked, frames)
        assert (frames.shape, frames.dtype) == (np.shape(stacked), np.asarray(stacked).dtype)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("options", LAZY, ids=str)
def test_each_environment_has_lazy_frames(mode: AutoresetMode, options: dict[str, Any]) -> None:
    make = gym.wrappers.vector.FrameStackObservation
    plain, lazy = make(walks(mode), 3), make(walks(mode), 3, **options)
    assert np.array_equal(plain.reset(seed=1)[0], lazy.reset(seed=1)[0])
    for _ in range(30):
        stacked, frames = plain.step(np.zeros(N, int)), lazy.step(np.zeros(N, int))
        assert np.array_equal(stacked[0], frames[0])
        assert isinstance(frames[0], tuple)
        for i in np.flatnonzero(stacked[4].get("_final_obs", ())):
            assert np.array_equal(stacked[4]["final_obs"][i], frames[4]["final_obs"][i])
        ended = stacked[2] | stacked[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            masked = {"reset_mask": ended}
            assert np.array_equal(plain.reset(options=masked)[0], lazy.reset(options=masked)[0])


def test_compressed_frames_are_shared_and_picklable() -> None:
    env: Any = gym.wrappers.FrameStackObservation(Walk(IMAGE, spaces.Discrete(3)), 3, lazy=True, compress="lz4")
    first, second = env.reset(seed=1)[0], env.step(0)[0]
    assert first.frames[2] is second.frames[1]
    assert isinstance(first.frames[2], bytes)
    assert (pickle.loads(pickle.dumps(second)) == np.asarray(second)).all()


def test_compression_shrinks_repeated_frames() -> None:
    still: Any = gym.wrappers.FrameStackObservation(
        Walk(spaces.Box(7, 7, (84, 84), np.uint8), spaces.Discrete(3)), 4, lazy=True, compress="lz4"
    )
    assert len(still.reset(seed=1)[0].frames[0]) < 84 * 84 / 50


@pytest.mark.filterwarnings("ignore:.*Box.contains expects an array")
def test_lazy_frames_are_contained_in_the_space() -> None:
    make = gym.wrappers.FrameStack
    for env in (make(Walk(BOX, spaces.Discrete(3)), 3), make(walks(AutoresetMode.NEXT_STEP), 3)):
        seen = env.reset(seed=1)[0]
        assert seen in env.observation_space
        assert explain(env.observation_space, seen) is None
        assert explain(env.observation_space, seen[:1]) is not None
