"""Create SuperSuit vector environments from our environments and, inside our statistics wrapper, from PettingZoo's."""

import gymnasium
import numpy as np
import supersuit
from pettingzoo.classic import rps_v2

import gymkernel as gym

envs = supersuit.gym_vec_env_v0(gym.make("CartPole-v1"), 3)
assert isinstance(envs, gymnasium.vector.VectorEnv)
assert np.asarray(envs.reset(seed=1)[0]).shape == (3, 4)
assert envs.num_envs == 3

envs = supersuit.pettingzoo_env_to_vec_env_v1(rps_v2.parallel_env(max_cycles=4))
envs = supersuit.concat_vec_envs_v1(envs, 2, num_cpus=0, base_class="gymnasium")
envs = gym.wrappers.vector.TransformReward(envs, lambda rewards: 10 * rewards)
obs, _ = envs.reset(seed=1)
assert envs.num_envs == 4
assert isinstance(envs, gymnasium.vector.VectorWrapper)
for _ in range(4):
    obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1, 2, 0]))
assert set(rewards.tolist()) <= {-10, 0, 10}
