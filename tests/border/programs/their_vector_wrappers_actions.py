"""Wrap our vector environments in Gymnasium's vector wrappers for actions and rewards."""

import gymnasium
import gymnasium.wrappers.vector as wv
import numpy as np

import gymkernel as gym


def pendulums():
    return gym.make_vec("Pendulum-v1", num_envs=2, vectorization_mode="sync")


torque = gym.spaces.Box(-1, 1, (1,), np.float32)
made = [
    wv.ClipAction(pendulums()),
    wv.RescaleAction(pendulums(), np.float32(-1), np.float32(1)),
    wv.TransformAction(pendulums(), lambda action: action / 2, None),
    wv.VectorizeTransformAction(pendulums(), gym.wrappers.TransformAction, func=lambda a: 2 * a, action_space=torque),
    wv.ClipReward(pendulums(), -1, 0),
    wv.NormalizeReward(pendulums()),
    wv.TransformReward(pendulums(), lambda reward: reward + 1),
    wv.VectorizeTransformReward(pendulums(), gym.wrappers.TransformReward, func=lambda r: -r),
]
for envs in made:
    envs.reset(seed=1)
    obs, rewards, *_ = envs.step(np.full((2, 1), 0.5, np.float32))
    assert obs.shape == (2, 3) and rewards.shape == (2,) and np.isfinite(rewards).all()
    assert isinstance(envs.single_action_space, gymnasium.spaces.Box)
    envs.close()
