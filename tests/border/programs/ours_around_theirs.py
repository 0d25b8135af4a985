"""Wrap environments that `gymnasium.make` creates in our wrappers."""

import gymnasium
import numpy as np

import gymkernel.wrappers as w
import gymkernel as gym

env = gymnasium.make("CartPole-v1", render_mode="rgb_array")
made = [
    w.TimeLimit(env, 5),
    w.RecordEpisodeStatistics(env),
    w.FlattenObservation(env),
    w.FrameStackObservation(env, 2),
    w.NormalizeObservation(env),
    w.TransformReward(env, lambda r: -r),
    w.TransformObservation(env, lambda obs: obs * 2, None),
    w.AddRenderObservation(env),
    w.RenderCollection(env),
    w.StickyAction(env, 0.3),
    w.MaxAndSkipObservation(env, 2),
    w.TimeAwareObservation(env),
    w.Autoreset(env),
    w.DelayObservation(env, 1),
]
for wrapped in made:
    assert isinstance(wrapped, gymnasium.Env) and isinstance(wrapped, gymnasium.Wrapper)
    assert isinstance(wrapped, gym.Wrapper)
    assert wrapped.unwrapped is env.unwrapped
    assert isinstance(wrapped.action_space, gymnasium.spaces.Discrete)
    obs, _ = wrapped.reset(seed=1)
    obs, reward, terminated, truncated, info = wrapped.step(1)
    assert np.isfinite(float(reward))
