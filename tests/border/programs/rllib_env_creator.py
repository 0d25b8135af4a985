"""Pass RLlib a function that creates an environment."""

import logging

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

import gymkernel

ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
register_env("cartpole", lambda config: gymkernel.make("CartPole-v1", **config))
config = (
    PPOConfig()
    .environment("cartpole", env_config={"max_episode_steps": 30})
    .env_runners(num_env_runners=0, num_envs_per_env_runner=2)
    .training(train_batch_size_per_learner=100, minibatch_size=50, num_epochs=1)
)
algorithm = config.build_algo()
result = algorithm.train()
assert 5 < result["env_runners"]["episode_return_mean"] <= 30
assert result["env_runners"]["num_env_steps_sampled"] >= 100
algorithm.stop()
ray.shutdown()
