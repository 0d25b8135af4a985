"""Evaluate a policy and save checkpoints during training."""

import glob
import os
import tempfile

from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback, EvalCallback

import gymkernel as gym


class CountSteps(BaseCallback):
    def _on_step(self):
        self.count = getattr(self, "count", 0) + 1
        return True


folder = tempfile.mkdtemp()
count = CountSteps()
evaluate = EvalCallback(gym.make("CartPole-v1"), best_model_save_path=folder, log_path=folder, eval_freq=64, verbose=0)
save = CheckpointCallback(save_freq=64, save_path=folder, name_prefix="model")
PPO("MlpPolicy", gym.make("CartPole-v1"), n_steps=64, batch_size=32).learn(128, callback=[count, evaluate, save])
assert count.count == 128
assert os.path.exists(os.path.join(folder, "best_model.zip"))
assert len(glob.glob(os.path.join(folder, "model_*.zip"))) == 2
