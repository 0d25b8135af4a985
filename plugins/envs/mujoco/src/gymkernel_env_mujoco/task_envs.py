"""The base classes for this plugin's environments: `TaskEnv` and `TaskVectorEnv`."""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_mujoco.mujoco_env import MujocoEnv
from gymkernel_env_mujoco.vector import MujocoVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gymkernel.vector_env import AutoresetMode
    from gymkernel_env_mujoco.tasks import Task

__all__ = ["TaskEnv", "TaskVectorEnv"]

OVERRIDABLE = {
    "_get_rew": "reward_terms",
    "contact_cost": "contact_cost",
    "contact_forces": "contact_forces",
    "control_cost": "control_cost",
    "healthy_reward": "survival_reward",
    "is_healthy": "is_healthy",
}
"""Maps each member that a subclass can override to the method of the task that computes it."""

RENDERING = "render_mode", "width", "height", "camera_id", "camera_name", "max_geom", "visual_options"
"""The arguments that are passed to the renderer instead of the task."""


class TaskAttribute:
    """An attribute of an environment that is stored in its task, so that new values affect the next step.

    The attributes of a subclass that calls only `MujocoEnv.__init__` are stored in the environment until the task is
    created.
    """

    def __init__(self, name: str) -> None:
        self.name, self.name_in_task = name, name.removeprefix("_")

    def __get__(self, env: Any, owner: Any = None) -> Any:
        if env is None:
            return self
        attributes = vars(env)
        if "task" in attributes:
            return getattr(attributes["task"], self.name_in_task)
        if self.name in attributes:
            return attributes[self.name]
        raise AttributeError(f"{type(env).__name__} has no attribute {self.name!r} yet")

    def __set__(self, env: Any, value: Any) -> None:
        attributes = vars(env)
        if "task" in attributes:
            setattr(attributes["task"], self.name_in_task, value)
        else:
            attributes[self.name] = value


def _is_task_attribute(cls: type[Any], name: str) -> bool:
    return isinstance(getattr(cls, name, None), TaskAttribute)


def _call_member(env: Any, name: str, data: Any, *args: Any, **known: Any) -> Any:
    """Return the value of an environment's property or the result of its method, which a task uses instead of its own.

    Args:
        env: the environment, whose class overrides the property or the method.
        name: the name of the property or the method.
        data: the simulation, which the environment has, too.
        *args: the arguments of the environment's method.
        **known: values that the task has already computed. The environment's members do not have these arguments.
    """
    member = getattr(env, name)
    return member(*args) if callable(member) else member


