"""Pusher: an arm that pushes a cylinder to a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.mjcf import actuators, capsule, hinge, node, slide
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import Task, norm, sum_of_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_mujoco.tasks import State

__all__ = ["PusherEnv", "PusherTask", "PusherVectorEnv"]

ORIGIN = (0, 0, 0)
GRIPPER = {"contype": 1, "conaffinity": 1}
# name, position relative to the parent, ends and radius of the capsule, then the joint's axis, range in rad and damping
ARM: tuple[tuple[Any, ...], ...] = (
    ("r_shoulder_pan", (0, -0.6, 0), ("sp", (0, 0, -0.4), (0, 0, 0.2), 0.1), (0, 0, 1), (-2.2854, 1.714602), 1.0),
    ("r_shoulder_lift", (0.1, 0, 0), ("sl", (0, -0.1, 0), (0, 0.1, 0), 0.1), (0, 1, 0), (-0.5236, 1.3963), 1.0),
    ("r_upper_arm_roll", ORIGIN, ("uar", (-0.1, 0, 0), (0.1, 0, 0), 0.02), (1, 0, 0), (-1.5, 1.7), 0.1),
    ("r_upper_arm", ORIGIN, ("ua", ORIGIN, (0.4, 0, 0), 0.06), None, None, None),
    ("r_elbow_flex", (0.4, 0, 0), ("ef", (0, -0.02, 0), (0, 0.02, 0), 0.06), (0, 1, 0), (-2.3213, 0), 0.1),
    ("r_forearm_roll", ORIGIN, ("fr", (-0.1, 0, 0), (0.1, 0, 0), 0.02), (1, 0, 0), (-1.5, 1.5), 0.1),
    ("r_forearm", ORIGIN, ("fa", ORIGIN, (0.291, 0, 0), 0.05), None, None, None),
    ("r_wrist_flex", (0.321, 0, 0), ("wf", (0, -0.02, 0), (0, 0.02, 0), 0.01), (0, 1, 0), (-1.094, 0), 0.1),
    ("r_wrist_roll", ORIGIN, None, (1, 0, 0), (-1.5, 1.5), 0.1),
)
JOINTS = tuple(f"{name}_joint" for name, *_, axis, _, _ in ARM if axis is not None)
# name, position, radius and colour
EYES: tuple[tuple[Any, ...], ...] = (
    ("e1", (-0.06, 0.05, 0.2), 0.05, (0.6, 0.6, 0.6, 1)),
    ("e2", (0.06, 0.05, 0.2), 0.05, (0.6, 0.6, 0.6, 1)),
    ("e1p", (-0.06, 0.09, 0.2), 0.03, (0.1, 0.1, 0.1, 1)),
    ("e2p", (0.06, 0.09, 0.2), 0.03, (0.1, 0.1, 0.1, 1)),
)


def arm(parts: tuple[tuple[Any, ...], ...] = ARM) -> str:
    """Return the arm as nested bodies, in which each part is a child of the previous part."""
    name, pos, shape, axis, limits, damping = parts[0]
    content = []
    if parts is ARM:
        content += [node("geom", name=eye, type="sphere", pos=at, size=size, rgba=tint) for eye, at, size, tint in EYES]
    if shape is not None:
        content.append(capsule(*shape))
    if axis is not None:
        content.append(hinge(f"{name}_joint", axis, range=limits, damping=damping))
    content += [arm(parts[1:])] if parts[1:] else gripper()
    return node("body", *content, name=f"{name}_link", pos=pos)


def gripper() -> list[str]:
    """Return the tips and the shapes of the gripper."""
    tips = [node("geom", name=f"tip_arm{side}", type="sphere", pos=(0.1, y, 0), size=0.01) for side, y in _SIDES]
    fingers = [capsule(None, (0, y, 0), (0.1, y, 0), 0.02, **GRIPPER) for _, y in _SIDES]
    return [node("body", *tips, name="tips_arm"), capsule(None, (0, -0.1, 0), (0, 0.1, 0), 0.02, **GRIPPER), *fingers]


_SIDES = ("l", -0.1), ("r", 0.1)


def thing(name: str, height: float, size: tuple[float, float, float], colour: tuple[float, ...], **shape: Any) -> str:
    """Return a cylinder that slides on the table."""
    limits = {"range": (-10.3213, 10.3), "damping": 0.5}
    prefix = {"object": "obj"}.get(name, name)
    return node(
        "body",
        node("geom", type="cylinder", size=size, rgba=colour, conaffinity=0, **shape),
        slide(f"{prefix}_slidey", (0, 1, 0), **limits),
        slide(f"{prefix}_slidex", (1, 0, 0), **limits),
        name=name,
        pos=(0.45, -0.05, height),
    )


def model() -> str:
    """Return the Pusher model in MJCF."""
    table = node("geom", name="table", type="plane", pos=(0, 0.5, -0.325), size=(1, 1, 0.1), **GRIPPER)
    contact = {"contype": 0, "conaffinity": 0, "condim": 1, "friction": (0.8, 0.1, 0.1), "margin": 0.002}
    return node(
        "mujoco",
        node("compiler", angle="radian", inertiafromgeom=True),
        node("option", gravity=(0, 0, 0), integrator="Euler", iterations=20, timestep=0.01),
        node(
            "default",
            node("joint", armature=0.04, damping=1, limited=True),
            node("geom", density=300, **contact),
        ),
        node(
            "worldbody",
            node("light", pos=(0, 0, 3), dir=(0, 0, -1), diffuse=(0.5, 0.5, 0.5)),
            table,
            arm(),
            thing("object", -0.275, (0.05, 0.05, 0.05), (1, 1, 1, 1), density=0.01, contype=1),
            thing("goal", -0.323, (0.08, 0.001, 0.1), (1, 0, 0, 1), density=0.00001, contype=0),
        ),
        actuators(dict.fromkeys(JOINTS, 1), 2),
        model="arm3d",
    )


@dataclass(eq=False, repr=False)
class PusherTask(Task):
    """The task of pushing a cylinder to a goal with an arm that has seven joints.

    The cylinder slides on a table, and a step takes 0.05 s.

    Action, `Box` of 7 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque that pans the shoulder | N m | ±2 |
    | 1 | torque that lifts the shoulder | N m | ±2 |
    | 2 | torque that rolls the upper arm | N m | ±2 |
    | 3 | torque that bends the elbow | N m | ±2 |
    | 4 | torque that rolls the forearm | N m | ±2 |
    | 5 | torque that bends the wrist | N m | ±2 |
    | 6 | torque that rolls the wrist | N m | ±2 |

    Observation, `Box` of 23 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | pan angle of the shoulder | rad | -2.285 to 1.715 |
    | 1 | lift angle of the shoulder | rad | -0.524 to 1.396 |
    | 2 | roll angle of the upper arm | rad | -1.5 to 1.7 |
    | 3 | angle of the elbow | rad | -2.321 to 0 |
    | 4 | roll angle of the forearm | rad | ±1.5 |
    | 5 | angle of the wrist | rad | -1.094 to 0 |
    | 6 | roll angle of the wrist | rad | ±1.5 |
    | 7 | angular velocity of the pan of the shoulder | rad/s | none |
    | 8 | angular velocity of the lift of the shoulder | rad/s | none |
    | 9 | angular velocity of the roll of the upper arm | rad/s | none |
    | 10 | angular velocity of the elbow | rad/s | none |
    | 11 | angular velocity of the roll of the forearm | rad/s | none |
    | 12 | angular velocity of the wrist | rad/s | none |
    | 13 | angular velocity of the roll of the wrist | rad/s | none |
    | 14 | x position of the tip of the arm | m | none |
    | 15 | y position of the tip of the arm | m | none |
    | 16 | z position of the tip of the arm | m | none |
    | 17 | x position of the cylinder | m | none |
    | 18 | y position of the cylinder | m | none |
    | 19 | z position of the cylinder | m | none |
    | 20 | x position of the goal | m | none |
    | 21 | y position of the goal | m | none |
    | 22 | z position of the goal | m | none |

    The space has no bounds. A limit in the table is the range of a joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft.

    Reward: minus the distance between the cylinder and the goal in m, minus half the distance between the tip of the
    arm and the cylinder in m, minus 0.1 times the sum of the squared actions.

    Reset: the position of the cylinder relative to the goal is sampled uniformly between -0.2 and 0.2 m along x and
    between -0.3 and 0 m along y, at a distance of more than 0.17 m from the goal. The angular velocities of the arm are
    sampled between -0.005 and 0.005 rad/s.

    Termination: never. `make` adds a `TimeLimit`, which truncates the episode after 100 steps.

    Info: after a step, the parts of the reward, `reward_dist`, `reward_near` and `reward_ctrl`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None. The model must have the bodies
            "tips_arm", "object" and "goal".
        frame_skip: the number of simulation steps per environment step.
        reward_near_weight: the weight of the distance between the fingertips and the cylinder in the reward.
        reward_dist_weight: the weight of the distance between the cylinder and the goal in the reward.
        reward_control_weight: the weight of the squared action in the reward.
    """

    fields = "qpos", "qvel", "xpos"
    camera: ClassVar[dict[str, Any] | None] = {"trackbodyid": -1, "distance": 4.0}
    own_file = "pusher_v5.xml"
    bodies = ("tips_arm", "object", "goal")

    reward_near_weight: float = 0.5
    reward_dist_weight: float = 1
    reward_control_weight: float = 0.1

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the velocities, and a position of the cylinder that is at least 0.17 m away from the goal."""
        while True:
            place = np.concatenate((np_random.uniform(-0.3, 0, 1), np_random.uniform(-0.2, 0.2, 1)))
            if norm(place) > 0.17:
                break
        qpos = self.init_qpos.copy()
        qpos[-4:-2], qpos[-2:] = place, 0
        qvel = self.init_qvel + np_random.uniform(-0.005, 0.005, self.model.nv)
        qvel[-4:] = 0
        return qpos, qvel

    def _places(self, data: Any) -> list[Any]:
        return [data.xpos[..., body, :] for body in self._bodies]

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the arm's angles and velocities, and the positions of the fingertips, the cylinder and the goal."""
        return np.concatenate((data.qpos[..., :7], data.qvel[..., :7], *self._places(data)), axis=-1)

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        reward, info = self.reward_terms(data, action)
        return reward, False, info

    def reward_terms(self, data: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (minus the weighted distances and the control cost) and its terms."""
        tips, cylinder, goal = self._places(data)
        near = -norm(cylinder - tips) * self.reward_near_weight
        distance = -norm(cylinder - goal) * self.reward_dist_weight
        control = -sum_of_squares(action) * self.reward_control_weight
        return distance + control + near, {"reward_dist": distance, "reward_ctrl": control, "reward_near": near}


class PusherEnv(TaskEnv):
    """A single Pusher environment. The arguments are those of `PusherTask` and `TaskEnv`."""

    task_class = PusherTask


class PusherVectorEnv(TaskVectorEnv):
    """A Pusher vector environment. The arguments are those of `PusherTask` and `TaskVectorEnv`."""

    task_class = PusherTask
