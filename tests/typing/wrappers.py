"""Pass wrong arguments to wrappers. Type checkers report them whether or not the plugins are installed.

A comment `type: ignore` is an error if the type checker accepts the line without it.
"""

from __future__ import annotations

from typing import Any

import gymkernel as gym
from gymkernel import wrappers
from gymkernel.wrappers import FrameStack, FrameStackObservation, RecordVideo, TimeLimit
from gymkernel.wrappers.common import TimeLimit as SameTimeLimit

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
