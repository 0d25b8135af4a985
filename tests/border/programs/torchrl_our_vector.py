"""Use our vector environment in TorchRL, which needs SAME_STEP mode."""

import torch
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.envs.utils import RandomPolicy

import gymkernel
from gymkernel.vector import AutoresetMode, SyncVectorEnv

envs = SyncVectorEnv([lambda: gymkernel.make("CartPole-v1")] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
envs = GymWrapper(envs, categorical_action_encoding=True)
assert envs.batch_size == torch.Size([4])
collector = Collector(envs, RandomPolicy(envs.action_spec), frames_per_batch=80, total_frames=240)
batches = list(collector)
collector.shutdown()
assert [batch.numel() for batch in batches] == [80, 80, 80]
assert batches[0]["next", "done"].dtype == torch.bool
