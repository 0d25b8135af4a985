"""Hopper: a robot with one leg that learns to hop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.legs import LeggedTask, leg, legged_model
from gymkernel_env_mujoco.mjcf import SKIN, floor, node
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import tracking_camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HopperEnv", "HopperTask", "HopperVectorEnv"]


def model() -> str:
    """Return the Hopper model (Erez, Tassa and Todorov, "Infinite-horizon model predictive control", 2011) in MJCF."""
    contact = {"solimp": (0.8, 0.8, 0.01), "solref": (0.02, 1), "margin": 0.001}
    defaults = node(
        "default",
        node("joint", armature=1, damping=1, limited=True),
        node("geom", contype=1, conaffinity=1, condim=1, material="skin", rgba=SKIN, **contact),
    )
    return legged_model(
        "hopper",
        leg("", 0.13, 2.0, (-0.065, 0.06, 0.195)),
        defaults=defaults,
        gear=200,
        ground=floor((20, 20, 0.125), conaffinity=1),
        visual=node("visual", node("map", znear=0.02)),
    )


@dataclass(eq=False, repr=False)
class HopperTask(LeggedTask):
    """The task of making a robot with one leg hop forward.

    The robot moves in the x-z plane, and a step takes 0.008 s. (Erez, Tassa and Todorov, "Infinite-horizon model
    predictive control", 2011.)

    Action, `Box` of 3 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the hip | 200 N m | ±1 |
    | 1 | torque on the knee | 200 N m | ±1 |
    | 2 | torque on the ankle | 200 N m | ±1 |

    Observation, `Box` of 11 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso | m | none |
    | 1 | pitch angle of the torso | rad | none |
    | 2 | angle of the hip | rad | -2.618 to 0 |
    | 3 | angle of the knee | rad | -2.618 to 0 |
    | 4 | angle of the ankle | rad | ±0.785 |
    | 5 | velocity of the torso along x | m/s | ±10 |
    | 6 | velocity of the torso along z | m/s | ±10 |
    | 7 | angular velocity of the torso | rad/s | ±10 |
    | 8 | angular velocity of the hip | rad/s | ±10 |
    | 9 | angular velocity of the knee | rad/s | ±10 |
    | 10 | angular velocity of the ankle | rad/s | ±10 |

    The space has no bounds. The limit of an angle is the range of the joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. The observed velocities are clipped to ±10. With
    `exclude_current_positions_from_observation=False`, the observation begins with the x position of the torso in m.

    Reward: the velocity along x in m/s, averaged over the step, plus 1 in a healthy state, minus 0.001 times the sum of
    the squared actions.

    Reset: uniform noise between -0.005 and 0.005 is added to the initial positions and velocities.

    Termination: the state is unhealthy, which means that the height of the torso is not greater than 0.7 m, or that its
    pitch angle is not between -0.2 rad and 0.2 rad, or that the angle of a joint or a velocity is not between -100 and
    100. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position` and `z_distance_from_origin` (the rise above the initial height) in m and, after a step,
    `x_velocity` in m/s and the parts of the reward, `reward_forward`, `reward_survive` and `reward_ctrl`.

    See `LeggedTask` for the arguments that are not listed here.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        healthy_state_range: the range of all positions and velocities, except x and z, in a healthy state.
    """

    camera: ClassVar[dict[str, Any] | None] = tracking_camera(2, 3.0, 1.15)
    own_file = "hopper.xml"

    frame_skip: int = 4
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 1e-3
    healthy_reward: float = 1.0
    terminate_when_unhealthy: bool = True
    healthy_state_range: tuple[float, float] = (-100.0, 100.0)
    healthy_z_range: tuple[float, float] = (0.7, float("inf"))
    healthy_angle_range: tuple[float, float] = (-0.2, 0.2)
    reset_noise_scale: float = 5e-3
    exclude_current_positions_from_observation: bool = True

    def is_healthy(self, data: Any) -> Any:
        """Return whether the robot is upright and all positions and velocities are within the healthy range."""
        low, high = self.healthy_state_range
        is_upright = super().is_healthy(data)
        positions, velocities = data.qpos[..., 2:], data.qvel
        if velocities.ndim == 1:  # as in Gymnasium, the result is a `bool` and not a NumPy scalar
            return _all_between(low, positions, high) and _all_between(low, velocities, high) if is_upright else False
        state = np.concatenate((positions, velocities), axis=-1)
        return is_upright & np.all((low < state) & (state < high), axis=-1)


def _all_between(low: float, values: NDArray[np.float64], high: float) -> bool:
    """Return whether a few numbers are between the limits. Python is faster than NumPy in this case."""
    return all(low < value < high for value in values.tolist())


class HopperEnv(TaskEnv):
    """A single Hopper environment. The arguments are those of `HopperTask` and `TaskEnv`."""

    task_class = HopperTask


class HopperVectorEnv(TaskVectorEnv):
    """A Hopper vector environment. The arguments are those of `HopperTask` and `TaskVectorEnv`."""

    task_class = HopperTask
