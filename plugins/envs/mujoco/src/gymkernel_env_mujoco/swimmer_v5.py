"""Swimmer: a chain of three links that learns to swim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel_env_mujoco.mjcf import LIGHT, ONE_TREE, SKIN, actuators, capsule, floor, hinge, node, scenery, slide
from gymkernel_env_mujoco.running import RunningTask
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SwimmerEnv", "SwimmerTask", "SwimmerVectorEnv"]


def link(name: str, joint: str, x: float, *inside: str) -> str:
    """Return a link that rotates relative to its parent."""
    return node(
        "body",
        capsule(None, (0, 0, 0), (-1, 0, 0), 0.1, density=1000),
        hinge(joint, (0, 0, 1), limited=True, range=(-100, 100)),
        *inside,
        name=name,
        pos=(x, 0, 0),
    )


def model() -> str:
    """Return the Swimmer model (Coulom, "Reinforcement learning using neural networks", 2002) in MJCF."""
    torso = node(
        "body",
        node("camera", name="track", mode="trackcom", pos=(0, -3, 3), xyaxes=(1, 0, 0, 0, 1, 1)),
        capsule(None, (1.5, 0, 0), (0.5, 0, 0), 0.1, density=1000),
        slide("slider1", (1, 0, 0)),
        slide("slider2", (0, 1, 0)),
        hinge("free_body_rot", (0, 0, 1)),
        link("mid", "motor1_rot", 0.5, link("back", "motor2_rot", -1)),
        name="torso",
    )
    return node(
        "mujoco",
        node("compiler", angle="degree", inertiafromgeom=True),
        node("option", ONE_TREE, density=4000, viscosity=0.1, integrator="RK4", timestep=0.01),
        node(
            "default",
            node("geom", contype=0, conaffinity=0, condim=1, material="skin", rgba=SKIN),
            node("joint", armature=0.1),
        ),
        scenery(30),
        node("worldbody", LIGHT, floor((40, 40, 0.1), pos=(0, 0, -0.1)), torso),
        actuators({"motor1_rot": 150, "motor2_rot": 150}),
        model="swimmer",
    )


@dataclass(eq=False, repr=False)
class SwimmerTask(RunningTask):
    """The task of making a chain of three links swim in the positive x direction.

    The links float in a viscous fluid, and a step takes 0.04 s. (Coulom, "Reinforcement learning using neural
    networks", 2002.)

    Action, `Box` of 2 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque between the first and the second link | 150 N m | ±1 |
    | 1 | torque between the second and the third link | 150 N m | ±1 |

    Observation, `Box` of 8 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | angle of the first link | rad | none |
    | 1 | angle between the first and the second link | rad | ±1.745 |
    | 2 | angle between the second and the third link | rad | ±1.745 |
    | 3 | velocity of the first link along x | m/s | none |
    | 4 | velocity of the first link along y | m/s | none |
    | 5 | angular velocity of the first link | rad/s | none |
    | 6 | angular velocity between the first and the second link | rad/s | none |
    | 7 | angular velocity between the second and the third link | rad/s | none |

    The space has no bounds. A limit in the table is the range of a joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. With `exclude_current_positions_from_observation=False`, the observation
    begins with the x and y positions of the first link in m.

    Reward: the velocity along x in m/s, averaged over the step, minus 0.0001 times the sum of the squared actions.

    Reset: uniform noise between -0.1 and 0.1 is added to the initial positions and velocities.

    Termination: never. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position`, `y_position` and `distance_from_origin` in m and, after a step, `x_velocity` and `y_velocity` in
    m/s and the parts of the reward, `reward_forward` and `reward_ctrl`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        forward_reward_weight: the weight of the x velocity in the reward.
        ctrl_cost_weight: the weight of the squared action in the reward.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave x and y out of the observation.
    """

    _has_y = True
    own_file = "swimmer.xml"
    excluded_positions = 2

    frame_skip: int = 4
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 1e-4
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        info = self._progress(before, data)
        reward, terms = self.reward_terms(data, info["x_velocity"], action)
        return reward, False, info | terms


class SwimmerEnv(TaskEnv):
    """A single Swimmer environment. The arguments are those of `SwimmerTask` and `TaskEnv`."""

    task_class = SwimmerTask


class SwimmerVectorEnv(TaskVectorEnv):
    """A Swimmer vector environment. The arguments are those of `SwimmerTask` and `TaskVectorEnv`."""

    task_class = SwimmerTask
