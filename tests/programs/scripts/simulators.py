"""Use Gymnasium's simulators by their bare ids, by their classes, inside wrappers and in vector environments."""

import gymnasium as gym
import numpy as np
from gymnasium.envs.box2d.lunar_lander import LunarLander
from gymnasium.envs.mujoco import MujocoEnv
from gymnasium.wrappers import ClipReward, RecordEpisodeStatistics, RescaleAction

base = gym.make("BipedalWalker-v3")
scaled = RescaleAction(base, min_action=0, max_action=1)
print(scaled, scaled.env, type(scaled.unwrapped).__name__, scaled.action_space, base.action_space)


class Moves(gym.ActionWrapper):
    """Clips actions to a small part of a Box."""

    def __init__(self, env, moves):
        super().__init__(env)
        self.moves = moves
        self.action_space = gym.spaces.Discrete(len(moves))

    def action(self, action):
        return self.moves[action]


def play(env, steps):
    observation, info = env.reset(seed=5)
    env.action_space.seed(5)
    total = 0.0
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        total += reward
        if terminated or truncated:
            print(info["episode"]["l"], terminated, truncated)
            observation, info = env.reset()
    return np.round(observation, 4).tolist(), round(float(total), 4)


lander = gym.make("LunarLander-v3", continuous=True, gravity=-6.0, max_episode_steps=60)
moves = [np.array(move, dtype=np.float32) for move in ((1, 0), (-1, 0), (0, 1), (0, -1))]
print(play(Moves(RecordEpisodeStatistics(ClipReward(lander, -1, 1)), moves), 150))
print(isinstance(lander.unwrapped, LunarLander), lander.unwrapped.gravity, lander.spec.max_episode_steps)
print(lander.unwrapped.spec.id, gym.make(lander.spec).unwrapped.gravity, gym.spec("LunarLander-v3").reward_threshold)

ant = gym.make("Ant-v5", ctrl_cost_weight=0.1, reset_noise_scale=0.0)
print(play(RecordEpisodeStatistics(ant), 20), isinstance(ant.unwrapped, MujocoEnv), ant.unwrapped.dt, ant.unwrapped.model.nu)
ant.reset(seed=1)
position, speed = ant.unwrapped.data.qpos.copy(), ant.unwrapped.data.qvel.copy()
ant.step(ant.action_space.sample())
ant.unwrapped.set_state(position, speed)
print(np.round(ant.unwrapped._get_obs()[:5], 4).tolist(), sorted(ant.step(np.zeros(8))[4]))

layer, names = ant, []
while isinstance(layer, gym.Wrapper):
    names.append(type(layer).__name__)
    layer = layer.env
print(names, type(layer).__name__, layer is ant.unwrapped, ant.has_wrapper_attr("frame_skip"))

envs = gym.make_vec("LunarLander-v3", num_envs=3, max_episode_steps=40)
recorded = gym.wrappers.vector.RecordEpisodeStatistics(envs, buffer_length=20)
recorded.reset(seed=42)
recorded.action_space.seed(42)
for _ in range(100):
    observations, rewards, terminations, truncations, infos = recorded.step(recorded.action_space.sample())
print(np.round(observations[0], 4).tolist(), list(recorded.length_queue))
print(np.round(list(recorded.return_queue), 3).tolist(), envs.metadata["autoreset_mode"], recorded.num_envs)

winds = [lambda power=power: gym.make("LunarLander-v3", enable_wind=True, wind_power=power) for power in (5.0, 15.0)]
windy = gym.vector.AsyncVectorEnv(winds)
windy.reset(seed=2)
print(windy.get_attr("wind_power"), np.round(windy.step(np.array([0, 2]))[0], 4).tolist())
windy.close()
