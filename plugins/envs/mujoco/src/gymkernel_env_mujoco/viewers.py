"""The viewers, which draw a simulation into an OpenGL context, and functions that set their cameras."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from gymkernel.error import UnsupportedMode
from gymkernel_env_mujoco.contexts import (
    close_at_exit,
    forget,
    in_other_process,
    load_resources,
    open_context,
    release_contexts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

__all__ = ["FREE", "IMAGE_MODES", "BaseRender", "OffScreenViewer", "configure_camera", "new_camera", "set_camera"]

IMAGE_MODES = "rgb_array", "depth_array", "rgbd_tuple"
FREE = -1
"""The id of the free camera."""


class BaseRender:
    """A base class for viewers, which own an OpenGL context, a scene and a camera.

    Args:
        model: the model.
        data: the simulation to draw.
        width: the width of an image in pixels.
        height: the height of an image in pixels.
        max_geom: the maximum number of shapes in the scene.
        visual_options: values for the elements of `MjvOption.flags`.

    Attributes:
        cam: the camera, an `MjvCamera`.
        vopt: the visual options, an `MjvOption`.
        scn: the scene, an `MjvScene`.
    """

    framebuffer: Any

    def __init__(
        self,
        model: Any,
        data: Any,
        width: int,
        height: int,
        max_geom: int = 1000,
        visual_options: Mapping[int, bool] | None = None,
    ) -> None:
        self._open(model, width, height)
        self.model, self.data = model, data
        self.viewport = mujoco.MjrRect(0, 0, width, height)
        self.scn = mujoco.MjvScene(model, max_geom)
        self.cam = new_camera(model, data)
        self.vopt = mujoco.MjvOption()
        self.pert = mujoco.MjvPerturb()
        for flag, value in (visual_options or {}).items():
            self.vopt.flags[flag] = value
        self._markers: list[dict[str, Any]] = []
        self._overlays: dict[Any, list[str]] = {}
        self._pid = os.getpid()
        close_at_exit(self)
        self.make_context_current()
        self.con = load_resources(model)
        mujoco.mjr_setBuffer(self.framebuffer, self.con)

    def _open(self, model: Any, width: int, height: int) -> None:
        """Open the OpenGL context, if the subclass has not opened it yet."""

    def make_context_current(self) -> None:
        """Make this viewer's OpenGL context the current context of the thread."""
        raise NotImplementedError

    def add_overlay(self, gridpos: Any, text1: str, text2: str) -> None:
        """Add a line of text to the following images.

        Args:
            gridpos: the corner of the image, an `mjtGridPos`.
            text1: the text in the first column.
            text2: the text in the second column.
        """
        columns = self._overlays.setdefault(gridpos, ["", ""])
        columns[0] += f"{text1}\n"
        columns[1] += f"{text2}\n"

    def add_marker(self, **marker_params: Any) -> None:
        """Add a shape to the next image.

        Args:
            **marker_params: attributes of `MjvGeom`, such as `type`, `size`, `pos`, `mat`, `rgba` and `label`. By
                default, the marker is a white sphere at the origin with a radius of 0.01 m.
        """
        self._markers.append(marker_params)

    def draw(self) -> None:
        """Draw the current state of the simulation into the framebuffer.

        Raises:
            RuntimeError: if the scene has no room for the markers.
        """
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(self.model, self.data, self.vopt, self.pert, self.cam, everything, self.scn)
        for marker in self._markers:
            self._add_geom(**marker)
        self._markers.clear()
        mujoco.mjr_render(self.viewport, self.scn, self.con)
        font = mujoco.mjtFontScale.mjFONTSCALE_150
        for place, (first, second) in self._overlays.items():
            mujoco.mjr_overlay(font, place, self.viewport, first, second, self.con)

    def _add_geom(
        self,
        type: Any = mujoco.mjtGeom.mjGEOM_SPHERE,  # noqa: A002 - the name is MuJoCo's
        size: Any = (0.01, 0.01, 0.01),
        pos: Any = (0.0, 0.0, 0.0),
        mat: Any = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        rgba: Any = (1.0, 1.0, 1.0, 1.0),
        **attributes: Any,
    ) -> None:
        if self.scn.ngeom >= self.scn.maxgeom:
            raise RuntimeError(f"The scene has no room for a marker; increase max_geom, which is {self.scn.maxgeom}")
        geom = self.scn.geoms[self.scn.ngeom]
        sizes, position, rotation = np.zeros(3), np.asarray(pos, float), np.asarray(mat, float).ravel()
        sizes[: np.size(size)] = size
        mujoco.mjv_initGeom(geom, int(type), sizes, position, rotation, np.asarray(rgba, np.float32))
        for name, value in attributes.items():
            setattr(geom, name, value)
        self.scn.ngeom += 1

    def close(self) -> None:
        """Free the OpenGL context. In a forked process, leave the parent's context unchanged."""
        context, self.con = getattr(self, "con", None), None
        if in_other_process(getattr(self, "_pid", 0)):
            forget(context, *self._detach())
        elif context is not None:
            self.make_context_current()
            context.free()
            self._free()

    def _free(self) -> None:
        """Free the resources of a subclass."""
        raise NotImplementedError

    def _detach(self) -> tuple[Any, ...]:
        """Return the objects that must not be freed in a forked process, and remove them from this viewer."""
        raise NotImplementedError

    def __del__(self) -> None:
        # When the interpreter shuts down, the libraries are already unloaded, but `atexit` has closed the viewers.
        if not sys.is_finalizing():
            with suppress(Exception):
                self.close()


