"""The code that Hopper and Walker2d share: legs with three limbs, and a task that rewards forward movement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_mujoco.mjcf import LIGHT, MEMORY, ONE_TREE, actuators, hinge, node, scenery, slide
from gymkernel_env_mujoco.running import HealthyTask
from gymkernel_env_mujoco.tasks import planar_root

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LeggedTask", "leg", "legged_model"]

HEIGHT = 1.25
"""The height of the torso's centre in m."""
HALF_TORSO, HALF_THIGH = 0.19999999999999996, 0.22500000000000003
QUARTER_TURN = (0.70710678118654757, 0, -0.70710678118654746, 0)


def leg(
    side: str, foot: float, friction: float, sole: tuple[float, float, float], colour: tuple[float, ...] | None = None
) -> str:
    """Return a leg as nested bodies: a thigh, a lower leg and a foot.

    Args:
        side: the suffix of the names of the bodies, joints and shapes.
        foot: the horizontal distance from the ankle to the origin of the foot in m.
        friction: the friction of the foot.
        sole: the x position, the radius and half the length of the foot's capsule in m.
        colour: the colour of the leg.
    """
    centre, radius, half = sole
    tint = {} if colour is None else {"rgba": colour}
    axis = (0, -1, 0)
    lower = node(
        "body",
        hinge(f"foot{side}_joint", axis, pos=(-foot, 0, 0.1), range=(-45, 45)),
        node(
            "geom",
            name=f"foot{side}_geom",
            type="capsule",
            pos=(centre, 0, 0.1),
            quat=QUARTER_TURN,
            size=(radius, half),
            friction=friction,
            **tint,
        ),
        name=f"foot{side}",
        pos=(foot, 0, -0.35),
    )
    shin = node(
        "body",
        hinge(f"leg{side}_joint", axis, pos=(0, 0, 0.25), range=(-150, 0)),
        node("geom", name=f"leg{side}_geom", type="capsule", size=(0.04, 0.25), friction=0.9, **tint),
        lower,
        name=f"leg{side}",
        pos=(0, 0, -0.70000000000000007),
    )
    thigh = {"type": "capsule", "pos": (0, 0, -0.22500000000000009), "size": (0.05, HALF_THIGH), "friction": 0.9}
    return node(
        "body",
        hinge(f"thigh{side}_joint", axis, range=(-150, 0)),
        node("geom", name=f"thigh{side}_geom", **thigh, **tint),
        shin,
        name=f"thigh{side}",
        pos=(0, 0, -HALF_TORSO),
    )


def legged_model(name: str, *legs: str, defaults: str, gear: float, ground: str, visual: str = "") -> str:
    """Return an MJCF model of a torso with one or more legs.

    Args:
        name: the name of the model.
        *legs: the legs, as `leg` returns them.
        defaults: an element with the default attributes of joints and shapes.
        gear: the torque of a motor, in N m, for a control of 1.
        ground: the floor, as `floor` returns it.
        visual: an element with options for rendering, or "".
    """
    x, z, y = planar_root(HEIGHT)
    torso = node(
        "body",
        node("camera", name="track", mode="trackcom", pos=(0, -3, -0.25), xyaxes=(1, 0, 0, 0, 0, 1)),
        slide(**{**x, "ref": None}),
        slide(**z),
        hinge(**y),
        node("geom", name="torso_geom", type="capsule", size=(0.05, HALF_TORSO), friction=0.9),
        *legs,
        name="torso",
        pos=(0, 0, HEIGHT),
    )
    sides = ("", "_left")[: len(legs)]
    joints = [f"{limb}{side}_joint" for side in sides for limb in ("thigh", "leg", "foot")]
    return node(
        "mujoco",
        node("compiler", angle="degree", inertiafromgeom=True),
        defaults,
        node("option", ONE_TREE, integrator="RK4", timestep=0.002),
        MEMORY,
        visual,
        node("worldbody", LIGHT, ground, torso),
        actuators(dict.fromkeys(joints, gear)),
        scenery(sky=(0.4, 0.5, 0.6)),
        model=name,
    )


class LeggedTask(HealthyTask):
    """The task of moving forward without falling.

    Attributes:
        forward_reward_weight: the weight of the forward velocity in the reward.
        ctrl_cost_weight: the weight of the squared action in the reward.
        healthy_reward: the reward for each step in a healthy state.
        terminate_when_unhealthy: whether an unhealthy state ends the episode.
        healthy_z_range: the minimum and maximum height of the torso in a healthy state, in m.
        healthy_angle_range: the minimum and maximum angle of the torso in a healthy state, in rad.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave the x position out of the observation.
    """

    excluded_positions = 1
    healthy_z_range: tuple[float, float]
    healthy_angle_range: tuple[float, float]

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions (by default without x) and the velocities. The velocities are clipped to ±10."""
        return np.concatenate((data.shown, data.qvel.clip(-10, 10)), axis=-1)

    def is_healthy(self, data: Any) -> Any:
        """Return whether the robot is upright."""
        z, angle = data.coordinates[1], data.coordinates[2]
        (low, high), (least, most) = self.healthy_z_range, self.healthy_angle_range
        return (low < z) & (z < high) & (least < angle) & (angle < most)

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the robot's x position and its rise above the initial height."""
        rise = data.coordinates[1] - self.init_qpos[1]
        return {"x_position": data.coordinates[0], "z_distance_from_origin": rise}
