"""Print a digest of 200 steps of environments from other packages."""

import warnings
import zlib

import ale_py
import gymnasium as gym
import gymnasium_robotics
import highway_env
import minigrid
import mo_gymnasium
import numpy as np

warnings.simplefilter("ignore")
PACKAGES = (ale_py, gymnasium_robotics, highway_env, minigrid, mo_gymnasium)
IDS = """
    ALE/Pong-v5 ALE/Breakout-v5 PongNoFrameskip-v4 PointMaze_UMaze-v3 AdroitHandDoor-v1 highway-v0
    merge-v0 parking-v0 roundabout-v0 racetrack-v0 MiniGrid-Empty-8x8-v0 MiniGrid-DoorKey-6x6-v0
    MiniGrid-LavaGapS5-v0 MiniGrid-FourRooms-v0 BabyAI-GoToRedBall-v0 deep-sea-treasure-v0 mo-mountaincar-v0
    resource-gathering-v0 mo-lunar-lander-v3
""".split()


def flat(value):
    if isinstance(value, dict):
        return {key: flat(part) for key, part in sorted(value.items()) if key in RESULTS}
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes().hex()
    return float(value).hex() if isinstance(value, float) else repr(value)


RESULTS = ("observation", "achieved_goal", "desired_goal", "image", "direction", "mission")
for env_id in IDS:
    make = mo_gymnasium.make if "mo-" in env_id or env_id[:4] in ("deep", "reso") else gym.make
    env = make(env_id)
    digest = zlib.crc32(repr(flat(env.reset(seed=5)[0])).encode())
    for step in range(200):
        env.action_space.seed(step)  # in each step, because highway-env creates new spaces in `reset`
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        digest = zlib.crc32(repr([flat(observation), flat(reward), terminated, truncated]).encode(), digest)
        if terminated or truncated:
            digest = zlib.crc32(repr(flat(env.reset(seed=step)[0])).encode(), digest)
    env.close()
    print(env_id, digest)
