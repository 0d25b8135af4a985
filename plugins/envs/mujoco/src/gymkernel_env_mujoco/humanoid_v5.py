"""Humanoid and HumanoidStandup, in which a robot learns to walk or to stand up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.humanoid_model import model
from gymkernel_env_mujoco.running import ContactTask
from gymkernel_env_mujoco.task_envs import TaskEnv, TaskVectorEnv
from gymkernel_env_mujoco.tasks import NoisyTask, flatten, sum_of_squares, tracking_camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HumanoidEnv",
    "HumanoidStandupEnv",
    "HumanoidStandupTask",
    "HumanoidStandupVectorEnv",
    "HumanoidTask",
    "HumanoidVectorEnv",
    "model",
]

INFINITY = float("inf")


class _RobotTask(NoisyTask):
    """A base class for the Humanoid and HumanoidStandup tasks, which have the same observations."""

    fields = (
        *("qpos", "qvel", "ctrl", "cinert", "cvel", "qfrc_actuator"),
        *("cfrc_ext", "xipos", "ten_length", "ten_velocity"),
    )
    post_constraint = True
    excluded_positions = 2
    ctrl_cost_weight: float
    include_cinert_in_observation: bool
    include_cvel_in_observation: bool
    include_qfrc_actuator_in_observation: bool
    include_cfrc_ext_in_observation: bool

    def observation_structure(self) -> dict[str, int]:
        """Return how many positions the observation excludes, and the size of each part of the observation."""
        bodies, joints = self.model.nbody - 1, self.model.nv - 6
        sizes = {"cinert": 10 * bodies, "cvel": 6 * bodies, "qfrc_actuator": joints, "cfrc_ext": 6 * bodies}
        parts = {name: size * getattr(self, f"include_{name}_in_observation") for name, size in sizes.items()}
        return {**super().observation_structure(), **parts, "ten_length": 0, "ten_velocity": 0}

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions (by default without x and y), the velocities and the selected fields."""
        parts = [data.shown, data.qvel]
        if self.include_cinert_in_observation:
            parts.append(flatten(data.cinert[..., 1:, :]))  # the first body is the world
        if self.include_cvel_in_observation:
            parts.append(flatten(data.cvel[..., 1:, :]))
        if self.include_qfrc_actuator_in_observation:
            parts.append(data.qfrc_actuator[..., 6:])  # the first six degrees of freedom have no motor
        if self.include_cfrc_ext_in_observation:
            parts.append(flatten(data.cfrc_ext[..., 1:, :]))
        return np.concatenate(parts, axis=-1)

    def control_cost(self, data: Any, action: NDArray[Any]) -> Any:
        """Return the weighted sum of the squared controls, which are the action in double precision."""
        return self.ctrl_cost_weight * sum_of_squares(data.ctrl)

    def _impact(self, data: Any, weight: float, limits: tuple[float, float]) -> Any:
        return np.clip(weight * sum_of_squares(flatten(data.cfrc_ext)), *limits)

    def _tendons(self, data: Any) -> dict[str, Any]:
        return {"tendon_length": data.ten_length.copy(), "tendon_velocity": data.ten_velocity.copy()}


