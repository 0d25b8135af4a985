"""Check highway-env's spaces after resets, because each reset creates new spaces."""

import gymnasium
import highway_env

import gymkernel as gym

env = gym.make("highway-fast-v0", config={"vehicles_count": 3, "duration": 3})
for _ in range(2):
    obs, info = env.reset(seed=1)
    assert isinstance(env.observation_space, gym.spaces.Box) and obs in env.observation_space
    assert isinstance(env.action_space, gym.spaces.Discrete) and isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert env.action_space == gym.spaces.Discrete(5) and gym.spaces.Discrete(5) == env.action_space
env.unwrapped.configure({"action": {"type": "ContinuousAction"}})
env.reset(seed=2)
assert isinstance(env.action_space, gym.spaces.Box) and env.action_space.shape == (2,)
env.step(env.action_space.sample())
env.close()
parking = gym.make("parking-v0")
obs, _ = parking.reset(seed=1)
assert isinstance(parking.observation_space, gym.spaces.Dict)
assert {key: isinstance(part, gym.spaces.Box) for key, part in parking.observation_space.items()} == dict.fromkeys(
    obs, True
)
