"""InvertedDoublePendulum: a cart that balances two poles on top of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_mujoco.inverted_pendulum_v5 import POLE, TEAL, as_int, cart, rail
from gymkernel_env_mujoco.mjcf import FLOOR, ONE_TREE, actuators, capsule, hinge, node
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import NoisyTask

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["InvertedDoublePendulumEnv", "InvertedDoublePendulumTask", "InvertedDoublePendulumVectorEnv"]


def model() -> str:
    """Return the InvertedDoublePendulum model in MJCF."""
    upper = node(
        "body",
        hinge("hinge2", (0, 1, 0)),
        capsule("cpole2", (0, 0, 0), (0, 0, POLE), (0.045, 0.3), rgba=TEAL),
        node("site", name="tip", pos=(0, 0, POLE), size=(0.01, 0.01)),
        name="pole2",
        pos=(0, 0, POLE),
    )
    lower = node(
        "body",
        hinge("hinge", (0, 1, 0)),
        capsule("cpole", (0, 0, 0), (0, 0, POLE), (0.045, 0.3), rgba=TEAL),
        upper,
        name="pole",
    )
    ground = node("geom", name="floor", type="plane", pos=(0, 0, -3), size=(40, 40, 40), rgba=FLOOR)
    return node(
        "mujoco",
        node("compiler", inertiafromgeom=True),
        node(
            "default",
            node("joint", damping=0.05),
            node("geom", contype=0, friction=(1, 0.1, 0.1), rgba=(0.7, 0.7, 0, 1)),
        ),
        node("option", ONE_TREE, gravity=(1e-5, 0, -9.81), integrator="RK4", timestep=0.01),
        node("worldbody", ground, rail(), cart(lower, margin=0.01)),
        actuators({"slider": 500}),
        model="cartpole",
    )


@dataclass(eq=False, repr=False)
class InvertedDoublePendulumTask(NoisyTask):
    """The task of balancing two poles on top of each other by pushing a cart.

    The cart slides on a rail along x, and a step takes 0.05 s. Each pole has a length of 0.6 m.

    Action, `Box` of 1 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | force on the cart along x | 500 N | ±1 |

    Observation, `Box` of 9 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | position of the cart | m | ±1 |
    | 1 | sine of the angle between the lower pole and the vertical | | ±1 |
    | 2 | sine of the angle between the upper and the lower pole | | ±1 |
    | 3 | cosine of the angle between the lower pole and the vertical | | ±1 |
    | 4 | cosine of the angle between the upper and the lower pole | | ±1 |
    | 5 | velocity of the cart | m/s | ±10 |
    | 6 | angular velocity of the lower pole | rad/s | ±10 |
    | 7 | angular velocity of the upper pole, relative to the lower pole | rad/s | ±10 |
    | 8 | force that keeps the cart on the rail | N | ±10 |

    The space has no bounds. The limit of the position is the end of the rail, which the cart can exceed slightly,
    because MuJoCo's limits are soft. The velocities and the force are clipped to ±10.

    Reward: 10 for each step that does not end the episode, minus 0.01 x² + (z - 2)², where x and z are the coordinates
    of the tip of the upper pole in m, minus 0.001 v² + 0.005 w², where v and w are the angular velocities of the lower
    and the upper pole in rad/s.

    Reset: uniform noise between -0.1 and 0.1 is added to the initial positions, and normal noise with a standard
    deviation of 0.1 to the initial velocities.

    Termination: the height of the tip of the upper pole is 1 m or less. `make` adds a `TimeLimit`, which truncates the
    episode after 1000 steps.

    Info: after a step, the parts of the reward, `reward_survive`, `distance_penalty` and `velocity_penalty`.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        healthy_reward: the reward for each step that does not end the episode.
        reset_noise_scale: the scale of the noise that is added to the initial state.
    """

    fields = "qpos", "qvel", "qfrc_constraint", "site_xpos"
    own_file = "inverted_double_pendulum.xml"
    has_normal_velocities = True

    healthy_reward: float = 10.0
    reset_noise_scale: float = 0.1

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the cart's position, the angles' sines and cosines, the velocities, and the constraint force."""
        angles = data.qpos[..., 1:]
        force = np.clip(data.qfrc_constraint, -10, 10)[..., :1]
        return np.concatenate(
            (data.qpos[..., :1], np.sin(angles), np.cos(angles), np.clip(data.qvel, -10, 10), force), axis=-1
        )

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info.

        The episode ends if the tip of the upper pole is at a height of 1 m or less.
        """
        x, _, height = data.site_xpos.T[:, 0]
        is_over = height <= 1
        reward, info = self.reward_terms(data, x, height, is_over)
        return reward, is_over, info

    def reward_terms(self, data: Any, x: Any, height: Any, terminated: Any) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the healthy reward minus penalties for the tip's position and for speed) and its terms."""
        _, speed, other = data.qvel.T[:3]
        distance = 0.01 * _squares(x) + _squares(height - 2)
        velocity = 1e-3 * _squares(speed) + 5e-3 * _squares(other)
        survive = self.healthy_reward * as_int(np.logical_not(terminated))
        terms = {"reward_survive": survive, "distance_penalty": -distance, "velocity_penalty": -velocity}
        return survive - distance - velocity, terms


def _squares(values: Any) -> Any:
    """Square a number, or each number of an array, with `pow`.

    NumPy squares the numbers of an array with a multiplication, whose results sometimes differ in the last bit.
    """
    return np.array([value**2 for value in values.tolist()]) if isinstance(values, np.ndarray) else values**2


class InvertedDoublePendulumEnv(TaskEnv):
    """A single InvertedDoublePendulum environment.

    The arguments are those of `InvertedDoublePendulumTask` and `TaskEnv`.
    """

    task_class = InvertedDoublePendulumTask


class InvertedDoublePendulumVectorEnv(TaskVectorEnv):
    """An InvertedDoublePendulum vector environment.

    The arguments are those of `InvertedDoublePendulumTask` and `TaskVectorEnv`.
    """

    task_class = InvertedDoublePendulumTask
