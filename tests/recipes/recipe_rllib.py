"""RLlib: PPO by `module:id` over gymkernel's own vectorised form or a backend, and its learners on fragments."""

from __future__ import annotations

from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from tests.recipes import fragments_rllib

IDS = {"CartPole-v1": "gymnasium", "gymkernel/CartPole-v1": "gymkernel_bridge_gymnasium"}
ENV = "gymkernel_bridge_gymnasium:gymkernel/CartPole-v1"


def trained(mode: str, options: dict[str, Any]) -> float:
    """The mean return after some training."""
    config = (
        PPOConfig()
        .environment(ENV, env_config=options)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4, gym_env_vectorize_mode=mode)
        .training(train_batch_size_per_learner=600, minibatch_size=100, num_epochs=4)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    for _ in range(2):
        result = algorithm.train()
    algorithm.stop()
    return float(result["env_runners"]["episode_return_mean"])


if __name__ == "__main__":
    for mode, options in (("sync", {}), ("vector_entry_point", {}), ("vector_entry_point", {"backend": "async"})):
        mean = trained(mode, options)
        print(f"{mode} {options}: mean return {mean:.0f}")
        assert mean > 15  # it runs; two rounds are no training

    fragments_rllib.main()