@dataclass(eq=False, repr=False)
class HumanoidTask(_RobotTask, ContactTask):
    """The task of making a humanoid robot walk in the positive x direction.

    A step takes 0.015 s. The robot has 17 motors. (Tassa, Erez and Todorov, "Synthesis and stabilization of complex
    behaviors through online trajectory optimization", 2012.)

    Action, `Box` of 17 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the waist about y | 100 N m | ±0.4 |
    | 1 | torque on the waist about z | 100 N m | ±0.4 |
    | 2 | torque on the waist about x | 100 N m | ±0.4 |
    | 3 | torque on the right hip about x | 100 N m | ±0.4 |
    | 4 | torque on the right hip about z | 100 N m | ±0.4 |
    | 5 | torque on the right hip about y | 300 N m | ±0.4 |
    | 6 | torque on the right knee | 200 N m | ±0.4 |
    | 7 | torque on the left hip about x | 100 N m | ±0.4 |
    | 8 | torque on the left hip about z | 100 N m | ±0.4 |
    | 9 | torque on the left hip about y | 300 N m | ±0.4 |
    | 10 | torque on the left knee | 200 N m | ±0.4 |
    | 11 | torque on the right shoulder about its first axis | 25 N m | ±0.4 |
    | 12 | torque on the right shoulder about its second axis | 25 N m | ±0.4 |
    | 13 | torque on the right elbow | 25 N m | ±0.4 |
    | 14 | torque on the left shoulder about its first axis | 25 N m | ±0.4 |
    | 15 | torque on the left shoulder about its second axis | 25 N m | ±0.4 |
    | 16 | torque on the left elbow | 25 N m | ±0.4 |

    Observation, `Box` of 348 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso | m | none |
    | 1 to 4 | orientation of the torso as a unit quaternion: w, x, y, z | | ±1 |
    | 5 | angle of the waist about z | rad | ±0.785 |
    | 6 | angle of the waist about y | rad | -1.309 to 0.524 |
    | 7 | angle of the waist about x | rad | ±0.611 |
    | 8 | angle of the right hip about x | rad | -0.436 to 0.087 |
    | 9 | angle of the right hip about z | rad | -1.047 to 0.611 |
    | 10 | angle of the right hip about y | rad | -1.92 to 0.349 |
    | 11 | angle of the right knee | rad | -2.793 to -0.035 |
    | 12 | angle of the left hip about x | rad | -0.436 to 0.087 |
    | 13 | angle of the left hip about z | rad | -1.047 to 0.611 |
    | 14 | angle of the left hip about y | rad | -1.92 to 0.349 |
    | 15 | angle of the left knee | rad | -2.793 to -0.035 |
    | 16 | angle of the right shoulder about its first axis | rad | -1.484 to 1.047 |
    | 17 | angle of the right shoulder about its second axis | rad | -1.484 to 1.047 |
    | 18 | angle of the right elbow | rad | -1.571 to 0.873 |
    | 19 | angle of the left shoulder about its first axis | rad | -1.047 to 1.484 |
    | 20 | angle of the left shoulder about its second axis | rad | -1.047 to 1.484 |
    | 21 | angle of the left elbow | rad | -1.571 to 0.873 |
    | 22 to 24 | velocity of the torso along x, y and z | m/s | none |
    | 25 to 27 | angular velocity of the torso about its x, y and z axes | rad/s | none |
    | 28 | angular velocity of the waist about z | rad/s | none |
    | 29 | angular velocity of the waist about y | rad/s | none |
    | 30 | angular velocity of the waist about x | rad/s | none |
    | 31 | angular velocity of the right hip about x | rad/s | none |
    | 32 | angular velocity of the right hip about z | rad/s | none |
    | 33 | angular velocity of the right hip about y | rad/s | none |
    | 34 | angular velocity of the right knee | rad/s | none |
    | 35 | angular velocity of the left hip about x | rad/s | none |
    | 36 | angular velocity of the left hip about z | rad/s | none |
    | 37 | angular velocity of the left hip about y | rad/s | none |
    | 38 | angular velocity of the left knee | rad/s | none |
    | 39 | angular velocity of the right shoulder about its first axis | rad/s | none |
    | 40 | angular velocity of the right shoulder about its second axis | rad/s | none |
    | 41 | angular velocity of the right elbow | rad/s | none |
    | 42 | angular velocity of the left shoulder about its first axis | rad/s | none |
    | 43 | angular velocity of the left shoulder about its second axis | rad/s | none |
    | 44 | angular velocity of the left elbow | rad/s | none |
    | 45 to 174 | for each body: inertia (xx, yy, zz, xy, xz, yz), mass times (x, y, z), mass | kg m², kg m, kg | none |
    | 175 to 252 | for each body: angular velocity (x, y, z), velocity (x, y, z) | rad/s, m/s | none |
    | 253 | torque of the motor at the waist about z | N m | ±40 |
    | 254 | torque of the motor at the waist about y | N m | ±40 |
    | 255 | torque of the motor at the waist about x | N m | ±40 |
    | 256 | torque of the motor at the right hip about x | N m | ±40 |
    | 257 | torque of the motor at the right hip about z | N m | ±40 |
    | 258 | torque of the motor at the right hip about y | N m | ±120 |
    | 259 | torque of the motor at the right knee | N m | ±80 |
    | 260 | torque of the motor at the left hip about x | N m | ±40 |
    | 261 | torque of the motor at the left hip about z | N m | ±40 |
    | 262 | torque of the motor at the left hip about y | N m | ±120 |
    | 263 | torque of the motor at the left knee | N m | ±80 |
    | 264 | torque of the motor at the right shoulder about its first axis | N m | ±10 |
    | 265 | torque of the motor at the right shoulder about its second axis | N m | ±10 |
    | 266 | torque of the motor at the right elbow | N m | ±10 |
    | 267 | torque of the motor at the left shoulder about its first axis | N m | ±10 |
    | 268 | torque of the motor at the left shoulder about its second axis | N m | ±10 |
    | 269 | torque of the motor at the left elbow | N m | ±10 |
    | 270 to 347 | for each body: torque (x, y, z) and force (x, y, z) of its contacts | N m, N | none |

    The space has no bounds. The limit of an angle is the range of the joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. The parts from index 45 are MuJoCo's `cinert`, `cvel`, `qfrc_actuator`
    and `cfrc_ext`, which use the axes of the world and the centre of mass of the robot as the origin. The order of the
    bodies is torso, waist, pelvis, right thigh, shin and foot, left thigh, shin and foot, right upper arm and lower
    arm, left upper arm and lower arm. Each of these four parts can be left out. With
    `exclude_current_positions_from_observation=False`, the observation begins with the x and y positions of the torso
    in m.

    Reward: 1.25 times the velocity of the centre of mass along x in m/s, averaged over the step, plus 5 in a healthy
    state, minus 0.1 times the sum of the squared controls, minus a cost for contacts. The cost is 5e-7 times the sum of
    the squared contact forces, but at most 10.

    Reset: uniform noise between -0.01 and 0.01 is added to the initial positions and velocities.

    Termination: the state is unhealthy, which means that the height of the torso is not between 1 m and 2 m. `make`
    adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position`, `y_position` and `distance_from_origin` in m, the tendons' `tendon_length` and `tendon_velocity`
    and, after a step, `x_velocity` and `y_velocity` in m/s and the parts of the reward, `reward_forward`,
    `reward_survive`, `reward_ctrl` and `reward_contact`.

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

    camera: ClassVar[dict[str, Any] | None] = tracking_camera(1, 4.0, 2.0)
    own_file = "humanoid.xml"

    forward_reward_weight: float = 1.25
    ctrl_cost_weight: float = 0.1
    contact_cost_weight: float = 5e-7
    contact_cost_range: tuple[float, float] = (-INFINITY, 10.0)
    healthy_reward: float = 5.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (1.0, 2.0)
    reset_noise_scale: float = 1e-2
    exclude_current_positions_from_observation: bool = True
    include_cinert_in_observation: bool = True
    include_cvel_in_observation: bool = True
    include_qfrc_actuator_in_observation: bool = True
    include_cfrc_ext_in_observation: bool = True

    def measure(self, data: Any) -> Any:
        """Return the x and y positions of the centre of mass."""
        masses = self.model.body_mass
        return (np.sum(masses[:, None] * data.xipos, axis=-2) / masses.sum()).T[:2]

    def is_healthy(self, data: Any) -> Any:
        """Return whether the height of the torso is in the healthy range."""
        low, high = self.healthy_z_range
        z = data.coordinates[2]
        return (low < z) & (z < high)

    def contact_cost(self, data: Any) -> Any:
        """Return the weighted sum of the squared contact forces, clipped to the range."""
        return self._impact(data, self.contact_cost_weight, self.contact_cost_range)

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the torso's position, its distance from the origin, and the state of the tendons."""
        return {**super().reset_info(data), **self._tendons(data)}