class TaskEnv(MujocoEnv):
    """A base class for this plugin's single environments.

    The arguments of the task are also attributes with an underscore, such as `_ctrl_cost_weight`. Subclasses can
    override `_get_obs`, `_get_rew`, `_get_reset_info`, `reset_model` and the properties and methods for the terms of
    the reward, and `step` uses the overriding members.

    Args:
        *args: the positional arguments of the task. As in Gymnasium, `default_camera_config` is the third one.
        default_camera_config: attributes of the camera, such as `distance`. By default, the task determines them.
        **kwargs: the keyword arguments of the task, and the rendering arguments of `MujocoEnv`.
    """

    task_class: ClassVar[Callable[..., Task]]
    frame_skip: Any = TaskAttribute("frame_skip")
    init_qpos: Any = TaskAttribute("init_qpos")
    init_qvel: Any = TaskAttribute("init_qvel")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "task_class" in vars(cls):
            for name in list(signature(cls.task_class).parameters)[2:]:  # without xml_file and frame_skip
                setattr(cls, f"_{name}", TaskAttribute(f"_{name}"))

    def __init__(self, *args: Any, default_camera_config: dict[str, Any] | None = None, **kwargs: Any) -> None:
        if len(args) > 2:
            default_camera_config, args = args[2], (*args[:2], *args[3:])
        rendering = {name: kwargs.pop(name) for name in RENDERING if name in kwargs}
        task = self._use(self.task_class(*args, **kwargs))
        config = task.camera if default_camera_config is None else default_camera_config
        super().__init__(task.model, task.frame_skip, task.observation_space, default_camera_config=config, **rendering)
        self.metadata = {**self.metadata, "render_fps": int(np.round(1.0 / self.dt))}
        self._view, self._has_readers = task.view(self._data), self._has_readers or task.post_constraint
        if structure := task.observation_structure():
            self.observation_structure = structure

    def _use(self, task: Task) -> Task:
        """Set the task, which calls the members that a subclass overrides instead of its own methods."""
        self.task = task
        for name, method in OVERRIDABLE.items():
            if getattr(type(self), name) is not getattr(TaskEnv, name):
                setattr(task, method, partial(_call_member, self, name))
        return task

    def __getattr__(self, name: str) -> Any:
        """Create the task and the view when they are first used in a subclass that calls only `MujocoEnv.__init__`."""
        attributes = vars(self)
        if name not in {"task", "_view"} or "_data" not in attributes:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if "task" not in attributes:
            stored = {key: value for key, value in attributes.items() if _is_task_attribute(type(self), key)}
            options = {key[1:]: value for key, value in stored.items() if key.startswith("_")}
            task = self.task_class(self.model, stored["frame_skip"], **options)
            task.init_qpos, task.init_qvel = stored["init_qpos"], stored["init_qvel"]
            self._use(task)
        self._view = self.task.view(self._data)
        self._has_readers = True
        return attributes[name]

    def _replace_simulation(self) -> None:
        if "task" in vars(self):
            self.task.set_model(self.model)
            self._view = self.task.view(self._data)

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore = getattr(super(), "__setstate__", vars(self).update)
        restore(state)
        self._view = self.task.view(self._data)  # the copies of the arrays are not views of the copied simulation

    def _get_obs(self) -> NDArray[Any]:
        """Return the observation."""
        return self.task.observe(self._view)

    def _call_task(self, method: str, *args: Any) -> Any:
        """Call a method of the task's class, which the subclass's overriding member does not replace."""
        return getattr(type(self.task), method)(self.task, self._view, *args)

    def _get_rew(self, *args: Any) -> tuple[Any, dict[str, Any]]:
        """Return the reward and its terms.

        Args:
            *args: what the reward depends on. For most tasks, this is the x velocity and the action.
        """
        return self._call_task("reward_terms", *args)  # type: ignore[no-any-return]

    def control_cost(self, action: NDArray[Any]) -> Any:
        """Return the cost of an action."""
        return self._call_task("control_cost", action)

    @property
    def is_healthy(self) -> Any:
        """Whether the state is healthy. Only tasks with healthy and unhealthy states have this attribute."""
        return self._call_task("is_healthy")

    @property
    def healthy_reward(self) -> Any:
        """The reward for a healthy state. Only tasks with healthy and unhealthy states have this attribute."""
        return self._call_task("survival_reward")

    @property
    def contact_forces(self) -> Any:
        """The clipped contact forces. Only Ant has this attribute."""
        return self._call_task("contact_forces")

    @property
    def contact_cost(self) -> Any:
        """The cost of the contact forces. Only Ant and Humanoid have this attribute."""
        return self._call_task("contact_cost")

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], Any, bool, bool, dict[str, Any]]:
        """Perform an action, and simulate `frame_skip` steps.

        Raises:
            InvalidAction: if the action has the wrong shape.
        """
        task, data = self.task, self._view
        before = task.measure(data)
        self.do_simulation(action, task.frame_skip)
        observation = self._get_obs()
        reward, is_over, info = task.evaluate(before, data, action)
        if self.render_mode == "human":
            self.render()
        return observation, reward, bool(is_over), False, info

    def reset_model(self) -> NDArray[Any]:
        """Sample the initial state of the episode, and return the observation."""
        self.set_state(*self.task.sample_state(self.np_random))
        return self._get_obs()

    def _get_reset_info(self) -> dict[str, Any]:
        return self.task.reset_info(self._view)


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
        rendering = {name: kwargs.pop(name) for name in RENDERING if name in kwargs}
        task = self.task_class(**kwargs)
        config = task.camera if default_camera_config is None else default_camera_config
        options = {"width": 480, "height": 480, "default_cam_config": config, **rendering}
        super().__init__(task, num_envs, max_episode_steps, autoreset_mode, render_mode, options, num_threads, copy)
        self.metadata = {**self.metadata, "render_fps": int(np.round(1.0 / task.dt))}
