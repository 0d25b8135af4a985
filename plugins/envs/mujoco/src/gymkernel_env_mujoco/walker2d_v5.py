"""Walker2d: a two-dimensional robot with two legs that learns to walk."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.legs import LeggedTask, leg, legged_model
from gymkernel_env_mujoco.mjcf import SKIN, floor, node
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv

__all__ = ["Walker2dEnv", "Walker2dTask", "Walker2dVectorEnv"]

SOLE = (-0.1, 0.06, 0.1)
PURPLE = (0.7, 0.3, 0.6, 1)


def model() -> str:
    """Return the Walker2d model in MJCF. Its legs are like Hopper's leg, but with different feet."""
    contact = {"contype": 1, "conaffinity": 0, "condim": 3, "friction": (0.7, 0.1, 0.1)}
    defaults = node(
        "default",
        node("joint", armature=0.01, damping=0.1, limited=True),
        node("geom", density=1000, rgba=SKIN, **contact),
    )
    return legged_model(
        "walker2d",
        leg("", 0.2, 1.9, SOLE),
        leg("_left", 0.2, 1.9, SOLE, PURPLE),
        defaults=defaults,
        gear=100,
        ground=floor(conaffinity=1),
    )


class Walker2dTask(LeggedTask):
    """The task of walking forward. See `LeggedTask` for the arguments that are not listed here.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
    """

    camera: ClassVar[dict[str, Any] | None] = {
        "trackbodyid": 2,
        "distance": 4.0,
        "lookat": np.array((0.0, 0.0, 1.15)),
        "elevation": -20.0,
    }

    def __init__(
        self,
        xml_file: str | None = None,
        frame_skip: int = 4,
        forward_reward_weight: float = 1.0,
        ctrl_cost_weight: float = 1e-3,
        healthy_reward: float = 1.0,
        terminate_when_unhealthy: bool = True,
        healthy_z_range: tuple[float, float] = (0.8, 2.0),
        healthy_angle_range: tuple[float, float] = (-1.0, 1.0),
        reset_noise_scale: float = 5e-3,
        exclude_current_positions_from_observation: bool = True,
    ) -> None:
        super().__init__(
            model() if xml_file in {None, "walker2d_v5.xml"} else xml_file,
            frame_skip,
            forward_reward_weight,
            ctrl_cost_weight,
            healthy_reward,
            terminate_when_unhealthy,
            healthy_z_range,
            healthy_angle_range,
            reset_noise_scale,
            exclude_current_positions_from_observation,
        )


class Walker2dEnv(TaskEnv):
    """A single Walker2d environment. The arguments are those of `Walker2dTask` and `TaskEnv`."""

    task_class = Walker2dTask


class Walker2dVectorEnv(TaskVectorEnv):
    """A Walker2d vector environment. The arguments are those of `Walker2dTask` and `TaskVectorEnv`."""

    task_class = Walker2dTask
