"""Humanoid and HumanoidStandup, in which a robot learns to walk or to stand up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.humanoid_model import LYING, STANDING, model
from gymkernel_env_mujoco.running import ContactTask
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import Task, flatten, norm, sum_of_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_mujoco.tasks import State

__all__ = [
    "HumanoidEnv",
    "HumanoidStandupEnv",
    "HumanoidStandupTask",
    "HumanoidStandupVectorEnv",
    "HumanoidTask",
    "HumanoidVectorEnv",
]

INFINITY = float("inf")


def _camera(z: float) -> dict[str, Any]:
    return {"trackbodyid": 1, "distance": 4.0, "lookat": np.array((0.0, 0.0, z)), "elevation": -20.0}


class _RobotTask(Task):
    """A base class for the Humanoid and HumanoidStandup tasks, which have the same observations.

    Args:
        model: the model.
        frame_skip: the number of simulation steps per environment step.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave x and y out of the observation.
        include_cinert_in_observation: whether the observation contains masses and inertias.
        include_cvel_in_observation: whether the observation contains the velocities of the bodies.
        include_qfrc_actuator_in_observation: whether the observation contains the forces of the motors.
        include_cfrc_ext_in_observation: whether the observation contains the contact forces.
    """

    fields = (
        *("qpos", "qvel", "ctrl", "cinert", "cvel", "qfrc_actuator"),
        *("cfrc_ext", "xipos", "ten_length", "ten_velocity"),
    )
    post_constraint = True
    _ctrl_cost_weight: float

    def __init__(
        self,
        model: Any,
        frame_skip: int,
        reset_noise_scale: float,
        exclude_current_positions_from_observation: bool,
        include_cinert_in_observation: bool,
        include_cvel_in_observation: bool,
        include_qfrc_actuator_in_observation: bool,
        include_cfrc_ext_in_observation: bool,
    ) -> None:
        self._reset_noise_scale = reset_noise_scale
        self._exclude_current_positions_from_observation = exclude_current_positions_from_observation
        self._include_cinert_in_observation = include_cinert_in_observation
        self._include_cvel_in_observation = include_cvel_in_observation
        self._include_qfrc_actuator_in_observation = include_qfrc_actuator_in_observation
        self._include_cfrc_ext_in_observation = include_cfrc_ext_in_observation
        self._first = 2 * exclude_current_positions_from_observation
        super().__init__(model, frame_skip)

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the initial positions and velocities of an episode."""
        return self.uniform_state(np_random, self._reset_noise_scale)

    def observation_structure(self) -> dict[str, int]:
        """Return how many positions the observation excludes, and the size of each part of the observation."""
        bodies, joints = self.model.nbody - 1, self.model.nv - 6
        sizes = {"cinert": 10 * bodies, "cvel": 6 * bodies, "qfrc_actuator": joints, "cfrc_ext": 6 * bodies}
        parts = {name: size * getattr(self, f"_include_{name}_in_observation") for name, size in sizes.items()}
        return {**super().observation_structure(), **parts, "ten_length": 0, "ten_velocity": 0}

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions (by default without x and y), the velocities and the selected fields."""
        parts = [data.shown, data.qvel]
        if self._include_cinert_in_observation:
            parts.append(flatten(data.cinert[..., 1:, :]))  # the first body is the world
        if self._include_cvel_in_observation:
            parts.append(flatten(data.cvel[..., 1:, :]))
        if self._include_qfrc_actuator_in_observation:
            parts.append(data.qfrc_actuator[..., 6:])  # the first six degrees of freedom have no motor
        if self._include_cfrc_ext_in_observation:
            parts.append(flatten(data.cfrc_ext[..., 1:, :]))
        return np.concatenate(parts, axis=-1)

    def control_cost(self, data: Any, action: NDArray[Any]) -> Any:
        """Return the weighted sum of the squared controls, which are the action in double precision."""
        return self._ctrl_cost_weight * sum_of_squares(data.ctrl)

    def _impact(self, data: Any, weight: float, limits: tuple[float, float]) -> Any:
        return np.clip(weight * sum_of_squares(flatten(data.cfrc_ext)), *limits)

    def _tendons(self, data: Any) -> dict[str, Any]:
        return {"tendon_length": data.ten_length.copy(), "tendon_velocity": data.ten_velocity.copy()}


class HumanoidTask(_RobotTask, ContactTask):
    """The task of walking in the positive x direction.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        forward_reward_weight: the weight of the x velocity in the reward.
        ctrl_cost_weight: the weight of the squared controls in the reward.
        contact_cost_weight: the weight of the squared contact forces in the reward.
        contact_cost_range: the range to which the contact cost is clipped.
        healthy_reward: the reward for each step in a healthy state.
        terminate_when_unhealthy: whether an unhealthy state ends the episode.
        healthy_z_range: the minimum and maximum height of the torso in a healthy state, in m.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave x and y out of the observation.
        include_cinert_in_observation: whether the observation contains masses and inertias.
        include_cvel_in_observation: whether the observation contains the velocities of the bodies.
        include_qfrc_actuator_in_observation: whether the observation contains the forces of the motors.
        include_cfrc_ext_in_observation: whether the observation contains the contact forces.
    """

    camera: ClassVar[dict[str, Any] | None] = _camera(2.0)

    def __init__(
        self,
        xml_file: str | None = None,
        frame_skip: int = 5,
        forward_reward_weight: float = 1.25,
        ctrl_cost_weight: float = 0.1,
        contact_cost_weight: float = 5e-7,
        contact_cost_range: tuple[float, float] = (-INFINITY, 10.0),
        healthy_reward: float = 5.0,
        terminate_when_unhealthy: bool = True,
        healthy_z_range: tuple[float, float] = (1.0, 2.0),
        reset_noise_scale: float = 1e-2,
        exclude_current_positions_from_observation: bool = True,
        include_cinert_in_observation: bool = True,
        include_cvel_in_observation: bool = True,
        include_qfrc_actuator_in_observation: bool = True,
        include_cfrc_ext_in_observation: bool = True,
    ) -> None:
        self._forward_reward_weight, self._ctrl_cost_weight = forward_reward_weight, ctrl_cost_weight
        self._contact_cost_weight, self._contact_cost_range = contact_cost_weight, contact_cost_range
        self._healthy_reward, self._healthy_z_range = healthy_reward, healthy_z_range
        self._terminate_when_unhealthy = terminate_when_unhealthy
        super().__init__(
            model(STANDING) if xml_file in {None, "humanoid.xml"} else xml_file,
            frame_skip,
            reset_noise_scale,
            exclude_current_positions_from_observation,
            include_cinert_in_observation,
            include_cvel_in_observation,
            include_qfrc_actuator_in_observation,
            include_cfrc_ext_in_observation,
        )

    def measure(self, data: Any) -> Any:
        """Return the x and y positions of the centre of mass."""
        masses = self.model.body_mass
        return (np.sum(masses[:, None] * data.xipos, axis=-2) / masses.sum()).T[:2]

    def is_healthy(self, data: Any) -> Any:
        """Return whether the height of the torso is in the healthy range."""
        low, high = self._healthy_z_range
        z = data.coordinates[2]
        return (low < z) & (z < high)

    def contact_cost(self, data: Any) -> Any:
        """Return the weighted sum of the squared contact forces, clipped to the range."""
        return self._impact(data, self._contact_cost_weight, self._contact_cost_range)

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the torso's position, its distance from the origin, and the state of the tendons."""
        x, y = data.coordinates[:2]
        info = {"x_position": x, "y_position": y, "distance_from_origin": norm(data.qpos[..., :2])}
        return {**info, **self._tendons(data)}


