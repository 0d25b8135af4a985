"""Reacher: an arm with two links that moves its fingertip to a target."""

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

__all__ = ["ReacherEnv", "ReacherTask", "ReacherVectorEnv"]

PINK, BLUE = (0.9, 0.4, 0.6, 1), (0.0, 0.4, 0.6, 1)
EDGE = 0.3
"""Half the width of the arena in m."""
ARENA = {"S": ((-1, -1), (1, -1)), "E": ((1, -1), (1, 1)), "N": ((-1, 1), (1, 1)), "W": ((-1, -1), (-1, 1))}
"""Maps each side of the arena to the two corners that it connects."""


def arm() -> str:
    """Return the arm with two links and a fingertip."""
    link: dict[str, Any] = {"start": (0, 0, 0), "end": (0.1, 0, 0), "size": 0.01, "rgba": BLUE}
    tip = node("geom", name="fingertip", type="sphere", size=0.01, contype=0, rgba=(0.0, 0.8, 0.6, 1))
    second = node(
        "body",
        hinge("joint1", (0, 0, 1), limited=True, range=(-3.0, 3.0)),
        capsule("link1", **link),
        node("body", tip, name="fingertip", pos=(0.11, 0, 0)),
        name="body1",
        pos=(0.1, 0, 0),
    )
    return node(
        "body",
        capsule("link0", **link),
        hinge("joint0", (0, 0, 1), limited=False),
        second,
        name="body0",
        pos=(0, 0, 0.01),
    )


def model() -> str:
    """Return the Reacher model in MJCF."""
    sides = [
        capsule(
            f"side{name}",
            (start[0] * EDGE, start[1] * EDGE, 0.01),
            (end[0] * EDGE, end[1] * EDGE, 0.01),
            0.02,
            conaffinity=0,
            rgba=PINK,
        )
        for name, (start, end) in ARENA.items()
    ]
    ghost = {"contype": 0, "conaffinity": 0}
    free = {"armature": 0, "damping": 0, "stiffness": 0, "limited": True, "range": (-0.27, 0.27)}
    target = node(
        "body",
        slide("target_x", (1, 0, 0), ref=0.1, **free),
        slide("target_y", (0, 1, 0), ref=-0.1, **free),
        node("geom", name="target", type="sphere", size=0.009, rgba=(0.9, 0.2, 0.2, 1), **ghost),
        name="target",
        pos=(0.1, -0.1, 0.01),
    )
    return node(
        "mujoco",
        node("compiler", angle="radian", inertiafromgeom=True),
        node(
            "default",
            node("joint", armature=1, damping=1, limited=True),
            node("geom", contype=0, friction=(1, 0.1, 0.1), rgba=(0.7, 0.7, 0, 1)),
        ),
        node("option", gravity=(0, 0, -9.81), integrator="RK4", timestep=0.01),
        node(
            "worldbody",
            node("geom", name="ground", type="plane", size=(1, 1, 10), rgba=(0.9, 0.9, 0.9, 1), **ghost),
            *sides,
            node("geom", name="root", type="cylinder", fromto=(0, 0, 0, 0, 0, 0.02), size=0.011, rgba=PINK, **ghost),
            arm(),
            target,
        ),
        actuators({"joint0": 200, "joint1": 200}),
        model="reacher",
    )


@dataclass(eq=False, repr=False)
class ReacherTask(Task):
    """The task of moving the fingertip of an arm with two links to a target.

    The arm moves in a horizontal plane, and a step takes 0.02 s.

    Action, `Box` of 2 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the shoulder | 200 N m | ±1 |
    | 1 | torque on the elbow | 200 N m | ±1 |

    Observation, `Box` of 10 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | cosine of the angle of the shoulder | | ±1 |
    | 1 | cosine of the angle of the elbow | | ±1 |
    | 2 | sine of the angle of the shoulder | | ±1 |
    | 3 | sine of the angle of the elbow | | ±1 |
    | 4 | x position of the target | m | ±0.27 |
    | 5 | y position of the target | m | ±0.27 |
    | 6 | angular velocity of the shoulder | rad/s | none |
    | 7 | angular velocity of the elbow | rad/s | none |
    | 8 | x position of the fingertip minus that of the target | m | none |
    | 9 | y position of the fingertip minus that of the target | m | none |

    The space has no bounds. The elbow can turn by about 3 rad in either direction, and the shoulder can turn freely.

    Reward: minus the distance between the fingertip and the target in m, minus the sum of the squared actions. The
    distance is measured after the step.

    Reset: the target is sampled uniformly in a circle with a radius of 0.2 m around the shoulder. The angles of the arm
    are sampled between -0.1 and 0.1 rad, and its angular velocities between -0.005 and 0.005 rad/s.

    Termination: never. `make` adds a `TimeLimit`, which truncates the episode after 50 steps.

    Info: after a step, the parts of the reward, `reward_dist` and `reward_ctrl`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None. The model must have the bodies
            "fingertip" and "target".
        frame_skip: the number of simulation steps per environment step.
        reward_dist_weight: the weight of the distance between the fingertip and the target in the reward.
        reward_control_weight: the weight of the squared action in the reward.
    """

    fields = "qpos", "qvel", "xpos"
    camera: ClassVar[dict[str, Any] | None] = {"trackbodyid": 0}
    own_file = "reacher.xml"
    bodies = ("fingertip", "target")

    frame_skip: int = 2
    reward_dist_weight: float = 1
    reward_control_weight: float = 1

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the arm's initial state, and a target that is less than 0.2 m away from the origin."""
        qpos = np_random.uniform(-0.1, 0.1, self.model.nq) + self.init_qpos
        while True:
            goal = np_random.uniform(-0.2, 0.2, 2)
            if norm(goal) < 0.2:
                break
        qpos[-2:] = goal
        qvel = self.init_qvel + np_random.uniform(-0.005, 0.005, self.model.nv)
        qvel[-2:] = 0
        return qpos, qvel

    def _difference(self, data: Any) -> Any:
        tip, target = self._bodies
        return data.xpos[..., tip, :] - data.xpos[..., target, :]

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the angles' cosines and sines, the target, the velocities, and the tip's offset from the target."""
        angles = data.qpos[..., :2]
        way = self._difference(data)[..., :2]
        return np.concatenate((np.cos(angles), np.sin(angles), data.qpos[..., 2:], data.qvel[..., :2], way), axis=-1)

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        reward, info = self.reward_terms(data, action)
        return reward, False, info

    def reward_terms(self, data: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (minus the weighted distance and the control cost) and its terms."""
        distance = -norm(self._difference(data)) * self.reward_dist_weight
        control = -sum_of_squares(action) * self.reward_control_weight
        return distance + control, {"reward_dist": distance, "reward_ctrl": control}


class ReacherEnv(TaskEnv):
    """A single Reacher environment. The arguments are those of `ReacherTask` and `TaskEnv`."""

    task_class = ReacherTask


class ReacherVectorEnv(TaskVectorEnv):
    """A Reacher vector environment. The arguments are those of `ReacherTask` and `TaskVectorEnv`."""

    task_class = ReacherTask
