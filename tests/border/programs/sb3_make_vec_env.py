"""Call `make_vec_env` with a function and a wrapper, in one process and in several."""

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import is_wrapped, make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

import gymkernel

if __name__ == "__main__":
    envs = make_vec_env(lambda: gymkernel.make("CartPole-v1"), n_envs=4, seed=0)
    assert envs.num_envs == 4
    assert all(envs.env_is_wrapped(Monitor))
    assert is_wrapped(envs.envs[0], Monitor)
    model = PPO("MlpPolicy", envs, n_steps=32, batch_size=64).learn(256)
    assert len(model.ep_info_buffer) > 3
    envs = make_vec_env(
        lambda: gymkernel.make("CartPole-v1"),
        n_envs=2,
        vec_env_cls=SubprocVecEnv,
        wrapper_class=gymkernel.wrappers.TimeLimit,
        wrapper_kwargs={"max_episode_steps": 5},
    )
    envs.reset()
    for _ in range(5):
        _, _, dones, infos = envs.step([0, 1])
    assert dones.all() and infos[0]["TimeLimit.truncated"]
    envs.close()