class OffScreenViewer(BaseRender):
    """A viewer that draws images without showing a window, using EGL, OSMesa or GLFW.

    The arguments are those of `BaseRender`.

    Raises:
        DependencyNotInstalled: if no OpenGL library is installed.
        ValueError: if `width` or `height` is not positive.
    """

    framebuffer = mujoco.mjtFramebuffer.mjFB_OFFSCREEN

    def _open(self, model: Any, width: int, height: int) -> None:
        if not (width and height and width > 0 and height > 0):
            raise ValueError(f"Expected width and height to be positive integers, got {width!r} and {height!r}")
        size = model.vis.global_
        size.offwidth, size.offheight = max(size.offwidth, width), max(size.offheight, height)
        self.opengl_context = open_context(width, height)

    def make_context_current(self) -> None:
        """Make this viewer's OpenGL context the current context of the thread."""
        release_contexts(except_for=self.opengl_context)
        self.opengl_context.make_current()

    def render(self, render_mode: str | None, camera_id: int | None = None, segmentation: bool = False) -> Any:
        """Draw an image.

        Args:
            render_mode: "rgb_array", "depth_array" or "rgbd_tuple".
            camera_id: the id of a camera in the model, or -1 for the free camera. By default, the camera is not
                changed.
            segmentation: whether to return the type and the id of the object at each pixel instead of colours.

        Returns:
            A uint8 array of shape (height, width, 3), a float32 array of shape (height, width) with values between 0
            (near) and 1 (far), or a tuple of both. With `segmentation`, the first array is an int32 array of shape
            (height, width, 2), with -1 where there is no object.

        Raises:
            UnsupportedMode: if the render mode is not supported.
        """
        if render_mode not in IMAGE_MODES:
            raise UnsupportedMode(f"Expected render_mode to be one of {', '.join(IMAGE_MODES)}, got {render_mode!r}")
        if camera_id is not None:
            set_camera(self.cam, camera_id)
        self.make_context_current()
        with self._segment_ids() if segmentation else nullcontext():
            self.draw()
        height, width = self.viewport.height, self.viewport.width
        colours = None if render_mode == "depth_array" else np.empty((height, width, 3), np.uint8)
        depths = None if render_mode == "rgb_array" else np.empty((height, width), np.float32)
        mujoco.mjr_readPixels(colours, depths, self.viewport, self.con)
        # OpenGL's first row is the bottom row.
        image = None if colours is None else colours[::-1].copy()
        depth = None if depths is None else depths[::-1].copy()
        if segmentation and image is not None:
            image = self._objects(image)
        return depth if image is None else image if depth is None else (image, depth)

    @contextmanager
    def _segment_ids(self) -> Iterator[None]:
        flags = mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR
        for flag in flags:
            self.scn.flags[flag] = 1
        yield
        for flag in flags:
            self.scn.flags[flag] = 0

    def _objects(self, image: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the type and id of the object at each pixel of an image whose colours encode segment ids."""
        objects = np.full((self.scn.ngeom + 1, 2), -1, np.int32)
        for geom in self.scn.geoms[: self.scn.ngeom]:
            if geom.segid != -1:
                objects[geom.segid + 1] = geom.objtype, geom.objid
        segments = image.astype(np.int64) @ (1, 2**8, 2**16)
        return objects[np.where(segments <= self.scn.ngeom, segments, 0)]

    def _free(self) -> None:
        self.opengl_context.free()

    def _detach(self) -> tuple[Any, ...]:
        return (self.__dict__.pop("opengl_context", None),)


def new_camera(model: Any, data: Any) -> Any:
    """Return a free camera that is aimed at the centre of the model."""
    camera = mujoco.MjvCamera()
    set_camera(camera, FREE)
    camera.lookat[:] = np.median(data.geom_xpos, axis=0)
    camera.distance = model.stat.extent
    return camera


def set_camera(camera: Any, camera_id: int) -> None:
    """Select a camera of the model, or the free camera if the id is -1."""
    kinds = mujoco.mjtCamera
    camera.type = kinds.mjCAMERA_FREE if camera_id == FREE else kinds.mjCAMERA_FIXED
    camera.fixedcamid = camera_id


def configure_camera(camera: Any, config: Mapping[str, Any] | None) -> None:
    """Set the attributes of a camera to the values of `default_camera_config`."""
    for name, value in (config or {}).items():
        if np.ndim(value):
            getattr(camera, name)[:] = value
        else:
            setattr(camera, name, value)
