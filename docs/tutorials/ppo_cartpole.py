"""PPO of Stable-Baselines3 on the asynchronous backend; needs gymkernel-bridge-stable-baselines3."""

from __future__ import annotations

import sys
from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from gymkernel.utils.stable_baselines3 import make_sb3_vec


class Returns(BaseCallback):
    """Keeps the return of every episode, and the step at which it ended."""

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


def learn(steps: int, num_envs: int = 8, seed: int = 1) -> tuple[Any, Returns]:
    """Train for a number of steps; returns the model, and the returns of its episodes."""
    envs = make_sb3_vec("CartPole-v1", num_envs, backend="async", seed=seed)
    returns = Returns()
    model = PPO("MlpPolicy", envs, n_steps=128, batch_size=256, seed=seed, device="cpu")
    model.learn(steps, callback=returns)
    envs.close()
    return model, returns


if __name__ == "__main__":
    trained, history = learn(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
    print(f"the last 20 episodes: {sum(history.returns[-20:]) / 20:.0f} of 500")
    trained.save("cartpole.zip")
