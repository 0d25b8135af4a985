"""Walker2d: a two-dimensional robot with two legs that learns to walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gymkernel_env_mujoco.legs import LeggedTask, leg, legged_model
from gymkernel_env_mujoco.mjcf import SKIN, floor, node
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import tracking_camera

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


@dataclass(eq=False, repr=False)
class Walker2dTask(LeggedTask):
    """The task of making a two-dimensional robot with two legs walk forward.

    The robot moves in the x-z plane, and a step takes 0.008 s. Its legs are like the leg of Hopper.

    Action, `Box` of 6 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the right hip | 100 N m | ±1 |
    | 1 | torque on the right knee | 100 N m | ±1 |
    | 2 | torque on the right ankle | 100 N m | ±1 |
    | 3 | torque on the left hip | 100 N m | ±1 |
    | 4 | torque on the left knee | 100 N m | ±1 |
    | 5 | torque on the left ankle | 100 N m | ±1 |

    Observation, `Box` of 17 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso | m | none |
    | 1 | pitch angle of the torso | rad | none |
    | 2 | angle of the right hip | rad | -2.618 to 0 |
    | 3 | angle of the right knee | rad | -2.618 to 0 |
    | 4 | angle of the right ankle | rad | ±0.785 |
    | 5 | angle of the left hip | rad | -2.618 to 0 |
    | 6 | angle of the left knee | rad | -2.618 to 0 |
    | 7 | angle of the left ankle | rad | ±0.785 |
    | 8 | velocity of the torso along x | m/s | ±10 |
    | 9 | velocity of the torso along z | m/s | ±10 |
    | 10 | angular velocity of the torso | rad/s | ±10 |
    | 11 | angular velocity of the right hip | rad/s | ±10 |
    | 12 | angular velocity of the right knee | rad/s | ±10 |
    | 13 | angular velocity of the right ankle | rad/s | ±10 |
    | 14 | angular velocity of the left hip | rad/s | ±10 |
    | 15 | angular velocity of the left knee | rad/s | ±10 |
    | 16 | angular velocity of the left ankle | rad/s | ±10 |

    The space has no bounds. The limit of an angle is the range of the joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. The observed velocities are clipped to ±10. With
    `exclude_current_positions_from_observation=False`, the observation begins with the x position of the torso in m.

    Reward: the velocity along x in m/s, averaged over the step, plus 1 in a healthy state, minus 0.001 times the sum of
    the squared actions.

    Reset: uniform noise between -0.005 and 0.005 is added to the initial positions and velocities.

    Termination: the state is unhealthy, which means that the height of the torso is not between 0.8 m and 2 m, or that
    its pitch angle is not between -1 rad and 1 rad. `make` adds a `TimeLimit`, which truncates the episode after 1000
    steps.

    Info: `x_position` and `z_distance_from_origin` (the rise above the initial height) in m and, after a step,
    `x_velocity` in m/s and the parts of the reward, `reward_forward`, `reward_survive` and `reward_ctrl`.

    See `LeggedTask` for the arguments that are not listed here.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
    """

    camera: ClassVar[dict[str, Any] | None] = tracking_camera(2, 4.0, 1.15)
    own_file = "walker2d_v5.xml"

    frame_skip: int = 4
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 1e-3
    healthy_reward: float = 1.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (0.8, 2.0)
    healthy_angle_range: tuple[float, float] = (-1.0, 1.0)
    reset_noise_scale: float = 5e-3
    exclude_current_positions_from_observation: bool = True


class Walker2dEnv(TaskEnv):
    """A single Walker2d environment. The arguments are those of `Walker2dTask` and `TaskEnv`."""

    task_class = Walker2dTask


class Walker2dVectorEnv(TaskVectorEnv):
    """A Walker2d vector environment. The arguments are those of `Walker2dTask` and `TaskVectorEnv`."""

    task_class = Walker2dTask
