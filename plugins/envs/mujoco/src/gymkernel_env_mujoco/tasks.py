"""The base classes for this plugin's tasks and environments: `Task`, `TaskEnv` and `TaskVectorEnv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np

from gymkernel_env_mujoco.model_task import load_model
from gymkernel_env_mujoco.mujoco_env import MujocoEnv
from gymkernel_env_mujoco.vector import MujocoVectorEnv
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gymkernel.vector_env import AutoresetMode

    State = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["Task", "TaskEnv", "TaskVectorEnv", "flatten", "norm", "planar_root"]


class Task:
    """A base class for this plugin's tasks. `MujocoTask` describes the methods and their argument `data`.

    Args:
        model: an `MjModel`, the path of a model file, or text in MJCF.
        frame_skip: the number of simulation steps per environment step.

    Attributes:
        dt: the time between two actions in s.
        init_qpos: the initial positions of an episode, before noise is added.
        init_qvel: the initial velocities of an episode, before noise is added.
    """

    fields: tuple[str, ...] = ("qpos", "qvel")
    post_constraint = False
    camera: ClassVar[dict[str, Any] | None] = None
    """The attributes of the default camera, or None."""
    _first: int | None = None
    """How many positions the observation excludes, or None if the observation contains functions of the positions."""

    def __init__(self, model: Any, frame_skip: int) -> None:
        self.model, self.frame_skip = load_model(model), frame_skip
        self.dt = self.model.opt.timestep * frame_skip
        data = mujoco.MjData(self.model)
        self.init_qpos, self.init_qvel = data.qpos.copy(), data.qvel.copy()
        mujoco.mj_forward(self.model, data)
        self.observation_space = Box(-np.inf, np.inf, self.observe(data).shape, np.float64)
        low, high = self.model.actuator_ctrlrange.astype(np.float32).T
        self.action_space = Box(low, high, dtype=np.float32)

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions and velocities."""
        return np.concatenate((data.qpos, data.qvel), axis=-1)

    def observation_structure(self) -> dict[str, int]:
        """Return how many positions the observation excludes, and the size of each part of the observation.

        The dictionary is empty if the observation contains functions of positions, such as sines.
        """
        if self._first is None:
            return {}
        return {"skipped_qpos": self._first, "qpos": self.model.nq - self._first, "qvel": self.model.nv}

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the initial positions and velocities of an episode."""
        raise NotImplementedError

    def uniform_state(self, np_random: np.random.Generator, noise: float) -> State:
        """Return the initial positions and velocities with uniform noise."""
        qpos = self.init_qpos + np_random.uniform(-noise, noise, self.model.nq)
        return qpos, self.init_qvel + np_random.uniform(-noise, noise, self.model.nv)

    def normal_state(self, np_random: np.random.Generator, noise: float) -> State:
        """Return the initial positions with uniform noise, and the initial velocities with normal noise."""
        qpos = self.init_qpos + np_random.uniform(-noise, noise, self.model.nq)
        return qpos, self.init_qvel + noise * np_random.standard_normal(self.model.nv)

    def measure(self, data: Any) -> Any:
        """Return what `compute_reward` needs to know about the state before the step, or None."""
        return None

    def compute_reward(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, dict[str, Any]]:
        """Return the reward and the info of a step."""
        raise NotImplementedError

    def is_terminated(self, data: Any) -> Any:
        """Return whether the episode ends."""
        return False

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return the info of a reset."""
        return {}


