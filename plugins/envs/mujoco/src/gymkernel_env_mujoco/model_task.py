"""The class `ModelTask`, which turns a user's own model into a vector environment, and functions that load models."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from gymkernel_env_mujoco.vector import MujocoVectorEnv
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    State = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["ModelTask", "find_model", "load_model"]

MODELS: tuple[str, ...] = ("ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum")
MODELS += ("inverted_pendulum", "pusher_v5", "reacher", "swimmer", "walker2d_v5")
"""The names of Gymnasium's model files, without the extension. The module of each environment defines its model."""


class ModelTask:
    """A task that is defined by a model and a few functions.

    The same functions are used for single simulations and for many simulations at once. Their argument `data` has the
    fields of `MjData` as attributes, for example `data.qpos`. If there are several simulations, the first axis of each
    field is the index of the simulation. For this reason, a function must index the last axes (`data.qpos[..., 0]`) and
    reduce over the last axis (`axis=-1`).

    Args:
        model: an `MjModel`, the path of a model file, or the text of a model in MJCF.
        frame_skip: the number of simulation steps per environment step.
        observation: a function that takes `data` and returns the observation as a new array.
        reward: a function that takes `data` before the step, `data` after the step, and the action, and returns the
            reward.
        termination: a function that takes `data` and returns whether the episode ends. By default, only the time limit
            ends an episode.
        info: a function that takes `data` and returns the info, which is empty by default.
        sample_state: a function that takes a random number generator and returns the positions and velocities in which
            an episode starts. By default, an episode starts in the model's initial state with uniform noise.
        reset_noise: the largest absolute value of the noise, for positions in m or rad, and for velocities in m/s or
            rad/s.
        fields: the names of the fields of `MjData` that the functions read.
        post_constraint: whether to call `mj_rnePostConstraint` after each step, which computes `cacc`, `cfrc_int` and
            `cfrc_ext`.

    >>> cart = ModelTask(
    ...     '<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>'
    ...     '<actuator><motor joint="x" ctrlrange="-1 1"/></actuator></mujoco>',
    ...     frame_skip=5,
    ...     observation=lambda data: np.concatenate((data.qpos, data.qvel), axis=-1),
    ...     reward=lambda before, data, action: data.qpos[..., 0] - before.qpos[..., 0],
    ...     termination=lambda data: abs(data.qpos[..., 0]) > 2,
    ... )
    >>> envs = cart.make_vec(3, max_episode_steps=100)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.float32([[1], [0], [-1]]))
    >>> (rewards > 0).tolist(), terminations.tolist()
    ([True, False, False], [False, False, False])
    >>> envs.close()
    """

    def __init__(
        self,
        model: Any,
        *,
        frame_skip: int,
        observation: Callable[[Any], NDArray[Any]],
        reward: Callable[[Any, Any, NDArray[Any]], Any],
        termination: Callable[[Any], Any] | None = None,
        info: Callable[[Any], dict[str, Any]] | None = None,
        sample_state: Callable[[np.random.Generator], State] | None = None,
        reset_noise: float = 0.0,
        fields: Sequence[str] = ("qpos", "qvel"),
        post_constraint: bool = False,
    ) -> None:
        self.model, self.frame_skip = load_model(model), frame_skip
        self.fields, self.post_constraint = tuple(fields), post_constraint
        self.observe, self._reward, self._termination = observation, reward, termination
        self._info, self._sample_state, self._reset_noise = info, sample_state, reset_noise
        data = mujoco.MjData(self.model)
        self._qpos = data.qpos.copy()
        mujoco.mj_forward(self.model, data)
        example = np.asarray(observation(data))
        self.observation_space = Box(-np.inf, np.inf, example.shape, example.dtype.type)
        low, high = self.model.actuator_ctrlrange.astype(np.float32).T
        limited = self.model.actuator_ctrllimited.astype(bool)
        self.action_space = Box(np.where(limited, low, -np.inf), np.where(limited, high, np.inf), dtype=np.float32)

    def view(self, data: Any) -> Any:
        """Return `data`, because the functions can read every field."""
        return data

    def sample_state(self, np_random: np.random.Generator) -> State:
        """Sample the initial positions and velocities of an episode."""
        if self._sample_state is not None:
            return self._sample_state(np_random)
        noise = self._reset_noise
        qpos = self._qpos + np_random.uniform(-noise, noise, self.model.nq)
        return qpos, np_random.uniform(-noise, noise, self.model.nv)

    def measure(self, data: Any) -> Any:
        """Return a copy of the fields, which the reward function receives as the state before the step."""
        return SimpleNamespace(**{name: np.array(getattr(data, name)) for name in self.fields})

    def evaluate(self, before: Any, data: Any, action: NDArray[Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Return the reward of a step, whether the episode ends, and the info."""
        is_over = False if self._termination is None else self._termination(data)
        return self._reward(before, data, action), is_over, self.reset_info(data)

    def reset_info(self, data: Any) -> dict[str, Any]:
        """Return the info of a step or a reset."""
        return {} if self._info is None else self._info(data)

    def make_vec(self, num_envs: int = 1, **kwargs: Any) -> MujocoVectorEnv:
        """Create a vector environment. An `EnvSpec` can use this method as its `vector_entry_point`.

        Args:
            num_envs: the number of environments.
            **kwargs: other arguments of `MujocoVectorEnv`.
        """
        return MujocoVectorEnv(self, num_envs, **kwargs)


def find_model(name: Any) -> Any:
    """Return this plugin's model with the given name or the path of a file. Return any other object unchanged.

    As in Gymnasium, the name of one of Gymnasium's model files without a folder, such as "ant.xml" or "point.xml",
    refers to this model. This plugin contains the models of its environments; for other models, Gymnasium must be
    installed. A "~" at the beginning of a path is replaced with the user's home directory.
    """
    if not isinstance(name, str):
        return name
    stem = name.removesuffix(".xml")
    if stem not in MODELS or stem == name:
        # Subclasses pass the path to MuJoCo, which requires a string.
        return _find_in_gymnasium(name) or os.path.expanduser(name)  # noqa: PTH111
    module = import_module(f"{__package__}.{stem.removesuffix('_v5')}_v5")
    return getattr(module, "compiled", module.model)()


def _find_in_gymnasium(name: str) -> str | None:
    """Return the path of Gymnasium's model file with the given name, or None if there is no such file."""
    library = find_spec("gymnasium") if name.endswith(".xml") and os.path.basename(name) == name else None  # noqa: PTH119
    folders = (library and library.submodule_search_locations) or []
    paths = [Path(folder, "envs", "mujoco", "assets", name) for folder in folders]
    return next((str(path) for path in paths if path.is_file()), None)


def load_model(model: Any) -> Any:
    """Load a model from a file or from a text in MJCF. Return an `MjModel` unchanged.

    Raises:
        FileNotFoundError: if there is no file at the path.
    """
    if isinstance(model, mujoco.MjModel):
        return model
    if isinstance(model, str) and model.lstrip().startswith("<"):
        return mujoco.MjModel.from_xml_string(model)
    path = Path(model).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"Expected the path of a model or the text of a model in MJCF, got {model!r}")
    return mujoco.MjModel.from_xml_path(str(path))
