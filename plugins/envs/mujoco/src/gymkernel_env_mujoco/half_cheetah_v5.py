"""HalfCheetah: a two-dimensional robot with two legs that learns to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco

from gymkernel_env_mujoco.mjcf import LIGHT, MEMORY, SKIN, capsule, floor, hinge, node, scenery, slide
from gymkernel_env_mujoco.running import RunningTask
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import planar_root

__all__ = ["HalfCheetahEnv", "HalfCheetahTask", "HalfCheetahVectorEnv"]

PINK = (0.9, 0.6, 0.6, 1)
# name, position relative to the parent, damping, stiffness, range in rad, then the capsule's centre, angle and half
# length, then the motor's gear and the colour
LIMBS = (
    ("bthigh", (-0.5, 0, 0), 6, 240, (-0.52, 1.05), (0.1, 0, -0.13), -3.8, 0.145, 120, SKIN),
    ("bshin", (0.16, 0, -0.25), 4.5, 180, (-0.785, 0.785), (-0.14, 0, -0.07), -2.03, 0.15, 90, PINK),
    ("bfoot", (-0.28, 0, -0.14), 3, 120, (-0.4, 0.785), (0.03, 0, -0.097), -0.27, 0.094, 60, PINK),
    ("fthigh", (0.5, 0, 0), 4.5, 180, (-1, 0.7), (-0.07, 0, -0.12), 0.52, 0.133, 120, SKIN),
    ("fshin", (-0.14, 0, -0.24), 3, 120, (-1.2, 0.87), (0.065, 0, -0.09), -0.6, 0.106, 60, PINK),
    ("ffoot", (0.13, 0, -0.18), 1.5, 60, (-0.5, 0.5), (0.045, 0, -0.07), -0.6, 0.07, 30, PINK),
)
TOTAL_MASS = 14
"""The mass of the robot in kg."""
FLAGS = node("flag", island="disable", midphase="disable", sensor="disable")
"""The flags of `ONE_TREE`, and a flag that skips the midphase of collision detection. The midphase changes nothing in
this model, because no body has more than two shapes."""


def leg(limbs: tuple[tuple[Any, ...], ...]) -> str:
    """Return a leg as nested bodies, in which each limb is a child of the previous limb."""
    name, pos, damping, stiffness, limits, centre, angle, half, _, colour = limbs[0]
    joint = hinge(name, (0, 1, 0), damping=damping, stiffness=stiffness, range=limits)
    shape = node(
        "geom", name=name, type="capsule", pos=centre, axisangle=(0, 1, 0, angle), size=(0.046, half), rgba=colour
    )
    return node("body", joint, shape, *([leg(limbs[1:])] if limbs[1:] else []), name=name, pos=pos)


def model() -> str:
    """Return the HalfCheetah model (Wawrzyński, "A cat-like robot real-time learning to run", 2009) in MJCF."""
    x, z, y = planar_root(0)
    torso = node(
        "body",
        node("camera", name="track", mode="trackcom", pos=(0, -3, 0.3), xyaxes=(1, 0, 0, 0, 0, 1)),
        slide(**x),
        slide(**z),
        hinge(**y),
        capsule("torso", (-0.5, 0, 0), (0.5, 0, 0), 0.046),
        node("geom", name="head", type="capsule", pos=(0.6, 0, 0.1), axisangle=(0, 1, 0, 0.87), size=(0.046, 0.15)),
        leg(LIMBS[:3]),
        leg(LIMBS[3:]),
        name="torso",
        pos=(0, 0, 0.7),
    )
    joints = {"armature": 0.1, "damping": 0.01, "stiffness": 8, "limited": True}
    shapes = {"contype": 1, "conaffinity": 0, "condim": 3, "friction": (0.4, 0.1, 0.1), "rgba": SKIN}
    return node(
        "mujoco",
        node("compiler", angle="radian", inertiafromgeom=True),
        node(
            "default",
            node("joint", **joints, solimplimit=(0, 0.8, 0.03), solreflimit=(0.02, 1)),
            node("geom", **shapes, solimp=(0, 0.8, 0.01), solref=(0.02, 1)),
            node("motor", ctrllimited=True, ctrlrange=(-1, 1)),
        ),
        node("option", FLAGS, gravity=(0, 0, -9.81), timestep=0.01),
        MEMORY,
        scenery(),
        node("worldbody", LIGHT, floor(conaffinity=1), torso),
        node("actuator", *(node("motor", name=limb[0], joint=limb[0], gear=limb[8]) for limb in LIMBS)),
        model="cheetah",
    )


def compiled() -> Any:
    """Return the compiled model, with all masses scaled so that their sum is `TOTAL_MASS`."""
    robot = mujoco.MjModel.from_xml_string(model())
    mujoco.mj_setTotalmass(robot, TOTAL_MASS)
    mujoco.mj_setConst(robot, mujoco.MjData(robot))
    return robot


@dataclass(eq=False, repr=False)
class HalfCheetahTask(RunningTask):
    """The task of making a two-dimensional robot with two legs run forward.

    The robot moves in the x-z plane, and a step takes 0.05 s. (Wawrzyński, "A cat-like robot real-time learning to
    run", 2009.)

    Action, `Box` of 6 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the rear hip | 120 N m | ±1 |
    | 1 | torque on the rear knee | 90 N m | ±1 |
    | 2 | torque on the rear ankle | 60 N m | ±1 |
    | 3 | torque on the front hip | 120 N m | ±1 |
    | 4 | torque on the front knee | 60 N m | ±1 |
    | 5 | torque on the front ankle | 30 N m | ±1 |

    Observation, `Box` of 17 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso, relative to the initial height | m | none |
    | 1 | pitch angle of the torso | rad | none |
    | 2 | angle of the rear hip | rad | -0.52 to 1.05 |
    | 3 | angle of the rear knee | rad | ±0.785 |
    | 4 | angle of the rear ankle | rad | -0.4 to 0.785 |
    | 5 | angle of the front hip | rad | -1 to 0.7 |
    | 6 | angle of the front knee | rad | -1.2 to 0.87 |
    | 7 | angle of the front ankle | rad | ±0.5 |
    | 8 | velocity of the torso along x | m/s | none |
    | 9 | velocity of the torso along z | m/s | none |
    | 10 | angular velocity of the torso | rad/s | none |
    | 11 | angular velocity of the rear hip | rad/s | none |
    | 12 | angular velocity of the rear knee | rad/s | none |
    | 13 | angular velocity of the rear ankle | rad/s | none |
    | 14 | angular velocity of the front hip | rad/s | none |
    | 15 | angular velocity of the front knee | rad/s | none |
    | 16 | angular velocity of the front ankle | rad/s | none |

    The space has no bounds. A limit in the table is the range of a joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. With `exclude_current_positions_from_observation=False`, the observation
    begins with the x position of the torso in m.

    Reward: the velocity along x in m/s, averaged over the step, minus 0.1 times the sum of the squared actions.

    Reset: uniform noise between -0.1 and 0.1 is added to the initial positions, and normal noise with a standard
    deviation of 0.1 to the initial velocities.

    Termination: never. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position` in m and, after a step, `x_velocity` in m/s and the parts of the reward, `reward_forward` and
    `reward_ctrl`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        forward_reward_weight: the weight of the forward velocity in the reward.
        ctrl_cost_weight: the weight of the squared action in the reward.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave the x position out of the observation.
    """

    camera: ClassVar[dict[str, Any] | None] = {"distance": 4.0}
    own_file = "half_cheetah.xml"
    has_normal_velocities = True
    excluded_positions = 1

    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.1
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True


class HalfCheetahEnv(TaskEnv):
    """A single HalfCheetah environment. The arguments are those of `HalfCheetahTask` and `TaskEnv`."""

    task_class = HalfCheetahTask


class HalfCheetahVectorEnv(TaskVectorEnv):
    """A HalfCheetah vector environment. The arguments are those of `HalfCheetahTask` and `TaskVectorEnv`."""

    task_class = HalfCheetahTask