class TaskEnv(MujocoEnv):
    """A base class for this plugin's single environments.

    Args:
        *args: the positional arguments of the task.
        default_camera_config: attributes of the camera, such as `distance`. By default, the task determines them.
        **kwargs: the keyword arguments of the task, and the rendering arguments of `MujocoEnv`.
    """

    task_class: ClassVar[Callable[..., Task]]

    def __init__(self, *args: Any, default_camera_config: dict[str, Any] | None = None, **kwargs: Any) -> None:
        rendering, others = _split(kwargs)
        task = self.task = self.task_class(*args, **others)
        config = task.camera if default_camera_config is None else default_camera_config
        super().__init__(task.model, task.frame_skip, task.observation_space, default_camera_config=config, **rendering)
        self.metadata = {**self.metadata, "render_fps": int(np.round(1.0 / self.dt))}
        if structure := task.observation_structure():
            self.observation_structure = structure

    def _get_obs(self) -> NDArray[Any]:
        """Return the observation. Subclasses can override this method."""
        return self.task.observe(self.data)

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], Any, bool, bool, dict[str, Any]]:
        """Perform an action, and simulate `frame_skip` steps.

        Raises:
            InvalidAction: if the action has the wrong shape.
        """
        task, data = self.task, self.data
        before = task.measure(data)
        before = before.copy() if isinstance(before, np.ndarray) else before
        action = np.asarray(action)
        self.do_simulation(action, self.frame_skip)
        reward, info = task.compute_reward(before, data, action)
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), _scalar(reward), bool(task.is_terminated(data)), False, _plain(info)

    def reset_model(self) -> NDArray[Any]:
        """Sample the initial state of the episode, and return the observation."""
        self.set_state(*self.task.sample_state(self.np_random))
        return self._get_obs()

    def _get_reset_info(self) -> dict[str, Any]:
        return _plain(self.task.reset_info(self.data))


class TaskVectorEnv(MujocoVectorEnv):
    """A base class for this plugin's vector environments.

    Args:
        num_envs: the number of environments.
        max_episode_steps: the number of steps after which an episode is truncated. None or -1 means no limit.
        autoreset_mode: the mode that determines when the next episode of an environment starts.
        render_mode: "rgb_array", "depth_array", "rgbd_tuple" or None.
        num_threads: the number of threads. See `MujocoVectorEnv`.
        copy: whether `reset` and `step` return new arrays.
        default_camera_config: attributes of the camera, such as `distance`. By default, the task determines them.
        **kwargs: the keyword arguments of the task, and the rendering arguments of `MujocoEnv`.
    """

    task_class: ClassVar[Callable[..., Task]]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = "NextStep",
        render_mode: str | None = None,
        num_threads: int | None = None,
        copy: bool = True,
        default_camera_config: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        rendering, others = _split(kwargs)
        task = self.task_class(**others)
        config = task.camera if default_camera_config is None else default_camera_config
        options = {"width": 480, "height": 480, "default_cam_config": config, **rendering}
        super().__init__(task, num_envs, max_episode_steps, autoreset_mode, render_mode, options, num_threads, copy)
        self.metadata = {**self.metadata, "render_fps": int(np.round(1.0 / task.dt))}


RENDERING = "render_mode", "width", "height", "camera_id", "camera_name", "max_geom", "visual_options"


def _split(kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the rendering arguments from the task's arguments."""
    rendering = {name: value for name, value in kwargs.items() if name in RENDERING}
    return rendering, {name: value for name, value in kwargs.items() if name not in RENDERING}


def _scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) else value


def _plain(info: dict[str, Any]) -> dict[str, Any]:
    """Copy an info so that no array in it is a view of the simulation's memory."""
    return {
        name: (value.copy() if value.ndim else value[()]) if isinstance(value, np.ndarray) else value
        for name, value in info.items()
    }


def norm(vectors: NDArray[np.float64]) -> Any:
    """Return the length of a vector, or of each vector in a batch, with bit-identical results in both cases."""
    return np.sqrt(np.vecdot(vectors, vectors))


def planar_root(height: float) -> tuple[dict[str, Any], ...]:
    """Return the names, axes and attributes of the joints that let a body move and rotate in the x-z plane."""
    free = {"armature": 0, "damping": 0, "limited": False, "stiffness": 0}
    return (
        {"name": "rootx", "axis": (1, 0, 0), "pos": (0, 0, -height), **free},
        {"name": "rootz", "axis": (0, 0, 1), "pos": (0, 0, -height), "ref": height or None, **free},
        {"name": "rooty", "axis": (0, 1, 0), **free},
    )


def flatten(matrices: NDArray[Any]) -> NDArray[Any]:
    """Combine the last two axes of an array."""
    return matrices.reshape(*matrices.shape[:-2], -1)
