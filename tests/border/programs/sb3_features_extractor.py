"""Train with a features extractor that checks the observation space passed by Stable-Baselines3."""

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack

import gymkernel as gym
from minigrid.wrappers import ImgObsWrapper


class Grid(BaseFeaturesExtractor):
    def __init__(self, observation_space: gym.spaces.Box, features_dim: int = 16) -> None:
        assert isinstance(observation_space, gym.spaces.Box), observation_space
        super().__init__(observation_space, features_dim)
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(observation_space.shape[0], 8, 2),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(288, features_dim),
        )

    def forward(self, observations):
        return self.layers(observations)


def make():
    return ImgObsWrapper(gym.make("MiniGrid-Empty-5x5-v0"))


small = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "policy_kwargs": {"features_extractor_class": Grid}}
for env in (make(), DummyVecEnv([make] * 2), VecFrameStack(DummyVecEnv([make] * 2), 2)):
    model = PPO("CnnPolicy", env, **small).learn(32)
    assert isinstance(model.observation_space, gym.spaces.Box) and isinstance(model.action_space, gym.spaces.Discrete)
    assert model.get_env().observation_space == model.observation_space
    model.save("grid")
    assert PPO.load("grid").policy.features_extractor.layers[0].in_channels == model.observation_space.shape[0]
