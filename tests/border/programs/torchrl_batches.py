"""Step several of our environments in TorchRL, both in its own batched environments and in Gymnasium's."""

import gymnasium
import torch
from torchrl.envs import GymWrapper, SerialEnv

import gymkernel

envs = SerialEnv(3, lambda: GymWrapper(gymkernel.make("CartPole-v1")))
rollout = envs.rollout(6, break_when_any_done=False)
assert rollout["observation"].shape == (3, 6, 4)
envs.close()
envs = gymnasium.vector.SyncVectorEnv(
    [lambda: gymkernel.make("CartPole-v1")] * 2, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
)
envs = GymWrapper(envs, categorical_action_encoding=True)
assert envs.batch_size == torch.Size([2])
assert envs.rollout(5, break_when_any_done=False)["next", "reward"].shape == (2, 5, 1)
