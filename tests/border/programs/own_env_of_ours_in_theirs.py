"""Register an environment that inherits from our `Env` with Gymnasium, and create it with Gymnasium."""

import gymnasium
import numpy as np

import gymkernel


class Walk(gymkernel.Env):
    metadata = {"render_modes": ["ansi"], "render_fps": 4}
    observation_space = gymkernel.spaces.Box(-10, 10, (1,), np.float32)
    action_space = gymkernel.spaces.Discrete(2)

    def __init__(self, render_mode=None, start=0):
        self.render_mode, self.start = render_mode, start

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.start
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place += 1 if action else -1
        return np.array([self.place], np.float32), 1.0, abs(self.place) >= 5, False, {}

    def render(self):
        return f"at {self.place}"


gymnasium.register("Walk-v0", entry_point=Walk, max_episode_steps=20)
env = gymnasium.make("Walk-v0", start=3, render_mode="ansi")
assert isinstance(env.unwrapped, gymkernel.Env) and isinstance(env.unwrapped, gymnasium.Env)
env.reset(seed=1)
assert env.render() == "at 3"
assert env.step(1)[0] == np.array([4.0], np.float32)
assert env.step(1)[2]
envs = gymnasium.make_vec("Walk-v0", num_envs=3, vectorization_mode="sync")
assert envs.reset(seed=1)[0].shape == (3, 1)
assert env.unwrapped.np_random.integers(10) in range(10)
