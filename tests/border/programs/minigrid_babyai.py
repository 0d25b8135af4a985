"""Make BabyAI levels by id, and read the mission in the observation."""

import gymnasium
import minigrid

import gymkernel as gym

for env_id in ("BabyAI-GoToRedBall-v0", "BabyAI-GoToLocal-v0", "BabyAI-OpenDoor-v0"):
    env = gym.make(env_id, max_episode_steps=20)
    assert env.spec.id == env_id
    assert isinstance(env.unwrapped, minigrid.envs.babyai.core.roomgrid_level.RoomGridLevel)
    assert isinstance(env, gymnasium.Env)
    obs, _ = env.reset(seed=2)
    assert obs["mission"]
    assert obs["direction"] in gym.spaces.Discrete(4)
    for _ in range(5):
        obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
