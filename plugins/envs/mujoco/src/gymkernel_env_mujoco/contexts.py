"""Functions that open OpenGL contexts for rendering without a window.

The environment variable `MUJOCO_GL` selects the library: "egl", "osmesa" or "glfw". If the variable is not set, EGL,
OSMesa and GLFW are tried in this order. GLFW needs a display.

Mesa renders on the CPU if the computer has no graphics card. Mesa's threads do not survive a fork, and a forked process
that renders would wait for these threads forever. For this reason, Mesa is started without threads. To let Mesa use n
threads, set `LP_NUM_THREADS=n`. With this setting, a process that is forked after the first image was drawn cannot draw
images.
"""

from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import importlib
import os
import sys
import warnings
import weakref
from contextlib import suppress
from typing import Any, Final

import mujoco

from gymkernel.error import DependencyNotInstalled

__all__ = ["close_at_exit", "forget", "in_other_process", "load_resources", "open_context"]
__all__ += ["release_contexts", "start_glfw"]

_LIBRARIES: Final = {"egl": "EGL", "osmesa": "OSMesa", "glfw": None}
_ADVICE: Final = (
    "install EGL (on Debian and Ubuntu: apt-get install libegl1 libopengl0; on Fedora: dnf install libglvnd-egl "
    "libglvnd-opengl mesa-libEGL) or OSMesa (on Debian and Ubuntu: apt-get install libosmesa6)"
)


class _First:
    """The id of the process that first used OpenGL, and its settings. A forked process inherits these values."""

    pid = 0
    has_threads = False
    uses_glfw = False


def open_context(width: int, height: int) -> Any:
    """Open an OpenGL context that draws images of at most the given size in pixels.

    Returns:
        An object with the methods `make_current` and `free`.

    Raises:
        DependencyNotInstalled: if the computer has neither EGL nor OSMesa nor a display. The message contains the
            command that installs EGL or OSMesa.
        RuntimeError: if this process was forked from a process in which Mesa has threads.
        ValueError: if the value of `MUJOCO_GL` is unknown.
    """
    chosen = os.environ.get("MUJOCO_GL", "").lower().strip()
    if chosen not in {"", *_LIBRARIES}:
        raise ValueError(f"Expected MUJOCO_GL to be 'egl', 'osmesa', 'glfw' or not set, got {chosen!r}")
    _prepare()
    failures = []
    for name in [chosen] if chosen else _candidates():
        try:
            return _open(name, width, height)
        except Exception as exc:  # noqa: BLE001 - libraries fail with many exceptions when a driver is missing
            failures.append((name, exc))
    reasons = "; ".join(f"{name} failed: {exc}" for name, exc in failures) or "no library was found"
    raise DependencyNotInstalled(f"Rendering needs OpenGL ({reasons}); {_ADVICE}")


def load_resources(model: Any) -> Any:
    """Load the textures and meshes of a model into the current context, and return an `MjrContext`.

    Raises:
        DependencyNotInstalled: if the OpenGL library has no driver.
    """
    try:
        return mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150)
    except mujoco.FatalError as exc:
        raise DependencyNotInstalled(f"OpenGL has no driver ({exc}); set MUJOCO_GL=osmesa, or {_ADVICE}") from exc


def release_contexts(except_for: Any) -> None:
    """Release the thread's current context if it comes from a different library than the given context.

    A thread with a current EGL context cannot use a GLX context, and vice versa. GLFW uses GLX.
    """
    egl = sys.modules.get("mujoco.egl")
    if egl is None or not _First.uses_glfw:
        return
    import glfw

    if type(except_for).__module__ == "mujoco.egl":
        if glfw.get_current_context():
            glfw.make_context_current(None)
    elif egl.EGL_DISPLAY is not None and egl.EGL.eglGetCurrentContext():
        nothing = egl.EGL.EGL_NO_SURFACE
        egl.EGL.eglMakeCurrent(egl.EGL_DISPLAY, nothing, nothing, egl.EGL.EGL_NO_CONTEXT)


_open_viewers: weakref.WeakSet[Any] = weakref.WeakSet()


def close_at_exit(viewer: Any) -> None:
    """Close a viewer when the program exits, while the libraries are still loaded.

    Call this function after the viewer's context has been opened, because `atexit` calls the functions that were
    registered last first.
    """
    atexit.unregister(_close_viewers)
    atexit.register(_close_viewers)
    _open_viewers.add(viewer)


def _close_viewers() -> None:
    for viewer in list(_open_viewers):
        with suppress(Exception):
            viewer.close()


def _candidates() -> list[str]:
    """Return the names of the libraries to try. GLFW is always installed with MuJoCo, but it needs a display."""
    if sys.platform != "linux":
        return ["glfw"]
    found = [name for name, library in _LIBRARIES.items() if library and ctypes.util.find_library(library)]
    return [*found, "glfw"] if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else found


def _open(name: str, width: int, height: int) -> Any:
    """Open a context. If this fails, unload PyOpenGL so that it can be loaded again with a different library."""
    modules, platform = set(sys.modules), os.environ.get("PYOPENGL_PLATFORM")
    try:
        if name == "glfw":
            return _open_glfw(width, height)
        module = importlib.import_module(f"mujoco.{name}")
        context = module.GLContext(width, height)
    except BaseException:
        for module_name in set(sys.modules) - modules:
            if module_name.partition(".")[0] == "OpenGL" or module_name.startswith(f"mujoco.{name}"):
                del sys.modules[module_name]
        os.environ.pop("PYOPENGL_PLATFORM", None)
        if platform is not None:
            os.environ["PYOPENGL_PLATFORM"] = platform
        raise
    return context


def _open_glfw(width: int, height: int) -> Any:
    if not start_glfw():
        raise RuntimeError("GLFW found no display")
    context = importlib.import_module("mujoco.glfw").GLContext(width, height)
    if not context._context:  # noqa: SLF001 - MuJoCo does not check whether the window was created
        raise RuntimeError("GLFW could not create a window")
    return context


def start_glfw() -> bool:
    """Initialize GLFW, and return whether there is a display."""
    import glfw

    with warnings.catch_warnings():  # GLFW also reports a missing display as a warning
        warnings.simplefilter("ignore")
        _First.uses_glfw = bool(glfw.init())
    return _First.uses_glfw


def _prepare() -> None:
    """Make Mesa start without threads by default, and record the process that first uses OpenGL."""
    if not _First.pid:
        os.environ.setdefault("LP_NUM_THREADS", "0")
        egl = sys.modules.get("mujoco.egl")
        is_started = getattr(egl, "EGL_DISPLAY", None) is not None
        _First.pid, _First.has_threads = os.getpid(), is_started or os.environ["LP_NUM_THREADS"] != "0"
    elif _First.has_threads and in_other_process(_First.pid):
        raise RuntimeError(
            "This process was forked after the first image, and the threads that draw images did not survive the fork; "
            "set LP_NUM_THREADS=0 before the first image, or start the process with spawn"
        )


def _keep_display() -> None:
    """Prevent MuJoCo from closing the inherited EGL display when a forked process exits, because that can hang."""
    terminate = getattr(sys.modules.get("mujoco.egl"), "_terminate_display", None)
    if terminate is not None:
        atexit.unregister(terminate)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_display)


def in_other_process(pid: int) -> bool:
    """Return whether this process was forked from the process with the given id. The id 0 means that there is none."""
    return pid not in {0, os.getpid()}


def forget(*things: Any) -> None:
    """Keep objects alive forever, because freeing the parent's OpenGL objects in a forked process can hang."""
    for thing in things:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
