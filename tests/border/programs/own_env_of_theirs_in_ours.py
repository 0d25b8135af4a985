"""Register an environment that inherits from `gymnasium.Env` with gymkernel, and create one and several instances."""

import gymnasium
import numpy as np

import gymkernel


class Walk(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(self, render_mode=None, start=0):
        self.render_mode, self.start = render_mode, start
        self.observation_space = gymnasium.spaces.Dict(place=gymnasium.spaces.Box(-10, 10, (1,), np.float32))
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.start
        return {"place": np.array([self.place], np.float32)}, {}

    def step(self, action):
        self.place += 1 if action else -1
        return {"place": np.array([self.place], np.float32)}, 1.0, abs(self.place) >= 5, False, {}


gymkernel.register("Walk-v0", entry_point=Walk, max_episode_steps=20)
env = gymkernel.make("Walk-v0", start=4)
assert isinstance(env.unwrapped, Walk)
assert isinstance(env.observation_space, gymkernel.spaces.Dict)
assert isinstance(env.observation_space["place"], gymkernel.spaces.Box)
assert isinstance(env.action_space, gymnasium.spaces.Discrete)
env.reset(seed=1)
assert env.step(1)[2]
if __name__ == "__main__":
    for mode in ("sync", "async"):
        envs = gymkernel.make_vec("Walk-v0", num_envs=3, vectorization_mode=mode)
        assert isinstance(envs.single_observation_space, gymkernel.spaces.Dict)
        assert envs.reset(seed=1)[0]["place"].shape == (3, 1)
        envs.close()
