"""Pass Dict observations through wrappers and vector environments of both libraries."""

import gymnasium
import numpy as np

import gymkernel as gym


class Arm(gym.Env):
    observation_space = gym.spaces.Dict(
        position=gym.spaces.Box(-np.inf, np.inf, (3,), np.float64),
        image=gym.spaces.Box(0, 255, (4, 4, 3), np.uint8),
        text=gym.spaces.Text(8),
    )
    action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {"goal": np.zeros(2)}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {"goal": np.ones(2)}


env = gymnasium.wrappers.FilterObservation(Arm(), ["position", "image"])
env = gym.wrappers.FrameStackObservation(env, 2)
assert env.reset(seed=1)[0]["image"].shape == (2, 4, 4, 3)
flat = gym.wrappers.FlattenObservation(gymnasium.wrappers.FilterObservation(Arm(), ["position", "image"]))
assert flat.reset(seed=1)[0].shape == (51,)
for library in (gym, gymnasium):
    envs = library.vector.SyncVectorEnv([Arm, Arm])
    obs, infos = envs.reset(seed=1)
    assert obs["position"].shape == (2, 3) and len(obs["text"]) == 2
    assert infos["goal"].shape == (2, 2)
