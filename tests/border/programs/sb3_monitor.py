"""Write one line per episode to a file with Monitor."""

import os
import tempfile

import gymnasium
from stable_baselines3.common.monitor import Monitor, load_results

import gymkernel

folder = tempfile.mkdtemp()
env = Monitor(gymkernel.make("CartPole-v1"), os.path.join(folder, "run"))
assert isinstance(env, gymnasium.Wrapper)
assert isinstance(env.unwrapped, gymnasium.Env)
env.reset(seed=1)
for _ in range(3):
    done = False
    while not done:
        obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
        done = terminated or truncated
    assert info["episode"]["l"] >= 8
    env.reset()
env.close()
assert len(load_results(folder)) == 3
assert sum(env.get_episode_lengths()) == env.get_total_steps()
