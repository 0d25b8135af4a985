"""Ant: a robot with four legs that learns to walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.mjcf import LIGHT, ONE_TREE, SKIN, actuators, capsule, floor, hinge, node, scenery
from gymkernel_env_mujoco.running import ContactTask
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import flatten, sum_of_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AntEnv", "AntTask", "AntVectorEnv"]

# name of the body, names of the two shapes, direction of the leg, axis of the ankle, range of the ankle in degrees
LEGS = (
    ("front_left_leg", "left_leg_geom", "left_ankle_geom", (1, 1), (-1, 1, 0), (30, 70)),
    ("front_right_leg", "right_leg_geom", "right_ankle_geom", (-1, 1), (1, 1, 0), (-70, -30)),
    ("back_leg", "back_leg_geom", "third_ankle_geom", (-1, -1), (-1, 1, 0), (-70, -30)),
    ("right_back_leg", "rightback_leg_geom", "fourth_ankle_geom", (1, -1), (1, 1, 0), (30, 70)),
)
GEAR = 150
"""The torque of a motor, in N m, for a control of 1."""


def leg(number: int) -> str:
    """Return a leg: a fixed part, a part that rotates at the hip, and a part that rotates at the ankle."""
    name, upper, lower, (x, y), axis, limits = LEGS[number - 1]
    near, far, origin = (0.2 * x, 0.2 * y, 0), (0.4 * x, 0.4 * y, 0), (0, 0, 0)
    foot = node(
        "body",
        hinge(f"ankle_{number}", axis, range=limits),
        capsule(lower, origin, far, 0.08),
        pos=near,
    )
    turning = node(
        "body",
        hinge(f"hip_{number}", (0, 0, 1), range=(-30, 30)),
        capsule(upper, origin, near, 0.08),
        foot,
        name=f"aux_{number}",
        pos=near,
    )
    return node("body", capsule(f"aux_{number}_geom", origin, near, 0.08), turning, name=name)


def model() -> str:
    """Return the Ant model (Schulman and others, "High-dimensional continuous control", 2015) in MJCF."""
    torso = node(
        "body",
        node("camera", name="track", mode="trackcom", pos=(0, -3, 0.3), xyaxes=(1, 0, 0, 0, 0, 1)),
        node("geom", name="torso_geom", type="sphere", size=0.25),
        node("joint", name="root", type="free", armature=0, damping=0, limited=False, margin=0.01),
        *map(leg, (1, 2, 3, 4)),
        name="torso",
        pos=(0, 0, 0.75),
    )
    joints = [f"{joint}_{number}" for number in (4, 1, 2, 3) for joint in ("hip", "ankle")]
    contact = {"conaffinity": 0, "condim": 3, "friction": (1, 0.5, 0.5), "margin": 0.01}
    return node(
        "mujoco",
        node("compiler", angle="degree", inertiafromgeom=True),
        node("option", ONE_TREE, integrator="RK4", timestep=0.01),
        node(
            "default",
            node("joint", armature=1, damping=1, limited=True),
            node("geom", density=5.0, rgba=SKIN, **contact),
        ),
        scenery(),
        node("worldbody", LIGHT, floor(conaffinity=1), torso),
        actuators(dict.fromkeys(joints, GEAR)),
        model="ant",
    )


@dataclass(eq=False, repr=False)
class AntTask(ContactTask):
    """The task of making a robot with four legs walk in the positive x direction.

    A step takes 0.05 s. (Schulman and others, "High-dimensional continuous control using generalized advantage
    estimation", 2015.) Seen from above, the legs 1 to 4 point in the directions (x, y), (-x, y), (-x, -y) and (x, -y)
    of the torso.

    Action, `Box` of 8 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the hip of leg 4 | 150 N m | ±1 |
    | 1 | torque on the ankle of leg 4 | 150 N m | ±1 |
    | 2 | torque on the hip of leg 1 | 150 N m | ±1 |
    | 3 | torque on the ankle of leg 1 | 150 N m | ±1 |
    | 4 | torque on the hip of leg 2 | 150 N m | ±1 |
    | 5 | torque on the ankle of leg 2 | 150 N m | ±1 |
    | 6 | torque on the hip of leg 3 | 150 N m | ±1 |
    | 7 | torque on the ankle of leg 3 | 150 N m | ±1 |

    Observation, `Box` of 105 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso | m | none |
    | 1 to 4 | orientation of the torso as a unit quaternion: w, x, y, z | | ±1 |
    | 5 | angle of the hip of leg 1 | rad | ±0.524 |
    | 6 | angle of the ankle of leg 1 | rad | 0.524 to 1.222 |
    | 7 | angle of the hip of leg 2 | rad | ±0.524 |
    | 8 | angle of the ankle of leg 2 | rad | -1.222 to -0.524 |
    | 9 | angle of the hip of leg 3 | rad | ±0.524 |
    | 10 | angle of the ankle of leg 3 | rad | -1.222 to -0.524 |
    | 11 | angle of the hip of leg 4 | rad | ±0.524 |
    | 12 | angle of the ankle of leg 4 | rad | 0.524 to 1.222 |
    | 13 to 15 | velocity of the torso along x, y and z | m/s | none |
    | 16 to 18 | angular velocity of the torso about its x, y and z axes | rad/s | none |
    | 19 | angular velocity of the hip of leg 1 | rad/s | none |
    | 20 | angular velocity of the ankle of leg 1 | rad/s | none |
    | 21 | angular velocity of the hip of leg 2 | rad/s | none |
    | 22 | angular velocity of the ankle of leg 2 | rad/s | none |
    | 23 | angular velocity of the hip of leg 3 | rad/s | none |
    | 24 | angular velocity of the ankle of leg 3 | rad/s | none |
    | 25 | angular velocity of the hip of leg 4 | rad/s | none |
    | 26 | angular velocity of the ankle of leg 4 | rad/s | none |
    | 27 to 104 | for each body: torque (x, y, z) and force (x, y, z) of its contacts | N m, N | ±1 |

    The space has no bounds. The limit of an angle is the range of the joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. The contact forces are MuJoCo's `cfrc_ext`, clipped to ±1. They are
    those of the torso and, for each leg, of the fixed part, the part that turns at the hip and the part below the
    ankle. Without `include_cfrc_ext_in_observation`, the observation ends at index 26. With
    `exclude_current_positions_from_observation=False`, the observation begins with the x and y positions of the torso
    in m.

    Reward: the velocity of the torso along x in m/s, averaged over the step, plus 1 in a healthy state, minus 0.5 times
    the sum of the squared actions, minus 0.0005 times the sum of the squared, clipped contact forces.

    Reset: uniform noise between -0.1 and 0.1 is added to the initial positions, and normal noise with a standard
    deviation of 0.1 to the initial velocities.

    Termination: the state is unhealthy, which means that the height of the torso is not between 0.2 m and 1 m, or that
    a position or a velocity is not finite. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position`, `y_position` and `distance_from_origin` in m and, after a step, `x_velocity` and `y_velocity` in
    m/s and the parts of the reward, `reward_forward`, `reward_survive`, `reward_ctrl` and `reward_contact`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        forward_reward_weight: the weight of the x velocity in the reward.
        ctrl_cost_weight: the weight of the squared action in the reward.
        contact_cost_weight: the weight of the squared contact forces in the reward.
        healthy_reward: the reward for each step in a healthy state.
        main_body: the id or the name of the body whose velocity is rewarded.
        terminate_when_unhealthy: whether an unhealthy state ends the episode.
        healthy_z_range: the minimum and maximum height of the torso in a healthy state, in m.
        contact_force_range: the range to which contact forces are clipped.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave x and y out of the observation.
        include_cfrc_ext_in_observation: whether the observation contains the contact forces.
    """

    fields = "qpos", "qvel", "cfrc_ext", "xpos"
    post_constraint = True
    camera: ClassVar[dict[str, Any] | None] = {"distance": 4.0}
    own_file = "ant.xml"
    has_normal_velocities = True
    excluded_positions = 2

    forward_reward_weight: float = 1
    ctrl_cost_weight: float = 0.5
    contact_cost_weight: float = 5e-4
    healthy_reward: float = 1.0
    main_body: int | str = 1
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (0.2, 1.0)
    contact_force_range: tuple[float, float] = (-1.0, 1.0)
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True
    include_cfrc_ext_in_observation: bool = True

    def set_model(self, model: Any) -> None:
        """Use a model, which can replace an earlier model."""
        super().set_model(model)
        self._body = model.body(self.main_body).id

    def observation_structure(self) -> dict[str, int]:
        """Return how many positions the observation excludes, and the size of each part of the observation."""
        forces = 6 * (self.model.nbody - 1) * self.include_cfrc_ext_in_observation
        return {**super().observation_structure(), "cfrc_ext": forces}

    def measure(self, data: Any) -> Any:
        """Return the x and y positions of the main body."""
        return data.xpos.T[:2, self._body].copy()

    def contact_forces(self, data: Any) -> Any:
        """Return the contact forces of all bodies, clipped to the range."""
        return data.cfrc_ext.clip(*self.contact_force_range)

    def contact_cost(self, data: Any) -> Any:
        """Return the weighted sum of the squared contact forces."""
        return self.contact_cost_weight * sum_of_squares(flatten(self.contact_forces(data)))

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions (by default without x and y), the velocities and, by default, the contact forces."""
        parts = [data.shown, data.qvel]
        if self.include_cfrc_ext_in_observation:
            parts.append(flatten(self.contact_forces(data)[..., 1:, :]))
        return np.concatenate(parts, axis=-1)

    def is_healthy(self, data: Any) -> Any:
        """Return whether all positions and velocities are finite and the height is in the healthy range."""
        low, high = self.healthy_z_range
        z = data.coordinates[2]
        state = np.concatenate((data.qpos, data.qvel), axis=-1)
        return np.isfinite(state).all(axis=-1) & (low <= z) & (z <= high)


class AntEnv(TaskEnv):
    """A single Ant environment. The arguments are those of `AntTask` and `TaskEnv`."""

    task_class = AntTask


class AntVectorEnv(TaskVectorEnv):
    """An Ant vector environment. The arguments are those of `AntTask` and `TaskVectorEnv`."""

    task_class = AntTask
