"""TorchRL: an environment by its id, one made, a vector environment, a collector over it, and fragments."""

from __future__ import annotations

from tests.recipes import fragments_torchrl
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper
from torchrl.envs.utils import RandomPolicy, check_env_specs

import gymkernel
from gymkernel.utils.gymnasium import to_gymnasium
from gymkernel.vector import AsyncVectorEnv


def make() -> gymkernel.Env[object, object]:
    """One environment."""
    return gymkernel.make("CartPole-v1")


if __name__ == "__main__":
    by_id = GymEnv("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", categorical_action_encoding=True)
    by_id.set_seed(1)
    check_env_specs(by_id)

    single = GymWrapper(to_gymnasium(make()), categorical_action_encoding=True)
    check_env_specs(single)
    rollout = single.rollout(50)
    assert rollout["next", "observation"].shape[-1] == 4

    # TorchRL takes vector environments that reset in the same step, or not at all.
    envs = GymWrapper(
        to_gymnasium(AsyncVectorEnv([make] * 4, autoreset_mode="SameStep")), categorical_action_encoding=True
    )
    collector = Collector(envs, RandomPolicy(envs.action_spec), frames_per_batch=200, total_frames=1000)
    frames = sum(batch.numel() for batch in collector)
    collector.shutdown()
    print(f"{frames} frames from {envs.batch_size.numel()} environments")
    assert frames == 1000

    fragments_torchrl.main()
