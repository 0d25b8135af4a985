"""The class `MujocoRenderer`, which draws a simulation as images or in a window."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import mujoco

from gymkernel import logger
from gymkernel.error import UnsupportedMode
from gymkernel_env_mujoco.contexts import in_other_process
from gymkernel_env_mujoco.viewers import FREE, IMAGE_MODES, BaseRender, OffScreenViewer, configure_camera, set_camera
from gymkernel_env_mujoco.window import WindowViewer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BaseRender", "MujocoRenderer", "OffScreenViewer", "WindowViewer"]


class MujocoRenderer:
    """A renderer that draws a simulation as images or in a window.

    The OpenGL contexts are opened when the first image is drawn. In a forked process, the renderer opens its own
    contexts.

    Args:
        model: the model.
        data: the simulation to draw.
        default_cam_config: values for attributes of the camera, such as `distance`, `azimuth`, `elevation` and
            `lookat`.
        width: the width of the images in pixels. In "human" mode, None means half the width of the screen.
        height: the height of the images in pixels. In "human" mode, None means half the height of the screen.
        max_geom: the maximum number of shapes in an image.
        camera_id: the id of a camera in the model, or -1 for the free camera, which is the default.
        camera_name: the name of a camera in the model, as an alternative to `camera_id`.
        visual_options: values for flags of `MjvOption`. The keys are members of `mujoco.mjtVisFlag`.

    Attributes:
        viewer: the viewer that drew the last image, or None.

    Raises:
        ValueError: if both `camera_id` and `camera_name` are given, or if the model has no camera with this id.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        default_cam_config: Mapping[str, Any] | None = None,
        width: int | None = None,
        height: int | None = None,
        max_geom: int = 1000,
        camera_id: int | None = None,
        camera_name: str | None = None,
        visual_options: Mapping[int, bool] | None = None,
    ) -> None:
        self.model, self.data = model, data
        self.default_cam_config = default_cam_config
        self.width, self.height, self.max_geom = width, height, max_geom
        self.camera_id = find_camera(model, camera_id, camera_name)
        self.viewer: Any = None
        self._vopt = visual_options or {}
        self._viewers: dict[str, Any] = {}
        self._pid = os.getpid()

    def render(self, render_mode: str | None) -> Any:
        """Draw the current state of the simulation.

        Args:
            render_mode: "human", "rgb_array", "depth_array" or "rgbd_tuple".

        Returns:
            None in "human" mode, which shows the state in a window. In the other modes, the result of
            `OffScreenViewer.render`.

        Raises:
            DependencyNotInstalled: if OpenGL is not installed, or if there is no display for a window.
            UnsupportedMode: if the render mode is not supported.
        """
        viewer = self._get_viewer(render_mode)
        return viewer.render() if render_mode == "human" else viewer.render(render_mode, camera_id=self.camera_id)

    def _get_viewer(self, render_mode: str | None) -> Any:
        """Return the viewer for a render mode, opening it if necessary. Other libraries call this method."""
        if in_other_process(self._pid):
            self.close()
            self._pid = os.getpid()
        kind = "image" if render_mode in IMAGE_MODES else str(render_mode)
        self.viewer = self._viewers.get(kind)
        if self.viewer is None:
            self.viewer = self._viewers[kind] = self._new_viewer(kind)
            configure_camera(self.viewer.cam, self.default_cam_config)
        self.viewer.make_context_current()
        return self.viewer

    def _new_viewer(self, kind: str) -> Any:
        arguments: tuple[Any, ...] = self.model, self.data, self.width, self.height, self.max_geom, self._vopt
        if kind == "human":
            viewer = WindowViewer(*arguments)
            set_camera(viewer.cam, self.camera_id)
            return viewer
        if kind == "image":
            return OffScreenViewer(*arguments)
        raise UnsupportedMode(f"Expected render_mode to be one of {', '.join(('human', *IMAGE_MODES))}, got {kind}")

    def close(self) -> None:
        """Close the windows, and free the OpenGL contexts. The next image opens new contexts."""
        viewers, self._viewers, self.viewer = self._viewers, {}, None
        for viewer in viewers.values():
            viewer.close()


def find_camera(model: Any, camera_id: int | None, camera_name: str | None) -> int:
    """Return the id of the camera that the arguments of an environment select.

    Raises:
        ValueError: if both arguments are given, or if the model has no camera with this id.
    """
    if camera_id is not None and camera_name is not None:
        raise ValueError(f"Expected camera_id or camera_name, got both ({camera_id!r} and {camera_name!r})")
    if camera_id is not None:
        if not FREE <= camera_id < model.ncam:
            raise ValueError(
                f"Expected camera_id to be between -1 (free camera) and {model.ncam - 1}, got {camera_id!r}"
            )
        return camera_id
    if camera_name is None:
        return FREE
    found = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, camera_name))
    if found == FREE:
        names = ", ".join(repr(model.camera(i).name) for i in range(model.ncam)) or "none"
        logger.warn(
            f"The model has no camera {camera_name!r}, so the free camera is used; the names of its cameras: {names}"
        )
    return found
