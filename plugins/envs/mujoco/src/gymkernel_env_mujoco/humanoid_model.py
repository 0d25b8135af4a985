"""The models for Humanoid and HumanoidStandup, which contain the same robot in two initial poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gymkernel_env_mujoco.mjcf import LIGHT, ONE_TREE, SKIN, capsule, floor, hinge, node, scenery

__all__ = ["LYING", "STANDING", "Pose", "model"]

Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Pose:
    """An initial pose of the robot: the position of each body part relative to its parent, in m."""

    name: str
    height: float
    camera: Point
    head: Point
    waist: tuple[Point, Point]
    lower_waist: Point
    pelvis: Point
    thigh_z: float
    thigh: Point
    shin: Point
    shin_end: Point
    foot: Point
    left_hip: tuple[float, float]
    """The minimum and maximum angle of a joint in the left hip, in degrees."""


STANDING: Final = Pose(
    name="humanoid",
    height=1.4,
    camera=(0, -4, 0),
    head=(0, 0, 0.19),
    waist=((-0.01, -0.06, -0.12), (-0.01, 0.06, -0.12)),
    lower_waist=(-0.01, 0, -0.26),
    pelvis=(0, 0, -0.165),
    thigh_z=-0.04,
    thigh=(0, 0.01, -0.34),
    shin=(0, 0.01, -0.403),
    shin_end=(0, 0, -0.3),
    foot=(0, 0, -0.45),
    left_hip=(-110, 20),
)
LYING: Final = Pose(
    name="humanoidstandup",
    height=0.105,
    camera=(0, -3, 0.5),
    head=(-0.15, 0, 0),
    waist=((0.11, -0.06, 0), (0.11, 0.06, 0)),
    lower_waist=(0.21, 0, 0),
    pelvis=(0.165, 0, 0),
    thigh_z=0,
    thigh=(0.34, 0.01, 0),
    shin=(0.403, 0.01, 0),
    shin_end=(0.3, 0, 0),
    foot=(0.35, 0, -0.1),
    left_hip=(-120, 20),
)
TILT = (1.0, 0, -0.002, 0)
GEARS: Final = {
    "abdomen_y": 100,
    "abdomen_z": 100,
    "abdomen_x": 100,
    **{
        f"{side}_{joint}": gear
        for side in ("right", "left")
        for joint, gear in (("hip_x", 100), ("hip_z", 100), ("hip_y", 300), ("knee", 200))
    },
    **{f"{side}_{joint}": 25 for side in ("right", "left") for joint in ("shoulder1", "shoulder2", "elbow")},
}
"""The torque of each motor, in N m, for a control of 1."""


def leg(pose: Pose, side: str) -> str:
    """Return a leg with a thigh, a shin and a foot."""
    sign = 1 if side == "right" else -1
    hips = {"damping": 5, "range": (-25, 5), "stiffness": 10}
    foot = node("geom", name=f"{side}_foot", type="sphere", pos=(0, 0, 0.1), size=0.075)
    knee = {} if side == "right" else {"stiffness": 1}
    shin = node(
        "body",
        hinge(f"{side}_knee", (0, -1, 0), pos=(0, 0, 0.02), armature=0.006, range=(-160, -2), **knee),
        capsule(f"{side}_shin1", (0, 0, 0), pose.shin_end, 0.049),
        node("body", foot, name=f"{side}_foot", pos=pose.foot),
        name=f"{side}_shin",
        pos=_mirrored(pose.shin, sign),
    )
    swing: dict[str, Any] = (
        {"armature": 0.008, "range": (-110, 20)} if side == "right" else {"armature": 0.01, "range": pose.left_hip}
    )
    return node(
        "body",
        hinge(f"{side}_hip_x", (sign, 0, 0), armature=0.01, **hips),
        hinge(f"{side}_hip_z", (0, 0, sign), armature=0.01, **{**hips, "range": (-60, 35)}),
        hinge(f"{side}_hip_y", (0, 1, 0), damping=5, stiffness=20, **swing),
        capsule(f"{side}_thigh1", (0, 0, 0), _mirrored(pose.thigh, sign), 0.06),
        shin,
        name=f"{side}_thigh",
        pos=(0, -0.1 * sign, pose.thigh_z),
    )


def _mirrored(point: Point, sign: int) -> Point:
    return point[0], sign * point[1], point[2]


def arm(side: str) -> str:
    """Return an arm with an upper arm, a lower arm and a hand."""
    sign = 1 if side == "right" else -1
    limits = (-85, 60) if side == "right" else (-60, 85)
    lower = node(
        "body",
        hinge(f"{side}_elbow", (0, -1, sign), armature=0.0028, range=(-90, 50), stiffness=0),
        capsule(f"{side}_larm", (0.01, 0.01 * sign, 0.01), (0.17, 0.17 * sign, 0.17), 0.031),
        node("geom", name=f"{side}_hand", type="sphere", pos=(0.18, 0.18 * sign, 0.18), size=0.04),
        *(["<camera/>"] if side == "right" else []),
        name=f"{side}_lower_arm",
        pos=(0.18, -0.18 * sign, -0.18),
    )
    return node(
        "body",
        hinge(f"{side}_shoulder1", (2, sign, 1), armature=0.0068, range=limits, stiffness=1),
        hinge(f"{side}_shoulder2", (0, -sign, 1), armature=0.0051, range=limits, stiffness=1),
        capsule(f"{side}_uarm1", (0, 0, 0), (0.16, -0.16 * sign, -0.16), (0.04, 0.16)),
        lower,
        name=f"{side}_upper_arm",
        pos=(0, -0.17 * sign, 0.06),
    )


def trunk(pose: Pose) -> str:
    """Return the lower waist and the pelvis, including both legs."""
    joint = {"armature": 0.02, "damping": 5}
    pelvis = node(
        "body",
        hinge("abdomen_x", (1, 0, 0), pos=(0, 0, 0.1), range=(-35, 35), stiffness=10, **joint),
        capsule("butt", (-0.02, -0.07, 0), (-0.02, 0.07, 0), 0.09),
        leg(pose, "right"),
        leg(pose, "left"),
        name="pelvis",
        pos=pose.pelvis,
        quat=TILT,
    )
    return node(
        "body",
        capsule("lwaist", (0, -0.06, 0), (0, 0.06, 0), 0.06),
        hinge("abdomen_z", (0, 0, 1), pos=(0, 0, 0.065), range=(-45, 45), stiffness=20, **joint),
        hinge("abdomen_y", (0, 1, 0), pos=(0, 0, 0.065), range=(-75, 30), stiffness=10, **joint),
        pelvis,
        name="lwaist",
        pos=pose.lower_waist,
        quat=TILT,
    )


def model(pose: Pose = STANDING) -> str:
    """Return the model (Tassa, Erez and Todorov, "Synthesis and stabilization of complex behaviors", 2012) in MJCF."""
    torso = node(
        "body",
        node("camera", name="track", mode="trackcom", pos=pose.camera, xyaxes=(1, 0, 0, 0, 0, 1)),
        node("joint", name="root", type="free", armature=0, damping=0, limited=False, stiffness=0),
        capsule("torso1", (0, -0.07, 0), (0, 0.07, 0), 0.07),
        node("geom", name="head", type="sphere", pos=pose.head, size=0.09),
        capsule("uwaist", *pose.waist, 0.06),
        trunk(pose),
        arm("right"),
        arm("left"),
        name="torso",
        pos=(0, 0, pose.height),
    )
    tendons = [
        node(
            "fixed",
            node("joint", joint=f"{side}_hip_y", coef=-1),
            node("joint", joint=f"{side}_knee", coef=1),
            name=f"{side}_hipknee",
        )
        for side in ("left", "right")
    ]
    contact = {"contype": 1, "conaffinity": 1, "condim": 1, "margin": 0.001}
    return node(
        "mujoco",
        node("compiler", angle="degree", inertiafromgeom=True),
        node(
            "default",
            node("joint", armature=1, damping=1, limited=True),
            node("geom", material="skin", rgba=SKIN, **contact),
            node("motor", ctrllimited=True, ctrlrange=(-0.4, 0.4)),
        ),
        node("option", ONE_TREE, integrator="RK4", solver="PGS", iterations=50, timestep=0.003),
        node("visual", node("map", fogstart=3, fogend=5)),
        scenery(sky=(0.4, 0.5, 0.6)),
        node("worldbody", LIGHT, floor((20, 20, 0.125), friction=(1, 0.1, 0.1)), torso),
        node("tendon", *tendons),
        node("actuator", *(node("motor", name=name, joint=name, gear=gear) for name, gear in GEARS.items())),
        model=pose.name,
    )
