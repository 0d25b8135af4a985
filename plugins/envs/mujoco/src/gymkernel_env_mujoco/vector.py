"""The class `MujocoVectorEnv`, which steps many copies of a MuJoCo environment at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gymkernel import logger
from gymkernel.error import ClosedEnvironmentError, InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.infos import batch_infos
from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode
from gymkernel_env_mujoco.simulations import BatchedSimulations, Simulations, ThreadedSimulations
from gymkernel_util_vector.native import NativeVectorEnv, Step, positive
from gymkernel_wrapper_time_limit import limit_info

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Info, Mask, Options, Seed
    from gymkernel_env_mujoco.mujoco_rendering import MujocoRenderer
    from gymkernel_util_vector.native import Indexes

__all__ = ["MujocoTask", "MujocoVectorEnv"]

IMAGE_MODES = "rgb_array", "depth_array", "rgbd_tuple"


class MujocoTask(Protocol):
    """The protocol of a task, which computes observations, rewards and terminations from a simulation.

    The argument `data` is an `MjData`, or an object whose attributes are the fields of several simulations. In the
    second case, the first axis of each field is the index of the simulation. Functions that index the last axes, such
    as `data.qpos[..., 2:]`, work in both cases.

    Attributes:
        model: the model.
        frame_skip: the number of simulation steps per environment step.
        post_constraint: whether a function reads a field that `mj_rnePostConstraint` computes, such as `cfrc_ext`.
        observation_space: the space of the observations of a single environment.
        action_space: the space of the actions of a single environment.
    """

    model: Any
    frame_skip: int
    post_constraint: bool
    observation_space: Any
    action_space: Any

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields of `MjData` that the functions read."""

    def view(self, data: Any) -> Any:
        """Return the object that the methods below receive as `data`, which can be `data` itself."""

    def sample_state(self, np_random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sample the initial positions and velocities of an episode."""

    def measure(self, data: Any) -> Any:
        """Return what `evaluate` needs to know about the state before the step, such as a position, or None."""

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the observation as a new array."""

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info.

        `before` is the result of `measure` before the step.
        """

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return the info of a reset."""


class MujocoVectorEnv(NativeVectorEnv["NDArray[Any]", "NDArray[Any]"]):
    """A vector environment that steps the simulations of all environments on several threads.

    Environment i behaves like a single environment that is reset with the seed `seed + i` or, if a sequence of seeds is
    passed, with item i of the sequence. The results are the same bit for bit, for any number of threads.

    By default, one native call steps all simulations. Environments that return images, and environments
    whose observations contain contact forces, use Python threads instead.

    Args:
        task: the functions that compute observations, rewards and terminations.
        num_envs: the number of environments.
        max_episode_steps: the number of steps after which an episode is truncated. None or -1 means no limit.
        autoreset_mode: the mode that determines when the next episode of an environment starts.
        render_mode: "rgb_array", "depth_array", "rgbd_tuple" or None.
        render_options: the arguments of `MujocoRenderer`, such as `width` and `camera_id`.
        num_threads: the number of threads. By default, there are as many threads as cores, but only one thread in a
            process that `multiprocessing` has started, for example in a worker of `AsyncVectorEnv`.
        copy: whether `reset` and `step` return new arrays. Otherwise, the next call overwrites the observations.

    Raises:
        ValueError: if `num_envs`, `num_threads` or `max_episode_steps` is not a positive integer.
        UnsupportedMode: if the render mode is not supported.
    """

    step_type = np.int32
    metadata: dict[str, Any] = {  # noqa: RUF012 - VectorEnv declares it without ClassVar
        "render_modes": list(IMAGE_MODES),
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: MujocoTask,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        render_options: Mapping[str, Any] | None = None,
        num_threads: int | None = None,
        copy: bool = True,
    ) -> None:
        if render_mode not in {None, *IMAGE_MODES}:
            raise UnsupportedMode(
                f"Expected render_mode to be None or one of {', '.join(IMAGE_MODES)}, got {render_mode!r}; "
                "vectorization_mode='sync' supports the render modes of the single environment"
            )
        spaces = task.observation_space, task.action_space
        self._initialize(num_envs, max_episode_steps, autoreset_mode, spaces, self.metadata)
        self.num_threads = None if num_threads is None else positive("num_threads", num_threads)
        self.render_mode, self._render_options = render_mode, dict(render_options or {})
        self.task = task
        self._copy = copy
        self._buffer: NDArray[Any] | None = None
        self._simulations: Simulations | None = None
        self._generators: list[np.random.Generator] | None = None
        self._seeds: list[int] = []
        self._renderer: MujocoRenderer | None = None
        self._cameras: list[Any] = []

    @property
    def simulations(self) -> Simulations:
        """The simulations, which are created when this property is first used."""
        if self._simulations is None:
            if self.closed:
                raise ClosedEnvironmentError(f"{self} was closed; call make_vec again")
            task = self.task
            if task.post_constraint or self.render_mode is not None:
                self._simulations = ThreadedSimulations(
                    task.model, self.num_envs, task.fields, self.num_threads, post_constraint=task.post_constraint
                )
            else:
                self._simulations = BatchedSimulations(task.model, self.num_envs, task.fields, self.num_threads)
            self.data = task.view(SimpleNamespace(**self._simulations.fields))
        return self._simulations

    @property
    def np_random(self) -> Any:
        """The random number generators of the environments."""
        if self._generators is None:
            self._seed(self._everyone, [None] * self.num_envs)
        return tuple(self._generators or ())

    @np_random.setter
    def np_random(self, value: Any) -> None:
        self._generators, self._seeds = list(value), [-1] * self.num_envs

    @property
    def np_random_seed(self) -> Any:
        """The seeds of the random number generators."""
        return tuple(self._seeds) if self.np_random else ()

    def _seed(self, starting: Indexes, env_seeds: list[int | None]) -> None:
        """Seed the generators of the given environments. An environment whose seed is None keeps its generator."""
        chosen = set(starting.tolist())
        wanted = [value if i in chosen else None for i, value in enumerate(env_seeds)]
        if self._generators is None:
            new = [seeding.np_random(value) for value in wanted]
            self._generators, self._seeds = [generator for generator, _ in new], [value for _, value in new]
            return
        for i, value in enumerate(wanted):
            if value is not None:
                self._generators[i], self._seeds[i] = seeding.np_random(value)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[NDArray[Any], Info]:
        """Reset every environment, or only the environments that `options["reset_mask"]` selects.

        Other options have no effect.
        """
        observations, infos = super().reset(seed=seed, options=options)
        observations[self._episodes.unstarted] = 0
        return observations, infos

    def _begin(self, starting: Indexes) -> dict[str, Any]:
        """Start an episode in each of the given environments, and return the infos of all environments."""
        generators: Any = self._generators
        states = [self.task.sample_state(generators[i]) for i in starting.tolist()]
        qpos, qvel = (np.array(values) for values in zip(*states, strict=True))
        self.simulations.reset(starting, qpos, qvel)
        self.steps[starting] = 0
        return self.task.reset_info(self.data)

    def _observations(self) -> NDArray[Any]:
        observations = self.task.observe(self.data)
        if self._copy:
            return observations
        if self._buffer is None:
            self._buffer = np.empty_like(observations)
        np.copyto(self._buffer, observations)
        return self._buffer

    def _batch_infos(self, parts: list[tuple[Indexes, Any]]) -> dict[str, Any]:
        ((where, info),) = parts  # only `reset` calls this method
        mask = np.zeros(self.num_envs, np.bool_)
        mask[where] = True
        return _merge_infos((mask, info))

    def parse_actions(self, actions: ArrayLike) -> NDArray[Any]:
        """Check that a batch contains an action for each environment, and convert it to an array."""
        array, shape = np.asarray(actions), self.action_space.shape
        if array.shape != shape or array.dtype.kind not in "fiub":
            raise InvalidAction(
                f"Expected the actions to be numbers in an array of shape {shape}, got {array.dtype} of shape "
                f"{array.shape}"
            )
        return array

    def _step(self, actions: NDArray[Any], mask: Mask | None) -> Step:
        self._episodes.check_ready(mask)
        starting, acting = self._episodes.plan_step(mask)
        task, data, simulations = self.task, self.data, self.simulations
        before = _copied(task.measure(data))
        acted = np.ones(self.num_envs, np.bool_) if acting is ... else acting
        ids = None if acting is ... else np.flatnonzero(acted)
        simulations.step(actions, task.frame_skip, ids)
        reward, is_over, info = task.evaluate(before, data, actions)
        rewards: NDArray[np.float64] = np.empty(self.num_envs)
        terminated: Mask = np.empty(self.num_envs, np.bool_)
        rewards[:], terminated[:] = reward, is_over
        self.steps += acted
        truncated = self.steps >= self.max_episode_steps
        if ids is not None:
            rest = ~acted
            rewards[rest], terminated[rest], truncated[rest] = 0.0, False, False
        if starting is not None:
            info = _copied(info)  # the next line changes the simulations
            started = self._begin(np.flatnonzero(starting))
        observations = self._observations()
        _, restarted = self._episodes.finish_step(terminated, truncated, mask)
        parts = [(acted, info), (truncated, limit_info(~terminated))]
        if restarted is not None:
            infos = self._restart(observations, parts, restarted)
        elif starting is not None:
            infos = _merge_infos(*parts, (starting, started))
        else:
            infos = _merge_infos(*parts)
        return observations, rewards, terminated, truncated, infos

    def _restart(
        self, observations: NDArray[Any], parts: list[tuple[Mask, dict[str, Any]]], done: Mask
    ) -> dict[str, Any]:
        """Reset the environments whose episodes ended in this step, and return the infos of the step."""
        infos = batch_infos(
            [(i, {"final_obs": observations[i].copy()}) for i in np.flatnonzero(done).tolist()], self.num_envs
        )
        infos["final_info"] = _merge_infos(*[(mask & done, info) for mask, info in parts])
        infos["_final_info"] = done.copy()
        others = [(mask & ~done, _copied(info)) for mask, info in parts]
        started = self._begin(np.flatnonzero(done))
        observations[done] = self.task.observe(self.data)[done]
        return infos | _merge_infos(*others, (done, started))

    def render(self) -> tuple[Any, ...] | None:
        """Render every environment, and return a tuple with one image for each.

        Raises:
            DependencyNotInstalled: if no OpenGL library is installed.
            ResetNeeded: if the environments have not been reset yet.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array" to make_vec')
            return None
        datas: Any = getattr(self._simulations, "datas", None)
        if datas is None or self._episodes.unstarted.any():
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._renderer is None:
            self._open_renderer(datas)
        return tuple([self._render_one(data, camera) for data, camera in zip(datas, self._cameras, strict=True)])

    def _open_renderer(self, datas: list[Any]) -> None:
        from gymkernel_env_mujoco.mujoco_rendering import MujocoRenderer
        from gymkernel_env_mujoco.viewers import configure_camera, new_camera

        renderer = self._renderer = MujocoRenderer(self.task.model, datas[0], **self._render_options)
        # Each environment has the camera that a single environment would have.
        self._cameras = [new_camera(self.task.model, data) for data in datas]
        for camera in self._cameras:
            configure_camera(camera, renderer.default_cam_config)

    def _render_one(self, data: Any, camera: Any) -> Any:
        renderer: Any = self._renderer
        viewer = renderer._get_viewer(self.render_mode)  # noqa: SLF001 - the name is known to other libraries
        viewer.data, viewer.cam = data, camera
        return renderer.render(self.render_mode)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, and free the simulations and the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if self._simulations is not None:
            self._simulations.close()
            self._simulations = None


def _copied(value: Any) -> Any:
    """Copy all arrays, including those in a dictionary or tuple, because the simulations overwrite their fields."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple([_copied(item) for item in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def _merge_infos(*parts: tuple[Mask, Mapping[str, Any]]) -> Info:
    """Combine several infos that contain values for all environments but apply only to those that a mask selects."""
    infos: Info = {}
    for mask, info in parts:
        count = np.count_nonzero(mask)
        if not count:
            continue
        is_whole = count == len(mask)
        for key, value in info.items():
            values = np.asarray(value)
            if is_whole:
                infos[key], infos[f"_{key}"] = values.copy(), mask.copy()
            elif key in infos:
                infos[key][mask] = values[mask]
                infos[f"_{key}"] |= mask
            else:
                infos[key] = np.zeros_like(values)
                infos[key][mask], infos[f"_{key}"] = values[mask], mask.copy()
    return infos
