"""Use TorchRL with an id, an environment, a vector environment, a collector, and fragments."""

from __future__ import annotations

import pytest
from tests.recipes import fragments_torchrl
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper
from torchrl.envs.libs.gym import _gym_to_torchrl_spec_transform
from torchrl.envs.utils import RandomPolicy, check_env_specs

import gymkernel
from gymkernel import spaces
from gymkernel.vector import AsyncVectorEnv


def make() -> gymkernel.Env[object, object]:
    return gymkernel.make("CartPole-v1")


if __name__ == "__main__":
    library = {"CartPole-v1": "gymnasium", "gymkernel/CartPole-v1": "gymkernel_bridge_gymnasium"}
    library["gymkernel_bridge_gymnasium:gymkernel/CartPole-v1"] = "gymkernel_bridge_gymnasium"
    for env_id, package in library.items():
        by_id = GymEnv(env_id, categorical_action_encoding=True)
        by_id.set_seed(1)
        check_env_specs(by_id)
        assert type(by_id._env.unwrapped).__module__.partition(".")[0] == package

    single = GymWrapper(make(), categorical_action_encoding=True)
    check_env_specs(single)
    rollout = single.rollout(50)
    assert rollout["next", "observation"].shape[-1] == 4

    # TorchRL supports vector environments that reset in the same step or not at all.
    for mode in ("SameStep", "Disabled"):
        own_form = gymkernel.make_vec("CartPole-v1", 4, autoreset_mode=mode)
        check_env_specs(GymWrapper(own_form, categorical_action_encoding=True))
    with pytest.raises(RuntimeError, match="SAME_STEP or DISABLED"):
        GymWrapper(gymkernel.make_vec("CartPole-v1", 4))
    envs = GymWrapper(AsyncVectorEnv([make] * 4, autoreset_mode="SameStep"), categorical_action_encoding=True)
    collector = Collector(envs, RandomPolicy(envs.action_spec), frames_per_batch=200, total_frames=1000)
    frames = sum(batch.numel() for batch in collector)
    collector.shutdown()
    print(f"{frames} frames from {envs.batch_size.numel()} environments")
    assert frames == 1000

    spec = _gym_to_torchrl_spec_transform(spaces.Dict(place=spaces.Box(0, 1, (2,)), gear=spaces.Discrete(3)))
    assert set(spec.keys()) == {"place", "gear"}

    fragments_torchrl.main()
