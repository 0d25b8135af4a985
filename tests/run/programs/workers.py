"""Print the results that each kind of worker process returns."""

import multiprocessing

import gymnasium as gym
from joblib import Parallel, delayed
from stable_baselines3.common.vec_env import SubprocVecEnv


class Counter(gym.Env):
    observation_space = gym.spaces.Box(0, 99, (2,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample() * 0 + self.np_random.integers(9), {}

    def step(self, action):
        return self.observation_space.sample() * 0 + action, 1.0, False, False, {}


def is_env(_):
    import gymnasium

    return issubclass(Counter, gymnasium.Env) and isinstance(gymnasium.make("CartPole-v1"), gymnasium.Env)


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        for make in (Counter, lambda: gym.make("CartPole-v1")):
            envs = SubprocVecEnv([make] * 2, start_method=method)
            envs.seed(3)
            print(method, envs.reset().tolist(), envs.step([1, 0])[0].tolist())
            envs.close()
            envs = gym.vector.AsyncVectorEnv([make] * 2, context=method)
            print(method, envs.reset(seed=1)[0].tolist(), envs.step([1, 0])[0].tolist())
            envs.close()
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(is_env, [1]))
    print(Parallel(n_jobs=2)(delayed(is_env)(i) for i in range(3)))
