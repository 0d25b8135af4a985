"""Train with Stable-Baselines3 and print a digest of the weights of each model."""

import zlib

import ale_py
import gymnasium as gym
import highway_env
import minigrid
import panda_gym
import torch
from minigrid.wrappers import FlatObsWrapper
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.env_util import make_atari_env, make_vec_env
from stable_baselines3.common.vec_env import VecFrameStack, VecNormalize

torch.set_num_threads(1)
PACKAGES = (ale_py, highway_env, minigrid, panda_gym)


def show(name, model, steps):
    model.learn(steps)
    weights = b"".join(parameter.detach().numpy().tobytes() for parameter in model.policy.parameters())
    print(name, zlib.crc32(weights), [round(episode["r"], 6) for episode in list(model.ep_info_buffer)[-3:]])


class Seeded(gym.Wrapper):
    """Pass a seed to each reset, because panda-gym otherwise draws its goals from system entropy."""

    seed = 0

    def reset(self, *, seed=None, options=None):
        self.seed += 1
        return self.env.reset(seed=self.seed, options=options)


cart_poles = VecNormalize(make_vec_env("CartPole-v1", 4, seed=1))
show("PPO CartPole", PPO("MlpPolicy", cart_poles, seed=1, n_steps=64, device="cpu"), 2048)
show("SAC Pendulum", SAC("MlpPolicy", gym.make("Pendulum-v1"), seed=1, learning_starts=100, device="cpu"), 400)
show("DQN LunarLander", DQN("MlpPolicy", "LunarLander-v3", seed=1, learning_starts=100, device="cpu"), 800)
grids = make_vec_env("MiniGrid-Empty-5x5-v0", 2, seed=1, wrapper_class=FlatObsWrapper)
show("PPO MiniGrid", PPO("MlpPolicy", grids, seed=1, n_steps=64, device="cpu"), 512)
show("PPO highway", PPO("MlpPolicy", make_vec_env("highway-fast-v0", 1, seed=1), seed=1, n_steps=64, device="cpu"), 128)
games = VecFrameStack(make_atari_env("PongNoFrameskip-v4", 2, seed=1), 4)
show("PPO Pong", PPO("CnnPolicy", games, seed=1, n_steps=32, n_epochs=1, device="cpu"), 64)
parking = make_vec_env("parking-v0", 1, seed=1)
show("SAC parking", SAC("MultiInputPolicy", parking, seed=1, learning_starts=100, batch_size=64, device="cpu"), 200)
robots = VecNormalize(make_vec_env("PandaReach-v3", 2, seed=1, wrapper_class=Seeded))
show("PPO panda", PPO("MultiInputPolicy", robots, seed=1, n_steps=64, device="cpu"), 256)
robot = make_vec_env("PandaReachDense-v3", 1, seed=1, wrapper_class=Seeded)
show("SAC panda", SAC("MultiInputPolicy", robot, seed=1, learning_starts=100, batch_size=64, device="cpu"), 250)
