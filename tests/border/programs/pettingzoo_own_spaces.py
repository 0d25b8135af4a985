"""Define a PettingZoo parallel environment whose spaces are ours."""

import functools

from pettingzoo import ParallelEnv
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils import parallel_to_aec

import gymkernel
from gymkernel.spaces import Box, Discrete


class Matching(ParallelEnv):
    metadata = {"name": "matching_v0", "render_modes": []}

    def __init__(self):
        self.possible_agents = ["one", "two"]
        self.render_mode = None

    @functools.lru_cache(maxsize=None)
    def observation_space(self, agent):
        return Box(0.0, 1.0, (2,))

    @functools.lru_cache(maxsize=None)
    def action_space(self, agent):
        return Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents, self.count = self.possible_agents[:], 0
        return {a: self.observation_space(a).sample() for a in self.agents}, {a: {} for a in self.agents}

    def step(self, actions):
        self.count += 1
        same, over = float(len(set(actions.values())) == 1), self.count >= 10
        seen = {a: self.observation_space(a).sample() for a in actions}
        self.agents = [] if over else self.agents
        off = dict.fromkeys(actions, False)
        return seen, dict.fromkeys(actions, same), off, dict.fromkeys(actions, over), {a: {} for a in actions}


parallel_api_test(Matching(), num_cycles=30)
api_test(parallel_to_aec(Matching()), num_cycles=10)
assert Matching().action_space("one") == gymkernel.spaces.Discrete(2)
