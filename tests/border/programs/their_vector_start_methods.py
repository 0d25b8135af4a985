"""Start Gymnasium's workers with each start method to step our environments."""

import gymnasium
import numpy as np

import gymkernel


class Room(gymkernel.Env):
    observation_space = gymkernel.spaces.Dict(a=gymkernel.spaces.Box(-1, 1, (2,)), b=gymkernel.spaces.Discrete(3))
    action_space = gymkernel.spaces.Tuple([gymkernel.spaces.Discrete(2), gymkernel.spaces.MultiBinary(2)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        right = isinstance(self.action_space, gymnasium.spaces.Tuple) and action in self.action_space
        return self.observation_space.sample(), float(right), False, False, {}


if __name__ == "__main__":
    seen = []
    for context in ("fork", "spawn", "forkserver"):
        envs = gymnasium.vector.AsyncVectorEnv([Room, Room], context=context)
        obs, _ = envs.reset(seed=7)
        seen.append(obs["a"].tolist())
        actions = (np.array([0, 1]), np.zeros((2, 2), np.int8))
        obs, rewards, *_ = envs.step(actions)
        assert rewards.tolist() == [1, 1]
        assert obs["b"].shape == (2,)
        envs.close()
    assert seen[0] == seen[1] == seen[2]
