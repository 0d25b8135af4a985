"""Run a TorchRL policy on our environment with a collector and a loss."""

import torch
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.modules import EGreedyModule, QValueModule
from torchrl.objectives import DQNLoss

import gymkernel

env = GymWrapper(gymkernel.make("CartPole-v1"))
net = TensorDictModule(torch.nn.Linear(4, 2), ["observation"], ["action_value"])
value = TensorDictSequential(net, QValueModule(spec=env.action_spec))
policy = TensorDictSequential(value, EGreedyModule(spec=env.action_spec))
collector = Collector(env, policy, frames_per_batch=32, total_frames=64)
loss = DQNLoss(value, action_space=env.action_spec)
for batch in collector:
    out = loss(batch)
    assert torch.isfinite(out["loss"])
collector.shutdown()
