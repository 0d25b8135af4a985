"""The base classes for this plugin's tasks, `Task` and `NoisyTask`, and functions that several tasks use."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np
from numpy.lib.stride_tricks import as_strided

from gymkernel_env_mujoco.model_task import find_model, load_model
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    State = tuple[NDArray[np.float64], NDArray[np.float64]]

add, square = np.add.reduce, np.square

__all__ = ["NoisyTask", "Task", "flatten", "joint_memory", "norm", "planar_root", "sum_of_squares", "tracking_camera"]


@dataclass(eq=False, repr=False)
class Task:
    """A base class for this plugin's tasks. `MujocoTask` describes the methods and their argument `data`.

    The methods receive the result of `view` as `data`. A coordinate, such as `data.coordinates[0]`, is a number for a
    single simulation, and an array for several simulations. Numbers are faster than arrays without dimensions.

    Args:
        xml_file: the path of a model file that replaces the default model, or None.
        frame_skip: the number of simulation steps per environment step.

    Attributes:
        init_qpos: the initial positions of an episode, before noise is added.
        init_qvel: the initial velocities of an episode, before noise is added.
    """

    own_file: ClassVar[str]
    """The name of the default model."""
    fields: ClassVar[tuple[str, ...]] = ("qpos", "qvel")
    post_constraint = False
    camera: ClassVar[dict[str, Any] | None] = None
    """The attributes of the default camera, or None."""
    bodies: ClassVar[tuple[str, ...]] = ()
    """The names of bodies whose ids the task needs."""
    excluded_positions: ClassVar[int | None] = None
    """How many positions the observation can exclude, or None if it contains functions of the positions."""

    xml_file: str | None = None
    frame_skip: int = 5

    def __post_init__(self) -> None:
        own, excluded = self.own_file, self.excluded_positions
        self.set_model(load_model(find_model(own if self.xml_file is None else self.xml_file)))
        self._first = None if excluded is None else excluded * vars(self)["exclude_current_positions_from_observation"]
        data = mujoco.MjData(self.model)
        self.init_qpos, self.init_qvel = data.qpos.copy(), data.qvel.copy()
        mujoco.mj_forward(self.model, data)
        self.observation_space = Box(-np.inf, np.inf, self.observe(self.view(data)).shape, np.float64)
        low, high = self.model.actuator_ctrlrange.astype(np.float32).T
        self.action_space = Box(low, high, dtype=np.float32)

    def set_model(self, model: Any) -> None:
        """Use a model, which can replace an earlier model of the same kind of robot."""
        self.model, self._options = model, model.opt
        self._bodies = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) for name in self.bodies]

    def view(self, data: Any) -> Any:
        """Return an object with the fields that the task reads, as arrays.

        Its attributes are faster to read than those of an `MjData`. The additional attribute `coordinates` contains the
        positions with the axis of the coordinates first, and `shown` contains the positions in the observation. For a
        single simulation, `memory[observed]` is a copy of `shown` and the velocities.
        """
        fields = {name: getattr(data, name) for name in self.fields}
        is_single = data.qpos.ndim == 1
        memory, observed = joint_memory(data.qpos, data.qvel, self._first or 0) if is_single else (None, None)
        shown = data.qpos[..., self._first :]
        return SimpleNamespace(**fields, coordinates=data.qpos.T, shown=shown, memory=memory, observed=observed)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_options"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._options = self.model.opt  # a part of the model, so it must not be copied separately

    @property
    def dt(self) -> float:
        """The time between two actions in s."""
        return self._options.timestep * self.frame_skip  # type: ignore[no-any-return]

    def observe(self, data: Any) -> NDArray[Any]:
        """Return the positions, by default without those that the observation can exclude, and the velocities."""
        if data.memory is None:
            return np.concatenate((data.shown, data.qvel), axis=-1)
        return data.memory[data.observed]  # type: ignore[no-any-return]

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

    def measure(self, data: Any) -> Any:
        """Return what `evaluate` needs to know about the state before the step, or None."""
        return None

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        raise NotImplementedError

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return the info of a reset."""
        return {}


class NoisyTask(Task):
    """A task that adds noise to the initial state of the model. The arguments are those of `Task`.

    Attributes:
        reset_noise_scale: the scale of the noise that is added to the initial state.
    """

    reset_noise_scale: float
    has_normal_velocities = False
    """Whether the noise of the velocities has a normal distribution. All other noise has a uniform distribution."""

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the initial positions and velocities of an episode."""
        noise = self.reset_noise_scale
        qpos = self.init_qpos + np_random.uniform(-noise, noise, self.model.nq)
        if self.has_normal_velocities:
            return qpos, self.init_qvel + noise * np_random.standard_normal(self.model.nv)
        return qpos, self.init_qvel + np_random.uniform(-noise, noise, self.model.nv)


def joint_memory(qpos: NDArray[np.float64], qvel: NDArray[np.float64], first: int) -> tuple[Any, NDArray[np.intp]]:
    """Return an array over the memory of positions and velocities, and the indices of the elements to copy.

    An `MjData` keeps all of its arrays in one block of memory, with gaps between them, so one indexing operation can
    copy both.

    Args:
        qpos: the positions of a single simulation.
        qvel: the velocities of the same simulation.
        first: the index of the first position to copy.
    """
    step = qpos.itemsize
    start = (qvel.__array_interface__["data"][0] - qpos.__array_interface__["data"][0]) // step
    memory = as_strided(qpos, (start + len(qvel),), (step,), writeable=False)
    return memory, np.r_[first : len(qpos), start : start + len(qvel)]


def tracking_camera(body: int, distance: float, height: float) -> dict[str, Any]:
    """Return the attributes of a camera that follows a body. The distance and the initial height are in m."""
    return {"trackbodyid": body, "distance": distance, "lookat": np.array((0.0, 0.0, height)), "elevation": -20.0}


def sum_of_squares(values: Any) -> Any:
    """Return the sum of the squares along the last axis."""
    return add(square(values), -1)


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
