"""Step our environments in PufferLib's serial and multiprocessing vector environments."""

import numpy as np
import pufferlib.emulation
import pufferlib.vector

import gymkernel


def make_env(*args, **kwargs):
    return pufferlib.emulation.GymnasiumPufferEnv(env_creator=gymkernel.make, env_args=["CartPole-v1"])


if __name__ == "__main__":
    for backend, extra in ((pufferlib.vector.Serial, {}), (pufferlib.vector.Multiprocessing, {"num_workers": 2})):
        envs = pufferlib.vector.make(make_env, num_envs=4, backend=backend, **extra)
        obs, infos = envs.reset(seed=1)
        assert np.asarray(obs).shape == (4, 4)
        obs, rewards, terminals, truncations, infos = envs.step(np.array([0, 1, 0, 1]))
        assert np.asarray(rewards).tolist() == [1, 1, 1, 1]
        assert envs.single_action_space == gymkernel.spaces.Discrete(2)
        envs.close()
