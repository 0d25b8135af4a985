"""Wrap our environment in TorchRL's GymWrapper, check the result, and run a rollout."""

from torchrl.envs import GymWrapper, StepCounter, TransformedEnv
from torchrl.envs.utils import check_env_specs

import gymkernel

env = GymWrapper(gymkernel.make("Pendulum-v1"))
check_env_specs(env)
env = TransformedEnv(env, StepCounter(max_steps=12))
rollout = env.rollout(50)
assert rollout.batch_size.numel() == 12
assert rollout["next", "observation"].shape == (12, 3)
assert env.action_spec.shape == (1,)
discrete = GymWrapper(gymkernel.make("CartPole-v1"), categorical_action_encoding=True)
assert discrete.action_spec.n == 2
assert discrete.rollout(5)["action"].dtype.is_floating_point is False
