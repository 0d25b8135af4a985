"""The class `MujocoEnv`, a base class for single MuJoCo environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from gymkernel.env import Env
from gymkernel.error import InvalidAction, UnsupportedMode
from gymkernel_env_mujoco.model_task import find_model, load_model
from gymkernel_env_mujoco.mujoco_rendering import MujocoRenderer
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gymkernel.protocols import Info, Options
    from gymkernel.space import Space

__all__ = ["DEFAULT_SIZE", "MujocoEnv"]

DEFAULT_SIZE = 480
"""The default width and height of images in pixels."""


class MujocoEnv(Env["NDArray[Any]", "NDArray[Any]"]):
    """A base class for single MuJoCo environments.

    A subclass defines `step`, which calls `do_simulation`, and `reset_model`, which calls `set_state` and returns the
    observation.

    Args:
        model_path: the path of a model file, text in MJCF, an `MjModel`, or the name of a model of this plugin, such as
            "half_cheetah.xml".
        frame_skip: the number of simulation steps per environment step.
        observation_space: the observation space. If None, the subclass sets the attribute later.
        render_mode: "human", "rgb_array", "depth_array", "rgbd_tuple" or None.
        width: the width of images in pixels.
        height: the height of images in pixels.
        camera_id: the id of the camera, or -1 for the free camera, which is the default.
        camera_name: the name of the camera, as an alternative to `camera_id`.
        default_camera_config: attributes of the free camera, such as `distance`.
        max_geom: the maximum number of shapes in an image.
        visual_options: values for flags of `MjvOption`.

    Attributes:
        model: the `MjModel`.
        init_qpos: the initial positions of the model.
        init_qvel: the initial velocities of the model.

    Raises:
        UnsupportedMode: if the render mode is not supported.
        ValueError: if `metadata` contains a `render_fps` that differs from the number of steps per simulated second.
        FileNotFoundError: if there is no file at the path.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"]}  # noqa: RUF012 - Env declares it without ClassVar

    _has_readers = False
    """Whether code outside this class may hold the `MjData`, so that each step must compute all of its fields."""
    _is_outdated = False
    """Whether the fields that `mj_rnePostConstraint` computes belong to the state before the last step."""

    def __init__(
        self,
        model_path: Any,
        frame_skip: int,
        observation_space: Space[Any] | None,
        render_mode: str | None = None,
        width: int = DEFAULT_SIZE,
        height: int = DEFAULT_SIZE,
        camera_id: int | None = None,
        camera_name: str | None = None,
        default_camera_config: Mapping[str, Any] | None = None,
        max_geom: int = 1000,
        visual_options: Mapping[int, bool] | None = None,
    ) -> None:
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise UnsupportedMode(f"Expected render_mode to be None or one of {', '.join(modes)}, got {render_mode!r}")
        self.width, self.height = width, height
        self.fullpath = find_model(model_path)
        self.model, self._data = self._initialize_simulation()
        self.init_qpos, self.init_qvel = self._data.qpos.copy(), self._data.qvel.copy()
        self.frame_skip = frame_skip
        self._check_fps()
        if observation_space is not None:
            self.observation_space = observation_space
        self._set_action_space()
        self.render_mode, self.camera_name, self.camera_id = render_mode, camera_name, camera_id
        self.mujoco_renderer = MujocoRenderer(
            self.model,
            self._data,
            default_camera_config,
            width,
            height,
            max_geom,
            camera_id,
            camera_name,
            visual_options,
        )

    def _check_fps(self) -> None:
        fps, expected = self.metadata.get("render_fps"), int(np.round(1.0 / self.dt))
        if fps is not None and fps != expected:
            raise ValueError(
                f"Expected metadata['render_fps'] to be {expected}, because a step takes {self.dt:g} s, got {fps!r}"
            )

    def _initialize_simulation(self) -> tuple[Any, Any]:
        """Load the model, and create its data."""
        model = load_model(self.fullpath)
        size = model.vis.global_
        size.offwidth, size.offheight = max(size.offwidth, self.width), max(size.offheight, self.height)
        return model, mujoco.MjData(model)

    def _set_action_space(self) -> Space[Any]:
        """Set the action space to the range of the controls."""
        low, high = self.model.actuator_ctrlrange.astype(np.float32).T
        self.action_space = Box(low, high, dtype=np.float32)
        return self.action_space

    @property
    def data(self) -> Any:
        """The `MjData`, which contains the state of the simulation.

        The forces that `mj_rnePostConstraint` computes, such as `cfrc_ext`, are computed when this property is first
        read, and in every step from then on.
        """
        if not self._has_readers:
            self._has_readers = True
            self._update_forces()
        return self._data

    @data.setter
    def data(self, data: Any) -> None:
        self._data, self._has_readers = data, True
        self._replace_simulation()

    def _replace_simulation(self) -> None:
        """Update what a subclass derives from `model` and `data` after a program has replaced them."""

    def _update_forces(self) -> None:
        if self._is_outdated:
            mujoco.mj_rnePostConstraint(self.model, self._data)
            self._is_outdated = False

    @property
    def dt(self) -> float:
        """The time between two actions in s."""
        return float(self.model.opt.timestep) * self.frame_skip

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[Any], Info]:
        """Reset the simulation, and start an episode with `reset_model`."""
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self._data)
        self._is_outdated = False
        observation = self.reset_model()
        info = self._get_reset_info()
        if self.render_mode == "human":
            self.render()
        return observation, info

    def reset_model(self) -> NDArray[Any]:
        """Set the initial state of an episode, and return the observation."""
        raise NotImplementedError

    def _get_reset_info(self) -> dict[str, Any]:
        """Return the info of a reset."""
        return {}

    def set_state(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> None:
        """Set the positions and velocities, and update everything that depends on them.

        Raises:
            ValueError: if an array has the wrong shape.
        """
        if np.shape(qpos) != (self.model.nq,) or np.shape(qvel) != (self.model.nv,):
            raise ValueError(
                f"Expected qpos and qvel to have the shapes ({self.model.nq},) and ({self.model.nv},), "
                f"got {np.shape(qpos)} and {np.shape(qvel)}"
            )
        self._update_forces()
        self._data.qpos[:], self._data.qvel[:] = qpos, qvel
        mujoco.mj_forward(self.model, self._data)

    def do_simulation(self, ctrl: NDArray[Any], n_frames: int) -> None:
        """Set the controls, and simulate the given number of steps.

        Raises:
            InvalidAction: if the controls have the wrong shape.
        """
        self._step_mujoco_simulation(ctrl, n_frames)

    def _step_mujoco_simulation(self, ctrl: NDArray[Any], n_frames: int) -> None:
        data = self._data
        controls = data.ctrl
        if (ctrl.shape if type(ctrl) is np.ndarray else np.shape(ctrl)) != controls.shape:
            raise InvalidAction(
                f"Action dimension mismatch. Expected an action of shape {controls.shape}, got {np.shape(ctrl)}"
            )
        controls[...] = ctrl
        mujoco.mj_step(self.model, data, n_frames)
        self._is_outdated = True
        if self._has_readers:
            self._update_forces()

    def render(self) -> Any:
        """Draw the current state in the environment's render mode. See `MujocoRenderer.render`."""
        return None if self.render_mode is None else self.mujoco_renderer.render(self.render_mode)

    def close(self) -> None:
        """Close the windows, and free the OpenGL contexts."""
        self.mujoco_renderer.close()

    def get_body_com(self, body_name: str) -> NDArray[np.float64]:
        """Return the position of a body."""
        return self._data.body(body_name).xpos  # type: ignore[no-any-return]

    def state_vector(self) -> NDArray[np.float64]:
        """Return the positions and velocities in one array."""
        return np.concatenate((self._data.qpos, self._data.qvel))