@dataclass(eq=False, repr=False)
class HumanoidStandupTask(_RobotTask):
    """The task of making a humanoid robot stand up from the floor.

    A step takes 0.015 s. The robot has 17 motors. (Tassa, Erez and Todorov, "Synthesis and stabilization of complex
    behaviors through online trajectory optimization", 2012.)

    Action, `Box` of 17 float32:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | torque on the waist about y | 100 N m | ±0.4 |
    | 1 | torque on the waist about z | 100 N m | ±0.4 |
    | 2 | torque on the waist about x | 100 N m | ±0.4 |
    | 3 | torque on the right hip about x | 100 N m | ±0.4 |
    | 4 | torque on the right hip about z | 100 N m | ±0.4 |
    | 5 | torque on the right hip about y | 300 N m | ±0.4 |
    | 6 | torque on the right knee | 200 N m | ±0.4 |
    | 7 | torque on the left hip about x | 100 N m | ±0.4 |
    | 8 | torque on the left hip about z | 100 N m | ±0.4 |
    | 9 | torque on the left hip about y | 300 N m | ±0.4 |
    | 10 | torque on the left knee | 200 N m | ±0.4 |
    | 11 | torque on the right shoulder about its first axis | 25 N m | ±0.4 |
    | 12 | torque on the right shoulder about its second axis | 25 N m | ±0.4 |
    | 13 | torque on the right elbow | 25 N m | ±0.4 |
    | 14 | torque on the left shoulder about its first axis | 25 N m | ±0.4 |
    | 15 | torque on the left shoulder about its second axis | 25 N m | ±0.4 |
    | 16 | torque on the left elbow | 25 N m | ±0.4 |

    Observation, `Box` of 348 float64:

    | part | quantity | unit | limits |
    |---|---|---|---|
    | 0 | height of the torso | m | none |
    | 1 to 4 | orientation of the torso as a unit quaternion: w, x, y, z | | ±1 |
    | 5 | angle of the waist about z | rad | ±0.785 |
    | 6 | angle of the waist about y | rad | -1.309 to 0.524 |
    | 7 | angle of the waist about x | rad | ±0.611 |
    | 8 | angle of the right hip about x | rad | -0.436 to 0.087 |
    | 9 | angle of the right hip about z | rad | -1.047 to 0.611 |
    | 10 | angle of the right hip about y | rad | -1.92 to 0.349 |
    | 11 | angle of the right knee | rad | -2.793 to -0.035 |
    | 12 | angle of the left hip about x | rad | -0.436 to 0.087 |
    | 13 | angle of the left hip about z | rad | -1.047 to 0.611 |
    | 14 | angle of the left hip about y | rad | -2.094 to 0.349 |
    | 15 | angle of the left knee | rad | -2.793 to -0.035 |
    | 16 | angle of the right shoulder about its first axis | rad | -1.484 to 1.047 |
    | 17 | angle of the right shoulder about its second axis | rad | -1.484 to 1.047 |
    | 18 | angle of the right elbow | rad | -1.571 to 0.873 |
    | 19 | angle of the left shoulder about its first axis | rad | -1.047 to 1.484 |
    | 20 | angle of the left shoulder about its second axis | rad | -1.047 to 1.484 |
    | 21 | angle of the left elbow | rad | -1.571 to 0.873 |
    | 22 to 24 | velocity of the torso along x, y and z | m/s | none |
    | 25 to 27 | angular velocity of the torso about its x, y and z axes | rad/s | none |
    | 28 | angular velocity of the waist about z | rad/s | none |
    | 29 | angular velocity of the waist about y | rad/s | none |
    | 30 | angular velocity of the waist about x | rad/s | none |
    | 31 | angular velocity of the right hip about x | rad/s | none |
    | 32 | angular velocity of the right hip about z | rad/s | none |
    | 33 | angular velocity of the right hip about y | rad/s | none |
    | 34 | angular velocity of the right knee | rad/s | none |
    | 35 | angular velocity of the left hip about x | rad/s | none |
    | 36 | angular velocity of the left hip about z | rad/s | none |
    | 37 | angular velocity of the left hip about y | rad/s | none |
    | 38 | angular velocity of the left knee | rad/s | none |
    | 39 | angular velocity of the right shoulder about its first axis | rad/s | none |
    | 40 | angular velocity of the right shoulder about its second axis | rad/s | none |
    | 41 | angular velocity of the right elbow | rad/s | none |
    | 42 | angular velocity of the left shoulder about its first axis | rad/s | none |
    | 43 | angular velocity of the left shoulder about its second axis | rad/s | none |
    | 44 | angular velocity of the left elbow | rad/s | none |
    | 45 to 174 | for each body: inertia (xx, yy, zz, xy, xz, yz), mass times (x, y, z), mass | kg m², kg m, kg | none |
    | 175 to 252 | for each body: angular velocity (x, y, z), velocity (x, y, z) | rad/s, m/s | none |
    | 253 | torque of the motor at the waist about z | N m | ±40 |
    | 254 | torque of the motor at the waist about y | N m | ±40 |
    | 255 | torque of the motor at the waist about x | N m | ±40 |
    | 256 | torque of the motor at the right hip about x | N m | ±40 |
    | 257 | torque of the motor at the right hip about z | N m | ±40 |
    | 258 | torque of the motor at the right hip about y | N m | ±120 |
    | 259 | torque of the motor at the right knee | N m | ±80 |
    | 260 | torque of the motor at the left hip about x | N m | ±40 |
    | 261 | torque of the motor at the left hip about z | N m | ±40 |
    | 262 | torque of the motor at the left hip about y | N m | ±120 |
    | 263 | torque of the motor at the left knee | N m | ±80 |
    | 264 | torque of the motor at the right shoulder about its first axis | N m | ±10 |
    | 265 | torque of the motor at the right shoulder about its second axis | N m | ±10 |
    | 266 | torque of the motor at the right elbow | N m | ±10 |
    | 267 | torque of the motor at the left shoulder about its first axis | N m | ±10 |
    | 268 | torque of the motor at the left shoulder about its second axis | N m | ±10 |
    | 269 | torque of the motor at the left elbow | N m | ±10 |
    | 270 to 347 | for each body: torque (x, y, z) and force (x, y, z) of its contacts | N m, N | none |

    The space has no bounds. The limit of an angle is the range of the joint in the model, which a state can exceed
    slightly, because MuJoCo's limits are soft. The parts from index 45 are MuJoCo's `cinert`, `cvel`, `qfrc_actuator`
    and `cfrc_ext`, which use the axes of the world and the centre of mass of the robot as the origin. The order of the
    bodies is torso, waist, pelvis, right thigh, shin and foot, left thigh, shin and foot, right upper arm and lower
    arm, left upper arm and lower arm. Each of these four parts can be left out. With
    `exclude_current_positions_from_observation=False`, the observation begins with the x and y positions of the torso
    in m.

    Reward: the height of the torso in m divided by 0.003 (the time step of the simulation in s), minus 0.1 times the
    sum of the squared controls, minus a cost for contacts, plus 1. The cost is 5e-7 times the sum of the squared
    contact forces, but at most 10.

    Reset: uniform noise between -0.01 and 0.01 is added to the initial positions and velocities.

    Termination: never. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: `x_position`, `y_position` and `z_distance_from_origin` (the rise above the initial height) in m, the tendons'
    `tendon_length` and `tendon_velocity` and, after a step, the parts of the reward, `reward_linup`, `reward_quadctrl`
    and `reward_impact`.

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

    camera: ClassVar[dict[str, Any] | None] = tracking_camera(1, 4.0, 0.8925)
    own_file = "humanoidstandup.xml"

    uph_cost_weight: float = 1
    ctrl_cost_weight: float = 0.1
    impact_cost_weight: float = 0.5e-6
    impact_cost_range: tuple[float, float] = (-INFINITY, 10.0)
    reset_noise_scale: float = 1e-2
    exclude_current_positions_from_observation: bool = True
    include_cinert_in_observation: bool = True
    include_cvel_in_observation: bool = True
    include_qfrc_actuator_in_observation: bool = True
    include_cfrc_ext_in_observation: bool = True

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        reward, terms = self.reward_terms(data, data.coordinates[2], action)
        return reward, False, {**self.reset_info(data), **terms}

    def reward_terms(self, data: Any, z: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the height divided by the time step, minus the costs, plus 1) and its terms."""
        height = z / self.model.opt.timestep
        control = self.control_cost(data, action)
        impact = self._impact(data, self.impact_cost_weight, self.impact_cost_range)
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
