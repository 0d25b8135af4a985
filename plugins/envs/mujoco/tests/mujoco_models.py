"""A small model for tests, and a reference that steps one `MjData` per environment in a plain loop."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from gymkernel.utils import seeding
from gymkernel_env_mujoco.model_task import ModelTask

__all__ = ["Reference", "crawler", "random_actions"]

MODEL = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <light pos="0 0 4"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <geom type="plane" size="5 5 1" rgba="0.8 0.9 0.8 1"/>
    <body pos="0 0 0.3">
      <joint name="x" type="slide" axis="1 0 0" damping="0.1"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.05" rgba="0.9 0.3 0.2 1"/>
      <body pos="0.2 0 0">
        <joint name="leg" type="hinge" axis="0 1 0" range="-60 60" limited="true"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 -0.2" size="0.04"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="turn" gear="3" ctrlrange="-1 1" ctrllimited="true"/>
    <motor joint="leg" gear="5" ctrlrange="-1 1" ctrllimited="true"/>
  </actuator>
</mujoco>
"""


def crawler(**options: Any) -> ModelTask:
    """Return a task in which a body with one leg falls onto the floor, so that contacts occur."""

    def observe(data: Any) -> Any:
        parts = [data.qpos[..., 1:], data.qvel, data.qfrc_actuator]
        if options.get("post_constraint"):
            forces = data.cfrc_ext
            parts.append(forces.reshape(*forces.shape[:-2], -1))
        return np.concatenate(parts, axis=-1)

    def reward(before: Any, data: Any, action: Any) -> Any:
        return (data.qpos[..., 0] - before.qpos[..., 0]) / 0.05 - 0.1 * np.sum(np.square(action), axis=-1)

    fields = ["qpos", "qvel", "qfrc_actuator", *(["cfrc_ext"] if options.get("post_constraint") else [])]
    return ModelTask(
        MODEL,
        frame_skip=5,
        observation=observe,
        reward=reward,
        termination=lambda data: abs(data.qpos[..., 2]) > 0.5,
        info=lambda data: {"x": data.qpos[..., 0], "velocity": data.qvel[..., :2]},
        reset_noise=0.1,
        fields=fields,
        **options,
    )


def random_actions(seed: int, num_envs: int) -> Any:
    """Return a function that returns the next batch of random actions."""
    rng = np.random.default_rng(seed)
    return lambda: rng.uniform(-1, 1, (num_envs, 2)).astype(np.float32)


class Reference:
    """A reference for vector environments that steps one environment after another, each with its own `MjData`.

    Args:
        task: the task.
        num_envs: the number of environments.
        limit: the number of steps after which an episode is truncated.
        mode: "NextStep", "SameStep" or "Disabled".
    """

    def __init__(self, task: ModelTask, num_envs: int, limit: int, mode: str) -> None:
        self.task, self.limit, self.mode = task, limit, mode
        self.datas = [mujoco.MjData(task.model) for _ in range(num_envs)]
        self.generators: list[Any] = [None] * num_envs
        self.steps, self.over = [0] * num_envs, [False] * num_envs

    def begin(self, i: int) -> None:
        """Start an episode in environment i."""
        data = self.datas[i]
        mujoco.mj_resetData(self.task.model, data)
        data.qpos[:], data.qvel[:] = self.task.sample_state(self.generators[i])
        mujoco.mj_forward(self.task.model, data)
        self.steps[i], self.over[i] = 0, False

    def reset(self, seed: int | None = None, mask: Any = None) -> Any:
        """Reset the masked environments, and return all observations."""
        for i in range(len(self.datas)) if mask is None else np.flatnonzero(mask).tolist():
            if seed is not None:
                self.generators[i] = seeding.np_random(seed + i)[0]
            self.begin(i)
        return self.observe()

    def observe(self) -> Any:
        """Return the observations of all environments."""
        return np.array([self.task.observe(data) for data in self.datas])

    def step(self, actions: Any, mask: Any = None) -> tuple[Any, ...]:
        """Step the masked environments, and return the observations, rewards and flags of all environments."""
        n = len(self.datas)
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
        for i in range(n) if mask is None else np.flatnonzero(mask).tolist():
            if self.over[i] and self.mode == "NextStep":
                self.begin(i)
                continue
            rewards[i], terminated[i] = self.act(i, actions[i])
            truncated[i] = self.steps[i] >= self.limit
            self.over[i] = bool(terminated[i] or truncated[i])
            if self.over[i] and self.mode == "SameStep":
                self.begin(i)
        return self.observe(), rewards, terminated, truncated

    def act(self, i: int, action: Any) -> Any:
        """Perform an action in environment i, and return the reward and whether the episode ends."""
        data = self.datas[i]
        before = self.task.measure(data)
        data.ctrl[:] = action
        mujoco.mj_step(self.task.model, data, self.task.frame_skip)
        mujoco.mj_rnePostConstraint(self.task.model, data)
        self.steps[i] += 1
        return self.task.evaluate(before, data, action)[:2]
