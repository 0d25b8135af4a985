"""Print a digest of 200 steps of environments from other packages."""

import random
import warnings
import zlib
from importlib import import_module

import gymnasium as gym
import numpy as np

warnings.simplefilter("ignore")
ENVIRONMENTS = {
    "ale_py": "ALE/Pong-v5 ALE/Breakout-v5 PongNoFrameskip-v4",
    "flappy_bird_gymnasium": "FlappyBird-v0",
    "gym_anytrading": "forex-v0 stocks-v0",
    "gym_pusht": "gym_pusht/PushT-v0",
    "gymnasium_cartpole_swingup": "CartPoleSwingUp-v0",
    "gymnasium_robotics": "PointMaze_UMaze-v3 AdroitHandDoor-v1 FetchReach-v4",
    "gymnasium_search_race": "gymnasium_search_race/SearchRace-v3",
    "gymnasium_snake_game": "Snake-v1",
    "highway_env": "highway-v0 merge-v0 parking-v0 roundabout-v0 racetrack-v0 intersection-multi-agent-v0",
    "lbforaging": "Foraging-5x5-2p-1f-v3",
    "metaworld": "Meta-World/MT1",
    "minigrid": """
        MiniGrid-Empty-8x8-v0 MiniGrid-DoorKey-6x6-v0 MiniGrid-LavaGapS5-v0 MiniGrid-FourRooms-v0 BabyAI-GoToRedBall-v0
    """,
    "mo_gymnasium": "deep-sea-treasure-v0 mo-mountaincar-v0 resource-gathering-v0 mo-lunar-lander-v3",
    "panda_gym": "PandaReach-v3 PandaPush-v3",
    "popgym": "popgym-RepeatPreviousEasy-v0 popgym-PositionOnlyCartPoleEasy-v0",
    "rware": "rware-tiny-2ag-easy-v2",
    "vizdoom.gymnasium_wrapper": "VizdoomBasic-v1",
}
"""The ids of environments, keyed by the module that registers them."""
OPTIONS = {"Meta-World/MT1": {"env_name": "reach-v3", "seed": 5}}


def flat(value):
    if isinstance(value, dict):
        return {key: flat(part) for key, part in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [flat(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes().hex()
    return float(value).hex() if isinstance(value, float) else repr(value)


count = 0
for module, ids in ENVIRONMENTS.items():
    package = import_module(module)
    for env_id in ids.split():
        random.seed(5)  # some of these environments use global generators
        np.random.seed(5)
        make = package.make if module == "mo_gymnasium" else gym.make
        env = make(env_id, **OPTIONS.get(env_id, {}))
        digest = zlib.crc32(repr(flat(env.reset(seed=5)[0])).encode())
        for step in range(200):
            env.action_space.seed(step)  # in each step, because highway-env creates new spaces in `reset`
            observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            digest = zlib.crc32(repr([flat(observation), flat(reward), terminated, truncated]).encode(), digest)
            if np.all(terminated) or np.all(truncated):
                digest = zlib.crc32(repr(flat(env.reset(seed=step)[0])).encode(), digest)
        env.close()
        print(env_id, digest)
        count += 1
print(count, "environments of", len(ENVIRONMENTS), "packages")
