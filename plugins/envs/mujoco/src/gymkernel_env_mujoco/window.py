"""The class `WindowViewer`, which shows a simulation in a window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import glfw
import mujoco

from gymkernel import logger
from gymkernel.error import DependencyNotInstalled
from gymkernel_env_mujoco.contexts import release_contexts, start_glfw
from gymkernel_env_mujoco.viewers import FREE, BaseRender, set_camera

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WindowViewer"]


class WindowViewer(BaseRender):
    """A viewer that shows a simulation in a window.

    | input | effect |
    |---|---|
    | left mouse button | rotate the camera |
    | right mouse button | move the camera |
    | mouse wheel | move the camera closer or further away |
    | Tab | switch to the next camera of the model |
    | C | show or hide contact points and contact forces |
    | Space | pause or continue |
    | Esc | close the window |

    The program is slowed down so that the simulation does not run faster than real time. After the window has been
    closed, `render` does nothing.

    Args:
        model: the model.
        data: the simulation to show.
        width: the width of the window in pixels. By default, it is half the width of the screen.
        height: the height of the window in pixels. By default, it is half the height of the screen.
        max_geom: the maximum number of shapes in the scene.
        visual_options: values for the elements of `MjvOption.flags`.

    Raises:
        DependencyNotInstalled: if there is no display.
    """

    framebuffer = mujoco.mjtFramebuffer.mjFB_WINDOW

    def __init__(
        self,
        model: Any,
        data: Any,
        width: int | None = None,
        height: int | None = None,
        max_geom: int = 1000,
        visual_options: Mapping[int, bool] | None = None,
    ) -> None:
        release_contexts(except_for=None)
        self.window = _open_window(width, height)
        self._mouse = 0.0, 0.0
        self._is_paused = False
        self._shown: tuple[float, float] | None = None
        """The simulation time and the clock time at which the last image was shown, or None."""
        size = glfw.get_framebuffer_size(self.window)
        super().__init__(model, data, size[0], size[1], max_geom, visual_options)
        glfw.swap_interval(1)
        glfw.set_cursor_pos_callback(self.window, self._move_mouse)
        glfw.set_scroll_callback(self.window, self._scroll)
        glfw.set_key_callback(self.window, self._press_key)

    def make_context_current(self) -> None:
        """Make this viewer's OpenGL context the current context of the thread."""
        if self.window is not None:
            release_contexts(except_for=self.window)
            glfw.make_context_current(self.window)

    def render(self) -> None:
        """Show the current state of the simulation, and process the events of the window."""
        self._show()
        while self._is_paused and self.window is not None:
            self._show()
            time.sleep(0.01)

    def _show(self) -> None:
        if self.window is None:
            return
        if glfw.window_should_close(self.window):
            logger.warn("The window was closed, and the simulation is no longer shown")
            self.close()
            return
        self._wait()
        self.make_context_current()
        self.viewport.width, self.viewport.height = glfw.get_framebuffer_size(self.window)
        self.draw()
        glfw.swap_buffers(self.window)
        glfw.poll_events()

    def _wait(self) -> None:
        """Wait until as much time has passed as in the simulation. A reset sets the simulation time back."""
        now, simulated = time.monotonic(), float(self.data.time)
        if self._shown is not None:
            pause = max(0.0, simulated - self._shown[0]) - (now - self._shown[1])
            if 0 < pause < 1:
                time.sleep(pause)
        self._shown = simulated, time.monotonic()

    def _press_key(self, window: Any, key: int, scancode: int, action: int, mods: int) -> None:
        if action != glfw.PRESS:
            return
        if key == glfw.KEY_TAB:
            following = self.cam.fixedcamid + 1
            set_camera(self.cam, following if following < self.model.ncam else FREE)
        elif key == glfw.KEY_SPACE:
            self._is_paused = not self._is_paused
        elif key == glfw.KEY_ESCAPE:
            glfw.set_window_should_close(self.window, True)
        elif key == glfw.KEY_C:
            for flag in (mujoco.mjtVisFlag.mjVIS_CONTACTPOINT, mujoco.mjtVisFlag.mjVIS_CONTACTFORCE):
                self.vopt.flags[flag] = not self.vopt.flags[flag]

    def _move_mouse(self, window: Any, x: float, y: float) -> None:
        (last_x, last_y), self._mouse = self._mouse, (x, y)
        kinds = mujoco.mjtMouse
        if glfw.get_mouse_button(window, glfw.MOUSE_BUTTON_LEFT) == glfw.PRESS:
            kind = kinds.mjMOUSE_ROTATE_V
        elif glfw.get_mouse_button(window, glfw.MOUSE_BUTTON_RIGHT) == glfw.PRESS:
            kind = kinds.mjMOUSE_MOVE_V
        else:
            return
        height = max(glfw.get_window_size(window)[1], 1)
        self._move_camera(kind, (x - last_x) / height, (y - last_y) / height)

    def _scroll(self, window: Any, x: float, y: float) -> None:
        self._move_camera(mujoco.mjtMouse.mjMOUSE_ZOOM, 0.0, -0.05 * y)

    def _move_camera(self, kind: Any, x: float, y: float) -> None:
        mujoco.mjv_moveCamera(self.model, kind, x, y, self.cam)

    def _free(self) -> None:
        window, self.window = self.window, None
        if glfw.get_current_context() == window:
            glfw.make_context_current(None)
        glfw.destroy_window(window)

    def _detach(self) -> tuple[Any, ...]:
        window, self.window = getattr(self, "window", None), None
        return (window,)


def _open_window(width: int | None, height: int | None) -> Any:
    if not start_glfw():
        raise DependencyNotInstalled(
            "Showing a window needs a display, and there is none; run the program on a desktop, set DISPLAY, or "
            'pass render_mode="rgb_array"'
        )
    screen = glfw.get_video_mode(glfw.get_primary_monitor()).size
    glfw.window_hint(glfw.VISIBLE, 1)
    window = glfw.create_window(width or screen.width // 2, height or screen.height // 2, "MuJoCo", None, None)
    if not window:
        raise DependencyNotInstalled("The window could not be opened, because the display does not support OpenGL")
    return window
