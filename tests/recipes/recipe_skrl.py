"""Run skrl's PPO on a gymkernel vector environment that is wrapped by `wrap_env`."""

from __future__ import annotations

from typing import Any

import torch
from skrl.envs.wrappers.torch import wrap_env

import gymkernel
from gymkernel.vector import AsyncVectorEnv


def make() -> Any:
    return gymkernel.make("CartPole-v1")


if __name__ == "__main__":
    single = wrap_env(make())  # "auto" recognises Gymnasium's class among the bases
    assert single.num_envs == 1
    own_form = wrap_env(
        gymkernel.make_vec("CartPole-v1", 4), wrapper="gymnasium"
    )  # the class has no base that "auto" recognises
    assert own_form.num_envs == 4
    envs = wrap_env(AsyncVectorEnv([make] * 4))
    observations, _ = envs.reset()
    total = 0.0
    for _ in range(100):
        actions = torch.randint(0, 2, (envs.num_envs, 1), device=envs.device)
        observations, rewards, _, _, _ = envs.step(actions)
        total += float(rewards.sum())
    envs.close()
    print(f"{envs.num_envs} environments on {envs.device}, rewards {total}")
    assert observations.shape == (4, 4)
    assert total > 300
