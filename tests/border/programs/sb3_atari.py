"""Use SB3's Atari wrappers and its helper function with ALE/Pong-v5."""

import ale_py
import gymnasium
from stable_baselines3 import A2C
from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.env_util import make_atari_env
from stable_baselines3.common.vec_env import VecFrameStack

import gymkernel as gym

gymnasium.register_envs(ale_py)
env = AtariWrapper(gym.make("ALE/Pong-v5", frameskip=1))
assert env.reset(seed=0)[0].shape == (84, 84, 1)
assert isinstance(env, gymnasium.Wrapper)
envs = make_atari_env(lambda: gym.make("PongNoFrameskip-v4"), n_envs=2, seed=0)
envs = VecFrameStack(envs, n_stack=4)
assert envs.reset().shape == (2, 84, 84, 4)
model = A2C("CnnPolicy", envs, n_steps=4).learn(16)
assert model.num_timesteps == 16
