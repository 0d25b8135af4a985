"""Train a small skrl agent on our vector environment."""

import gymnasium
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer

import gymkernel

envs = wrap_env(gymkernel.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync"))


class Policy(CategoricalMixin, Model):
    def __init__(self):
        Model.__init__(self, observation_space=envs.observation_space, action_space=envs.action_space, device="cpu")
        CategoricalMixin.__init__(self)
        self.net = torch.nn.Linear(self.num_observations, self.num_actions)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    def __init__(self):
        Model.__init__(self, observation_space=envs.observation_space, action_space=envs.action_space, device="cpu")
        DeterministicMixin.__init__(self)
        self.net = torch.nn.Linear(self.num_observations, 1)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


config = PPO_CFG(rollouts=8, mini_batches=1, learning_epochs=1)
config.experiment.write_interval = config.experiment.checkpoint_interval = 0
agent = PPO(
    models={"policy": Policy(), "value": Value()},
    memory=RandomMemory(memory_size=8, num_envs=2, device="cpu"),
    observation_space=envs.observation_space,
    action_space=envs.action_space,
    device="cpu",
    cfg=config,
)
SequentialTrainer(cfg={"timesteps": 16, "headless": True}, env=envs, agents=agent).train()
assert isinstance(envs.action_space, gymnasium.spaces.Discrete)
assert torch.isfinite(agent.memory.get_tensor_by_name("advantages")).all()
