"""Pass wrong arguments to wrappers, also to vector wrappers. Type checkers report them with and without the plugins.

A comment `type: ignore` is an error if the type checker accepts the line without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymkernel as gym
from gymkernel import wrappers
from gymkernel.wrappers import FrameStack, FrameStackObservation, RecordVideo, TimeLimit
from gymkernel.wrappers import vector as vector_wrappers
from gymkernel.wrappers.common import TimeLimit as SameTimeLimit
from gymkernel.wrappers.stateful_reward import NormalizeReward
from gymkernel.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from gymkernel.wrappers.vector import FrameStackObservation as VectorFrameStackObservation
from gymkernel.wrappers.vector import TimeLimit as VectorTimeLimit
from gymkernel.wrappers.vector.common import RecordEpisodeStatistics as SameStatistics

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

env = gym.make("CartPole-v1")
limited: TimeLimit[Any, Any] = SameTimeLimit(env, max_episode_steps=3)
stacked: gym.Env[Any, Any] = FrameStackObservation(limited, 4, padding_type="zero")
frames: FrameStackObservation[Any, Any, Any] = FrameStack(env, 4)
size: int = FrameStackObservation(env, 4).stack_size

TimeLimit(env, max_steps=3)  # type: ignore[call-arg]
SameTimeLimit(env, "3")  # type: ignore[arg-type]
RecordVideo(env, 3)  # type: ignore[arg-type]
wrappers.ClipReward(env, "low")  # type: ignore[arg-type]
wrappers.AddWhiteNoise(env)  # type: ignore[call-arg]
wrappers.EnvCompatibility(env, render_mode=1)  # type: ignore[arg-type]
NormalizeReward(env, gamma="high")  # type: ignore[arg-type]

envs = gym.make_vec("CartPole-v1", 2)
limited_envs: VectorTimeLimit[Any, Any, Any] = VectorTimeLimit(envs, max_episode_steps=3)
clipped: VectorEnv[Any, Any, Any] = vector_wrappers.ClipReward(limited_envs, -1, max_reward=1)
statistics: RecordEpisodeStatistics[Any, Any, Any] = SameStatistics(clipped, buffer_length=5)
listed: DictInfoToList[Any, Any, Any] = wrappers.VectorListInfo(statistics)
stack: VectorFrameStackObservation[Any, Any, Any, Any] = vector_wrappers.FrameStack(envs, 4)
scaled: vector_wrappers.RescaleObservation[Any, Any] = vector_wrappers.RescaleObservation(envs, min_obs=0, max_obs=1)
count: int = vector_wrappers.RepeatAction(envs, 2).num_envs

VectorTimeLimit(envs, max_steps=3)  # type: ignore[call-arg]
VectorTimeLimit(env, 3)  # type: ignore[arg-type]
SameStatistics(envs, buffer_length="5")  # type: ignore[arg-type]
vector_wrappers.ClipReward(envs, "low")  # type: ignore[arg-type]
vector_wrappers.RescaleObservation(envs, 0)  # type: ignore[call-arg]
vector_wrappers.StickyAction(envs, repeat_action_probability="often")  # type: ignore[arg-type]
vector_wrappers.VectorizeTransformReward(envs, wrappers.TimeLimit)  # type: ignore[arg-type]
