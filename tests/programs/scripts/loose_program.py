"""Use the library loosely: actions of several number types, positional arguments, attributes through wrappers."""

import warnings

import gymnasium as gym
import numpy as np

warnings.simplefilter("ignore")
for name, actions in {
    "CartPole-v1": [0, 1, np.int64(1), np.array(0), True],
    "Pendulum-v1": [[0.5], np.array([0.5]), np.float32([1.5]), (0.1,)],
    "MountainCarContinuous-v0": [[0.3], np.array([0.7]), np.array([3.0], dtype=np.float64)],
    "Acrobot-v1": [0, np.int32(2)],
    "MountainCar-v0": [2, np.int8(0)],
}.items():
    env = gym.make(name, disable_env_checker=True)
    env.reset(seed=13)
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        print(name, action, observation.tolist(), float(reward), terminated, truncated, info)
    print(np.asarray(env.unwrapped.state, dtype=float).tolist())
    env.unwrapped.marker = 4
    print(env.get_wrapper_attr("marker"), env.np_random_seed, type(env.np_random).__name__)
    env.close()
env = gym.wrappers.TimeLimit(gym.make("CartPole-v1").unwrapped, 3)
env = gym.wrappers.OrderEnforcing(env, True)
try:
    env.step(0)
except gym.error.ResetNeeded as error:
    print(type(error).__name__)
env.reset(seed=1, options={"low": -0.01, "high": 0.01})
print([env.step(0)[3] for _ in range(3)])
with gym.make("CartPole-v1") as env:
    env = gym.wrappers.Autoreset(gym.wrappers.TimeLimit(env, 5))
    env.reset(seed=3)
    print([env.step(1)[0].round(5).tolist() for _ in range(8)])
gym.logger.min_level = gym.logger.ERROR
print(gym.logger.min_level, isinstance(env, gym.Wrapper), isinstance(env.unwrapped, gym.Env))
