"""Step environments in worker processes, and compare results, attributes, calls, wrappers and states."""

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv


def make(index):
    return lambda: gym.wrappers.TimeAwareObservation(gym.make("CartPole-v1", sutton_barto_reward=index == 1))


if __name__ == "__main__":
    for kind in (AsyncVectorEnv, SyncVectorEnv):
        envs = kind([make(i) for i in range(3)])
        print(envs.num_envs, envs.single_observation_space, envs.action_space, envs.metadata["autoreset_mode"])
        observations, infos = envs.reset(seed=[5, 6, 7])
        rng = np.random.default_rng(1)
        for _ in range(60):
            observations, rewards, terminations, truncations, infos = envs.step(rng.integers(0, 2, 3))
        print(observations.tolist(), rewards.tolist(), terminations.tolist(), infos)
        print(envs.get_attr("spec")[0].id, envs.call("get_wrapper_attr", "x_threshold"), envs.get_attr("render_mode"))
        envs.set_attr("marker", [1, 2, 3])
        print(envs.get_attr("marker"))
        envs.close()
        print(envs.closed)
    envs = AsyncVectorEnv([make(0)] * 2, shared_memory=False)
    envs.reset(seed=1)
    envs.step_async(np.array([0, 1]))
    try:
        envs.reset()
    except gym.error.AlreadyPendingCallError as error:
        print(type(error).__name__)
    print(envs.step_wait()[1].tolist())
    envs.close()
    try:
        envs.step(np.array([0, 1]))
    except gym.error.ClosedEnvironmentError as error:
        print(type(error).__name__)
