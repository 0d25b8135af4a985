"""Run the first program of ALE's documentation."""

import ale_py

import gymkernel as gym

gym.register_envs(ale_py)
env = gym.make("ALE/Breakout-v5", render_mode="rgb_array", obs_type="grayscale", repeat_action_probability=0.0)
obs, info = env.reset(seed=42)
for _ in range(20):
    action = env.action_space.sample()
    obs, reward, terminated, truncated, info = env.step(action)
assert obs.shape == (210, 160)
assert env.render().shape == (210, 160, 3)
assert env.unwrapped.get_action_meanings()[:2] == ["NOOP", "FIRE"]
assert env.get_wrapper_attr("ale").lives() == info["lives"]
assert env.spec.kwargs["obs_type"] == "grayscale"
env.close()
