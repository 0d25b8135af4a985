"""Pass environments of several kinds to SB3's checker, which must not find any problems."""

import warnings

from stable_baselines3.common.env_checker import check_env

import gymkernel as gym

for env_id in ["CartPole-v1", "Acrobot-v1", "MountainCarContinuous-v0", "Pendulum-v1", "FrozenLake-v1", "Taxi-v4"]:
    if env_id not in gym.registry:
        env_id = env_id.replace("v4", "v3")
    env = gym.make(env_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert check_env(env, warn=True) is None
    assert check_env(env.unwrapped, warn=False) is None
    env.close()
