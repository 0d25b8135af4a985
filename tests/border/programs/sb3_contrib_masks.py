"""Train maskable PPO with an action mask from a wrapper."""

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from sb3_contrib.common.wrappers import ActionMasker

import gymkernel as gym


def mask(env):
    assert isinstance(env, gym.Env)
    return np.array([True, False])


env = ActionMasker(gym.make("CartPole-v1"), mask)
model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32).learn(64)
obs, _ = env.reset(seed=0)
assert get_action_masks(env).tolist() == [True, False]
for _ in range(5):
    action, _ = model.predict(obs, action_masks=get_action_masks(env))
    assert action == 0
