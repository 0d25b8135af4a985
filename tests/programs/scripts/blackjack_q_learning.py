"""Learn a Q-table for Blackjack with one environment, tuple observations and episode statistics."""

from collections import defaultdict

import gymnasium as gym
import numpy as np

EPISODES = 300


class Agent:
    def __init__(self, env, learning_rate=0.05, discount=0.95):
        self.env = env
        self.values = defaultdict(lambda: np.zeros(env.action_space.n))
        self.learning_rate = learning_rate
        self.discount = discount
        self.epsilon = 1.0
        self.rng = np.random.default_rng(0)

    def act(self, observation):
        if self.rng.random() < self.epsilon:
            return self.env.action_space.sample()
        return int(np.argmax(self.values[observation]))

    def learn(self, observation, action, reward, terminated, following):
        best = 0.0 if terminated else np.max(self.values[following])
        error = reward + self.discount * best - self.values[observation][action]
        self.values[observation][action] += self.learning_rate * error
        return error


env = gym.make("Blackjack-v1", sab=False)
env = gym.wrappers.RecordEpisodeStatistics(env, buffer_length=EPISODES)
env.action_space.seed(3)
agent = Agent(env)
errors = []
for episode in range(EPISODES):
    observation, info = env.reset(seed=7 if episode == 0 else None)
    done = False
    while not done:
        action = agent.act(observation)
        following, reward, terminated, truncated, info = env.step(action)
        errors.append(agent.learn(observation, action, reward, terminated, following))
        done = terminated or truncated
        observation = following
    agent.epsilon = max(0.1, agent.epsilon - 1 / EPISODES)

print(sorted((state, values.tolist()) for state, values in agent.values.items())[:20])
print(list(env.return_queue)[-20:], list(env.length_queue)[-20:], len(env.time_queue))
print(sorted(info["episode"]), float(info["episode"]["r"]), int(info["episode"]["l"]), np.sum(errors))
env.close()
