"""Configure highway-env and read its observations."""

import gymnasium
import highway_env

import gymkernel as gym

env = gym.make("highway-v0", render_mode="rgb_array", config={"lanes_count": 2, "vehicles_count": 5, "duration": 4})
assert isinstance(env, gymnasium.Env)
obs, info = env.reset(seed=1)
assert obs.shape == env.observation_space.shape == (5, 5)
assert env.unwrapped.config["lanes_count"] == 2
done = truncated = False
steps = 0
while not (done or truncated):
    action = env.unwrapped.action_type.actions_indexes["IDLE"]
    obs, reward, done, truncated, info = env.step(action)
    steps += 1
assert 1 <= steps <= 4
assert env.render().ndim == 3
env.close()
