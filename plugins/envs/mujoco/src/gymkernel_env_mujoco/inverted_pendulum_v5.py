"""InvertedPendulum: a cart that balances a pole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.mjcf import ONE_TREE, actuators, capsule, hinge, node, slide
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import NoisyTask

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["InvertedPendulumEnv", "InvertedPendulumTask", "InvertedPendulumVectorEnv", "as_int", "cart"]
__all__ += ["rail"]

ALONG_X = (0.707, 0, 0.707, 0)
TEAL = (0, 0.7, 0.7, 1)
POLE = 0.6
"""The length of each pole in m."""


def rail() -> str:
    """Return the rail on which the cart slides."""
    return node(
        "geom", name="rail", type="capsule", quat=ALONG_X, size=(0.02, 1), rgba=(0.3, 0.3, 0.7, 1), pos=(0, 0, 0)
    )


def cart(*inside: str, **attributes: Any) -> str:
    """Return the cart with a pole attached to it."""
    return node(
        "body",
        slide("slider", (1, 0, 0), limited=True, range=(-1, 1), **attributes),
        node("geom", name="cart", type="capsule", quat=ALONG_X, size=(0.1, 0.1)),
        *inside,
        name="cart",
    )


def model() -> str:
    """Return the InvertedPendulum model in MJCF."""
    pole = capsule("cpole", (0, 0, 0), (0.001, 0, POLE), (0.049, 0.3), rgba=TEAL)
    return node(
        "mujoco",
        node("compiler", inertiafromgeom=True),
        node(
            "default",
            node("joint", armature=0, damping=1, limited=True),
            node("geom", contype=0, friction=(1, 0.1, 0.1), rgba=(0.7, 0.7, 0, 1)),
            node("motor", ctrlrange=(-3, 3)),
        ),
        node("option", ONE_TREE, gravity=(0, 0, -9.81), integrator="RK4", timestep=0.02),
        node(
            "worldbody",
            rail(),
            cart(node("body", hinge("hinge", (0, 1, 0), range=(-90, 90)), pole, name="pole")),
        ),
        actuators({"slider": 100}, 3),
        model="inverted pendulum",
    )


@dataclass(eq=False, repr=False)
class InvertedPendulumTask(NoisyTask):
    """The task of balancing a pole on a cart by pushing the cart.

    The cart slides on a rail along x, and a step takes 0.04 s.

    Action, `Box` of 1 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | force on the cart along x | 100 N | ±3 |

    Observation, `Box` of 4 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | position of the cart | m | ±1 |
    | 1 | angle of the pole from the vertical | rad | ±1.571 |
    | 2 | velocity of the cart | m/s | none |
    | 3 | angular velocity of the pole | rad/s | none |

    The space has no bounds. A limit in the table is the range of a joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft.

    Reward: 1 for each step that does not end the episode, and 0 for the step that ends it.

    Reset: uniform noise between -0.01 and 0.01 is added to the initial positions and velocities.

    Termination: the angle of the pole is greater than 0.2 rad in either direction, or an element of the observation is
    not finite. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: after a step, `reward_survive` is the reward.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        reset_noise_scale: the scale of the noise that is added to the initial state.
    """

    camera: ClassVar[dict[str, Any] | None] = {"trackbodyid": 0, "distance": 2.04}
    own_file = "inverted_pendulum.xml"

    frame_skip: int = 2
    reset_noise_scale: float = 0.01

    def observation_structure(self) -> dict[str, int]:
        """Return the size of each part of the observation."""
        return {"qpos": self.model.nq, "qvel": self.model.nv}

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info.

        The episode ends, and the reward is 0 instead of 1, if the pole leans by more than 0.2 rad, or if a part of the
        observation is not finite.
        """
        is_finite = np.isfinite(self.observe(data)).all(axis=-1)
        is_upright = is_finite & (abs(data.coordinates[1]) <= 0.2)
        reward = as_int(is_upright)
        return reward, np.logical_not(is_upright), {"reward_survive": reward}


def as_int(flags: Any) -> Any:
    """Convert a flag to an `int`, as in Gymnasium, or convert an array of flags to integers."""
    return flags.astype(np.int64) if isinstance(flags, np.ndarray) else int(flags)


class InvertedPendulumEnv(TaskEnv):
    """A single InvertedPendulum environment. The arguments are those of `InvertedPendulumTask` and `TaskEnv`."""

    task_class = InvertedPendulumTask


class InvertedPendulumVectorEnv(TaskVectorEnv):
    """An InvertedPendulum vector environment.

    The arguments are those of `InvertedPendulumTask` and `TaskVectorEnv`.
    """

    task_class = InvertedPendulumTask
