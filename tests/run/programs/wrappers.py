"""Print a digest of 300 steps of each wrapper, around single and vector environments, with all results bit by bit."""

import warnings
import zlib

import gymnasium as gym
import numpy as np
from gymnasium import wrappers
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector

warnings.simplefilter("ignore")


class Screen(gym.Env):
    """An environment with random images as observations and as rendered images."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    observation_space, action_space = Box(0, 255, (24, 32, 3), np.uint8), Discrete(4)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.render(), {}

    def step(self, action):
        return self.render(), float(action), bool(self.np_random.random() < 0.1), False, {}

    def render(self):
        return self.np_random.integers(0, 256, (24, 32, 3), np.uint8)


class Parts(gym.Wrapper):
    """Return each observation as a part of a dictionary."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = Dict(seen=env.observation_space, count=Box(0, 9, (2,)))

    def _parts(self, seen):
        return {"seen": seen, "count": self.np_random.uniform(0, 9, 2).astype(np.float32)}

    def reset(self, *, seed=None, options=None):
        seen, info = self.env.reset(seed=seed, options=options)
        return self._parts(seen), info

    def step(self, action):
        seen, *results = self.env.step(action)
        return self._parts(seen), *results


def double(value):
    return 2 * value


gym.register("Screen-v0", Screen, max_episode_steps=15)
gym.register("Parts-v0", lambda **options: Parts(gym.make("Pendulum-v1", **options).unwrapped), max_episode_steps=50)
SINGLE = {
    "AddRenderObservation": {"render_only": False},
    "AddWhiteNoise": {"probability_of_noise_per_pixel": 0.3},
    "Autoreset": {},
    "ClipAction": {},
    "ClipReward": {"min_reward": -0.5, "max_reward": 0.5},
    "DelayObservation": {"delay": 2},
    "DiscretizeAction": {"bins": 5},
    "DiscretizeObservation": {"bins": 5},
    "DtypeObservation": {"dtype": np.float64},
    "FilterObservation": {"filter_keys": ["seen"]},
    "FlattenObservation": {},
    "FrameStackObservation": {"stack_size": 3},
    "GrayscaleObservation": {},
    "MaxAndSkipObservation": {"skip": 3},
    "NormalizeObservation": {},
    "NormalizeReward": {},
    "ObstructView": {"obstructed_pixels_ratio": 0.2, "obstruction_width": 8},
    "OrderEnforcing": {},
    "PassiveEnvChecker": {},
    "RecordEpisodeStatistics": {},
    "RepeatAction": {"num_repeats": 2},
    "RescaleAction": {"min_action": -1, "max_action": 1},
    "RescaleObservation": {"min_obs": -1, "max_obs": 1},
    "ReshapeObservation": {"shape": (1, 3)},
    "ResizeObservation": {"shape": (31, 43)},
    "StickyAction": {"repeat_action_probability": 0.3},
    "TimeAwareObservation": {},
    "TimeLimit": {"max_episode_steps": 40},
    "TransformReward": {"func": double},
}
VECTOR = {
    "ClipAction": {},
    "ClipReward": {"min_reward": -0.5, "max_reward": 0.5},
    "DictInfoToList": {},
    "DtypeObservation": {"dtype": np.float64},
    "FilterObservation": {"filter_keys": ["seen"]},
    "FlattenObservation": {},
    "NormalizeObservation": {},
    "NormalizeReward": {},
    "RecordEpisodeStatistics": {},
    "RescaleAction": {"min_action": -1, "max_action": 1},
    "RescaleObservation": {"min_obs": -1, "max_obs": 1},
    "ReshapeObservation": {"shape": (1, 3)},
    "TransformReward": {"func": double},
    "VectorizeTransformReward": {"wrapper": wrappers.TransformReward, "func": double},
}
IDS = "CartPole-v1", "MountainCarContinuous-v0", "Parts-v0", "Pendulum-v1", "Screen-v0", "Taxi-v4"


def flat(value):
    """Return nested results without the time that an episode took, which differs from run to run.

    A Python number counts as equal to a NumPy number and to an array without axes.
    """
    if isinstance(value, dict):
        return {key: flat(part) for key, part in sorted(value.items()) if key not in {"t", "_t"}}
    if isinstance(value, tuple | list):
        return [flat(part) for part in value]
    if isinstance(value, np.ndarray) and value.ndim:
        return value.dtype.str, value.shape, flat(value.tolist()) if value.dtype == object else value.tobytes().hex()
    return repr(value.item() if isinstance(value, np.ndarray | np.generic) else value)


def show(title, make, is_single):
    try:
        env = make()
        env.action_space.seed(3)
        digest = zlib.crc32(repr(flat(env.reset(seed=5))).encode())
        for _ in range(300):
            result = env.step(env.action_space.sample())
            digest = zlib.crc32(repr(flat(result)).encode(), digest)
            if is_single:
                digest = zlib.crc32(repr(flat(env.render())).encode(), digest)
            if is_single and (result[2] or result[3]):
                digest = zlib.crc32(repr(flat(env.reset())).encode(), digest)
        print(title, digest)
    except Exception:
        print(title, "is not supported")


for name, options in SINGLE.items():
    for env_id in IDS:
        mode = "rgb_array" if env_id == "Screen-v0" else None
        show(f"{name} {env_id}", lambda: getattr(wrappers, name)(gym.make(env_id, render_mode=mode), **options), True)
for name, options in VECTOR.items():
    for env_id in IDS:
        makers = [lambda: gym.make(env_id)] * 3
        show(f"{name} 3 {env_id}", lambda: getattr(vector, name)(SyncVectorEnv(makers), **options), False)
for name in ("ClipAction", "NormalizeReward", "TransformReward"):  # Gymnasium's other wrappers reject this mode
    for env_id in ("CartPole-v1", "Pendulum-v1"):
        makers = [lambda: gym.make(env_id)] * 3
        envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
        show(f"{name} SAME_STEP {env_id}", lambda: getattr(vector, name)(envs, **VECTOR[name]), False)