class HumanoidStandupTask(_RobotTask):
    """The task of standing up.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.
        uph_cost_weight: accepted for compatibility, but ignored, as in Gymnasium.
        ctrl_cost_weight: the weight of the squared controls in the reward.
        impact_cost_weight: the weight of the squared contact forces in the reward.
        impact_cost_range: the range to which the impact cost is clipped.
        reset_noise_scale: the scale of the noise that is added to the initial state.
        exclude_current_positions_from_observation: whether to leave x and y out of the observation.
        include_cinert_in_observation: whether the observation contains masses and inertias.
        include_cvel_in_observation: whether the observation contains the velocities of the bodies.
        include_qfrc_actuator_in_observation: whether the observation contains the forces of the motors.
        include_cfrc_ext_in_observation: whether the observation contains the contact forces.
    """

    camera: ClassVar[dict[str, Any] | None] = _camera(0.8925)

    def __init__(
        self,
        xml_file: str | None = None,
        frame_skip: int = 5,
        uph_cost_weight: float = 1,
        ctrl_cost_weight: float = 0.1,
        impact_cost_weight: float = 0.5e-6,
        impact_cost_range: tuple[float, float] = (-INFINITY, 10.0),
        reset_noise_scale: float = 1e-2,
        exclude_current_positions_from_observation: bool = True,
        include_cinert_in_observation: bool = True,
        include_cvel_in_observation: bool = True,
        include_qfrc_actuator_in_observation: bool = True,
        include_cfrc_ext_in_observation: bool = True,
    ) -> None:
        self._uph_cost_weight, self._ctrl_cost_weight = uph_cost_weight, ctrl_cost_weight
        self._impact_cost_weight, self._impact_cost_range = impact_cost_weight, impact_cost_range
        super().__init__(
            model(LYING) if xml_file in {None, "humanoidstandup.xml"} else xml_file,
            frame_skip,
            reset_noise_scale,
            exclude_current_positions_from_observation,
            include_cinert_in_observation,
            include_cvel_in_observation,
            include_qfrc_actuator_in_observation,
            include_cfrc_ext_in_observation,
        )

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        reward, terms = self.reward_terms(data, data.coordinates[2], action)
        return reward, False, {**self.reset_info(data), **terms}

    def reward_terms(self, data: Any, z: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the height divided by the time step, minus the costs, plus 1) and its terms."""
        height = z / self.model.opt.timestep
        control = self.control_cost(data, action)
        impact = self._impact(data, self._impact_cost_weight, self._impact_cost_range)
        terms = {"reward_linup": height, "reward_quadctrl": -control, "reward_impact": -impact}
        return height - control - impact + 1, terms

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the torso's position, its rise above the initial height, and the state of the tendons."""
        x, y, z = data.coordinates[:3]
        return {
            "x_position": x,
            "y_position": y,
            "z_distance_from_origin": z - self.init_qpos[2],
            **self._tendons(data),
        }


class HumanoidEnv(TaskEnv):
    """A single Humanoid environment. The arguments are those of `HumanoidTask` and `TaskEnv`."""

    task_class = HumanoidTask


class HumanoidVectorEnv(TaskVectorEnv):
    """A Humanoid vector environment. The arguments are those of `HumanoidTask` and `TaskVectorEnv`."""

    task_class = HumanoidTask


class HumanoidStandupEnv(TaskEnv):
    """A single HumanoidStandup environment. The arguments are those of `HumanoidStandupTask` and `TaskEnv`."""

    task_class = HumanoidStandupTask


class HumanoidStandupVectorEnv(TaskVectorEnv):
    """A HumanoidStandup vector environment.

    The arguments are those of `HumanoidStandupTask` and `TaskVectorEnv`.
    """

    task_class = HumanoidStandupTask
