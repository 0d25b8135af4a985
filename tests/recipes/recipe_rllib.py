"""Train RLlib's PPO on environments given as `module:id`, and train RLlib's learners on gymkernel's fragments."""

from __future__ import annotations

from typing import Any

import pytest
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env
from tests.recipes import fragments_rllib

import gymkernel

ENV = "gymkernel_bridge_gymnasium:gymkernel/CartPole-v1"


def package(env: str) -> str:
    """Return the package that defines the environments which RLlib creates for a name."""
    config = PPOConfig().environment(env).env_runners(num_env_runners=0, num_envs_per_env_runner=2)
    algorithm = config.build_algo()
    single = algorithm.env_runner_group.local_env_runner.env.unwrapped.envs[0].unwrapped
    algorithm.stop()
    return type(single).__module__.partition(".")[0]


def trained(mode: str, options: dict[str, Any]) -> float:
    """Return the mean return after some training."""
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
        assert mean > 15  # two rounds only show that training works

    register_env("single", lambda config: gymkernel.make("CartPole-v1"))
    register_env("vector", lambda config: gymkernel.make_vec("CartPole-v1", 2))
    packages = {"CartPole-v1": "gymnasium", "single": "gymkernel_env_classic_control"}
    packages |= dict.fromkeys(("gymkernel/CartPole-v1", ENV), "gymkernel_bridge_gymnasium")
    for name, expected in packages.items():
        assert package(name) == expected
    with pytest.raises(TypeError, match=r"must inherit from the gymnasium.Env class"):
        package("vector")

    fragments_rllib.main()
