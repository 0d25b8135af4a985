"""The base classes for tasks that reward forward movement: `RunningTask`, `HealthyTask` and `ContactTask`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_mujoco.tasks import NoisyTask, add, norm, square

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ContactTask", "HealthyTask", "RunningTask"]


class RunningTask(NoisyTask):
    """A task that rewards the velocity in the x direction. The arguments are those of `Task`."""

    forward_reward_weight: float
    ctrl_cost_weight: float
    _has_y = False
    """Whether `measure` returns x and y, with the axis of the coordinates first, and not only x."""

    def measure(self, data: Any) -> Any:
        """Return the x position, or the x and y positions."""
        return data.coordinates[:2].copy() if self._has_y else data.coordinates[0]

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info.

        The simulation of HalfCheetah is fast, so this method makes as few calls as possible. Tasks with more entries in
        their infos override this method and use `_progress`.
        """
        x = data.coordinates[0]
        velocity = (x - before) / (self._options.timestep * self.frame_skip)  # as `dt`, but faster
        reward, terms = self.reward_terms(data, velocity, action)
        return reward, False, {"x_position": x, "x_velocity": velocity, **terms}

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return an info with the x position and, if `measure` returns x and y, also with y and the distance from 0."""
        if not self._has_y:
            return {"x_position": data.coordinates[0]}
        x, y = data.coordinates[:2]
        return {"x_position": x, "y_position": y, "distance_from_origin": norm(data.qpos[..., :2])}

    def _progress(self, before: Any, data: Any) -> dict[str, Any]:
        """Return an info with the position and the velocity."""
        info = self.reset_info(data)
        if self._has_y:
            info["x_velocity"], info["y_velocity"] = (self.measure(data) - before) / self.dt
        else:
            info["x_velocity"] = (info["x_position"] - before) / self.dt
        return info

    def reward_terms(self, data: Any, x_velocity: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the weighted velocity minus the control cost) and its terms."""
        forward = self.forward_reward_weight * x_velocity
        cost = self.control_cost(data, action)
        return forward - cost, {"reward_forward": forward, "reward_ctrl": -cost}

    def control_cost(self, data: Any, action: NDArray[Any]) -> Any:
        """Return the weighted sum of the squared action."""
        return self.ctrl_cost_weight * add(square(action), -1)


class HealthyTask(RunningTask):
    """A task that also rewards healthy states. The arguments are those of `Task`.

    A step calls `is_healthy` only once, and passes the result on as the argument `healthy`.
    """

    healthy_reward: float
    terminate_when_unhealthy: bool

    def is_healthy(self, data: Any) -> Any:
        """Return whether the state is healthy."""
        raise NotImplementedError

    def survival_reward(self, data: Any, *, healthy: Any = None) -> Any:
        """Return the reward for a healthy state, or 0 if the state is unhealthy."""
        return (self.is_healthy(data) if healthy is None else healthy) * self.healthy_reward

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        info = self._progress(before, data)
        healthy = self.is_healthy(data)
        reward, terms = self.reward_terms(data, info["x_velocity"], action, healthy=healthy)
        is_over = np.logical_not(healthy) if self.terminate_when_unhealthy else False
        info.update(terms)
        return reward, is_over, info

    def reward_terms(
        self, data: Any, x_velocity: Any, action: NDArray[Any], *, healthy: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the weighted velocity plus the healthy reward minus the control cost) and its terms."""
        forward = self.forward_reward_weight * x_velocity
        survive = self.survival_reward(data, healthy=healthy)
        cost = self.control_cost(data, action)
        terms = {"reward_forward": forward, "reward_ctrl": -cost, "reward_survive": survive}
        return forward + survive - cost, terms


class ContactTask(HealthyTask):
    """A task that also penalises contact forces. The arguments are those of `Task`."""

    _has_y = True

    def contact_cost(self, data: Any) -> Any:
        """Return the weighted sum of the squared contact forces."""
        raise NotImplementedError

    def reward_terms(
        self, data: Any, x_velocity: Any, action: NDArray[Any], *, healthy: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the reward (the weighted velocity plus the healthy reward minus both costs) and its terms."""
        forward = self.forward_reward_weight * x_velocity
        survive = self.survival_reward(data, healthy=healthy)
        control, contact = self.control_cost(data, action), self.contact_cost(data)
        terms = {"reward_forward": forward, "reward_ctrl": -control, "reward_contact": -contact}
        return forward + survive - (control + contact), {**terms, "reward_survive": survive}
