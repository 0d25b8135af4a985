"""Humanoid and HumanoidStandup, in which a robot learns to walk or to stand up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.humanoid_model import LYING, STANDING, model
from gymkernel_env_mujoco.tasks import Task, TaskEnv, TaskVectorEnv, flatten, norm

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
        skip: the number of leading positions that the observation excludes.
        shown: the names of the fields that the observation contains in addition to the positions and velocities.
    """

    fields = (
        *("qpos", "qvel", "ctrl", "cinert", "cvel", "qfrc_actuator"),
        *("cfrc_ext", "xipos", "ten_length", "ten_velocity"),
    )
    post_constraint = True

    def __init__(
        self, model: Any, frame_skip: int, reset_noise_scale: float, skip: int, shown: dict[str, bool]
    ) -> None:
        self._reset_noise_scale, self._first = reset_noise_scale, skip
        self._shown = [name for name, is_shown in shown.items() if is_shown]
        self._parts = shown
        super().__init__(model, frame_skip)

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the initial positions and velocities of an episode."""
        return self.uniform_state(np_random, self._reset_noise_scale)

    def observation_structure(self) -> dict[str, int]:
        """Return how many positions the observation excludes, and the size of each part of the observation."""
        bodies, joints = self.model.nbody - 1, self.model.nv - 6
        sizes = {"cinert": 10 * bodies, "cvel": 6 * bodies, "qfrc_actuator": joints, "cfrc_ext": 6 * bodies}
        parts = {name: size * self._parts[name] for name, size in sizes.items()}
        return {**super().observation_structure(), **parts, "ten_length": 0, "ten_velocity": 0}

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions (by default without x and y), the velocities and the selected fields."""
        parts = [data.qpos[..., self._first :], data.qvel]
        for name in self._shown:
            values = getattr(data, name)
            # The first body is the world, and the first six degrees of freedom have no motor.
            parts.append(values[..., 6:] if name == "qfrc_actuator" else flatten(values[..., 1:, :]))
        return np.concatenate(parts, axis=-1)

    def _impact(self, data: Any, weight: float, limits: tuple[float, float]) -> Any:
        return np.clip(weight * np.sum(flatten(np.square(data.cfrc_ext)), axis=-1), *limits)

    def _tendons(self, data: Any) -> dict[str, Any]:
        return {"tendon_length": data.ten_length, "tendon_velocity": data.ten_velocity}


class HumanoidTask(_RobotTask):
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
        self._contact = contact_cost_weight, contact_cost_range
        self._healthy_reward, self._ends, self._heights = healthy_reward, terminate_when_unhealthy, healthy_z_range
        super().__init__(
            model(STANDING) if xml_file in {None, "humanoid.xml"} else xml_file,
            frame_skip,
            reset_noise_scale,
            2 * exclude_current_positions_from_observation,
            {
                "cinert": include_cinert_in_observation,
                "cvel": include_cvel_in_observation,
                "qfrc_actuator": include_qfrc_actuator_in_observation,
                "cfrc_ext": include_cfrc_ext_in_observation,
            },
        )

    def measure(self, data: Any) -> Any:
        """Return the x and y positions of the centre of mass."""
        masses = self.model.body_mass
        return (np.sum(masses[:, None] * data.xipos, axis=-2) / masses.sum())[..., :2]

    def is_healthy(self, data: Any) -> Any:
        """Return whether the height of the torso is in the healthy range."""
        low, high = self._heights
        return (low < data.qpos[..., 2]) & (data.qpos[..., 2] < high)

    def is_terminated(self, data: Any) -> Any:
        """Return whether the state is unhealthy."""
        return ~self.is_healthy(data) & self._ends

    def compute_reward(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the weighted velocity plus the healthy reward minus the costs) and the info."""
        velocity = (self.measure(data) - before) / self.dt
        forward = self._forward_reward_weight * velocity[..., 0]
        survive = self.is_healthy(data) * self._healthy_reward
        control = self._ctrl_cost_weight * np.sum(np.square(data.ctrl), axis=-1)
        contact = self._impact(data, *self._contact)
        info = {
            **self.reset_info(data),
            "x_velocity": velocity[..., 0],
            "y_velocity": velocity[..., 1],
            "reward_survive": survive,
            "reward_forward": forward,
            "reward_ctrl": -control,
            "reward_contact": -contact,
        }
        return forward + survive - (control + contact), info

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the torso's position, its distance from the origin, and the state of the tendons."""
        place = data.qpos[..., :2]
        positions = {"x_position": place[..., 0], "y_position": place[..., 1]}
        return {**positions, **self._tendons(data), "distance_from_origin": norm(place)}


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
        self._ctrl_cost_weight, self._costs = ctrl_cost_weight, (impact_cost_weight, impact_cost_range)
        super().__init__(
            model(LYING) if xml_file in {None, "humanoidstandup.xml"} else xml_file,
            frame_skip,
            reset_noise_scale,
            2 * exclude_current_positions_from_observation,
            {
                "cinert": include_cinert_in_observation,
                "cvel": include_cvel_in_observation,
                "qfrc_actuator": include_qfrc_actuator_in_observation,
                "cfrc_ext": include_cfrc_ext_in_observation,
            },
        )

    def compute_reward(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the height divided by the time step, minus the costs, plus 1) and the info."""
        height = data.qpos[..., 2] / self.model.opt.timestep
        control = self._ctrl_cost_weight * np.sum(np.square(data.ctrl), axis=-1)
        impact = self._impact(data, *self._costs)
        info = {"reward_linup": height, "reward_quadctrl": -control, "reward_impact": -impact}
        return height - control - impact + 1, {**self.reset_info(data), **info}

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the torso's position, its rise above the initial height, and the state of the tendons."""
        place = data.qpos
        positions = {"x_position": place[..., 0], "y_position": place[..., 1]}
        return {**positions, "z_distance_from_origin": place[..., 2] - self.init_qpos[2], **self._tendons(data)}


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
