"""Train PPO of Stable-Baselines3 on CartPole, evaluate the agent and save it."""

from __future__ import annotations

from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.evaluation import evaluate_policy

from gymkernel.utils.stable_baselines3 import make_sb3_vec

FILE = "cartpole.zip"
"""The file of the trained model."""


class Returns(BaseCallback):
    """A callback that stores the return of each episode and the total number of steps at the end of the episode."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []
        self.returns: list[float] = []

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.steps.append(self.num_timesteps)
                self.returns.append(float(info["episode"]["r"]))
        return True


def learn(steps: int, num_envs: int = 8, seed: int = 1) -> tuple[PPO, Returns]:
    """Train for a number of steps and return the model and the returns of its episodes."""
    envs = make_sb3_vec("CartPole-v1", num_envs, seed=seed)
    model = PPO(
        "MlpPolicy",
        envs,
        learning_rate=lambda remaining: 0.001 * remaining,
        n_steps=32,
        batch_size=256,
        n_epochs=20,
        gamma=0.98,
        gae_lambda=0.8,
        clip_range=lambda remaining: 0.2 * remaining,
        seed=seed,
        device="cpu",
    )
    returns = Returns()
    model.learn(steps, callback=returns)
    envs.close()
    return model, returns


def evaluate(model: PPO, episodes: int = 100, seed: int = 1000) -> float:
    """Return the mean return of episodes in which the model takes its most probable action."""
    envs = make_sb3_vec("CartPole-v1", 8, seed=seed)
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=episodes, deterministic=True)
    envs.close()
    return float(mean)


class Trained:
    """The saved agent, as a policy for `gymkernel rollout` and `gymkernel render`."""

    def __init__(self, env: Any) -> None:
        self.model = PPO.load(FILE, device="cpu")

    def __call__(self, observation: Any) -> Any:
        """Return the most probable action."""
        action, _ = self.model.predict(observation, deterministic=True)
        return action


if __name__ == "__main__":
    model, history = learn(100_000)
    print(f"mean return of the last 20 training episodes: {sum(history.returns[-20:]) / 20:.0f} of 500")
    print(f"mean return of the trained agent in 100 episodes: {evaluate(model):.0f} of 500")
    model.save(FILE)
    print(f"saved as {FILE}")
