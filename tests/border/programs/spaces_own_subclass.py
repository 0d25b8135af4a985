"""Derive a space from each library's `Space`, and use it in the other library's containers and vector environments."""

import gymnasium
import numpy as np

import gymkernel


def space_of(library):
    class Even(library.spaces.Space):
        def __init__(self, limit):
            self.limit = limit
            super().__init__((), np.int64)

        def sample(self, mask=None, probability=None):
            return 2 * int(self.np_random.integers(self.limit))

        def contains(self, x):
            return x % 2 == 0 and 0 <= x < 2 * self.limit

    return Even(5)


for first in (gymkernel, gymnasium):
    for second in (gymkernel, gymnasium):
        even = space_of(first)
        assert isinstance(even, gymnasium.Space)
        both = second.spaces.Dict(even=even, rest=second.spaces.Discrete(2))
        assert both.sample() in both
        assert 3 not in even and 4 in even

        class Numbers(second.Env):
            observation_space, action_space = even, second.spaces.Discrete(2)

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return 4, {}

            def step(self, action):
                return 6, 1.0, False, False, {}

        envs = second.vector.SyncVectorEnv([Numbers] * 2)
        obs, _ = envs.reset(seed=1)
        assert tuple(obs) == (4, 4)
