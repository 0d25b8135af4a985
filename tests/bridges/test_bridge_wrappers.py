"""Tests of Gymnasium's wrappers around gymkernel's environments, and of gymkernel's wrappers around Gymnasium's."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector

import gymkernel as gym
from gymkernel.vector import SyncVectorEnv
from gymkernel_bridge_gymnasium import KernelEnv, KernelVectorEnv

OURS = "gymkernel_bridge_gymnasium:gymkernel/CartPole-v1"
WIDE = gymnasium.spaces.Box(-9, 9, (4,), np.float64)
SINGLE = [
    wrappers.Autoreset,
    wrappers.FlattenObservation,
    partial(wrappers.FrameStackObservation, stack_size=3),
    partial(wrappers.DelayObservation, delay=2),
    partial(wrappers.DtypeObservation, dtype=np.float64),
    partial(wrappers.MaxAndSkipObservation, skip=2),
    partial(wrappers.NormalizeObservation),
    partial(wrappers.NormalizeReward),
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.RecordEpisodeStatistics,
    partial(wrappers.StickyAction, repeat_action_probability=0.3),
    wrappers.TimeAwareObservation,
    partial(wrappers.TimeLimit, max_episode_steps=7),
    partial(wrappers.TransformAction, func=lambda action: 1 - action, action_space=None),
    partial(wrappers.TransformObservation, func=lambda x: x * 2, observation_space=WIDE),
    partial(wrappers.TransformReward, func=lambda reward: float(reward) - 1),
]
VECTOR = [
    vector.DictInfoToList,
    vector.FlattenObservation,
    vector.NormalizeObservation,
    vector.NormalizeReward,
    vector.RecordEpisodeStatistics,
    partial(vector.TransformReward, func=lambda rewards: rewards - 1),
    partial(vector.ClipReward, max_reward=0.5),
    partial(vector.DtypeObservation, dtype=np.float64),
]


def name(wrapper: Any) -> str:
    return str(getattr(wrapper, "func", wrapper).__name__)


def trajectory(env: Any, steps: int = 60) -> list[Any]:
    """Return the results of random actions in a single or vector environment."""
    env.action_space.seed(1)
    seen = [env.reset(seed=2)[0]]
    for _ in range(steps):
        *result, info = env.step(env.action_space.sample())
        seen += result
        if isinstance(result[2], bool) and (result[2] or result[3]) and not isinstance(env, wrappers.Autoreset):
            seen.append(env.reset()[0])
        if isinstance(info, dict) and "episode" in info:
            seen.append(info["episode"]["r"])
    return seen


def alike(mine: list[Any], their: list[Any]) -> bool:
    return len(mine) == len(their) and all(np.array_equal(a, b) for a, b in zip(mine, their, strict=True))


@pytest.mark.parametrize("wrapper", SINGLE, ids=name)
def test_gymnasium_wrapper_behaves_the_same_on_our_environment(wrapper: Any) -> None:
    assert alike(trajectory(wrapper(gymnasium.make(OURS))), trajectory(wrapper(gymnasium.make("CartPole-v1"))))


@pytest.mark.parametrize("wrapper", VECTOR, ids=name)
def test_gymnasium_vector_wrapper_behaves_the_same(wrapper: Any) -> None:
    ours = KernelVectorEnv(SyncVectorEnv([partial(gym.make, "CartPole-v1")] * 3))
    theirs = gymnasium.make_vec("CartPole-v1", 3, vectorization_mode="sync")

    assert alike(trajectory(wrapper(ours)), trajectory(wrapper(theirs)))


def test_gymnasium_record_video_records_our_frames() -> None:
    env = wrappers.RenderCollection(KernelEnv(gym.make("CartPole-v1", render_mode="rgb_array")))
    env.reset(seed=1)
    env.step(0)

    frames: Any = env.render()
    assert [frame.shape for frame in frames] == [(400, 600, 3)] * 2


def test_spec_recreates_the_wrapped_environment() -> None:
    env = wrappers.RecordEpisodeStatistics(gymnasium.make(OURS))

    assert env.spec is not None
    assert str(gymnasium.make(env.spec)) == str(env)


@pytest.mark.parametrize(
    "wrapper",
    [gym.Wrapper, gym.wrappers.OrderEnforcing, partial(gym.wrappers.TimeLimit, max_episode_steps=9)],
    ids=name,
)
def test_our_wrappers_work_on_unconverted_gymnasium_environments(wrapper: Any) -> None:
    bare = gymnasium.make("Acrobot-v1", max_episode_steps=9)

    env = wrapper(gymnasium.make("Acrobot-v1", max_episode_steps=9))

    assert isinstance(env.observation_space, gymnasium.Space)
    assert alike(trajectory(env), trajectory(bare))
