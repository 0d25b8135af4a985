"""Tests of `MujocoRenderer` and of the images that vector environments draw. The tests need EGL or OSMesa."""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from mujoco_models import crawler, random_actions

from gymkernel.error import DependencyNotInstalled, ResetNeeded, UnsupportedMode
from gymkernel_env_mujoco import contexts
from gymkernel_env_mujoco.mujoco_rendering import MujocoRenderer

LIBRARIES = [name for name, library in (("egl", "EGL"), ("osmesa", "OSMesa")) if ctypes.util.find_library(library)]
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="neither EGL nor OSMesa is installed")
SIZE: Any = {"width": 64, "height": 48}


def simulation() -> tuple[Any, Any]:
    model = crawler().model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def test_each_mode_returns_its_arrays() -> None:
    renderer = MujocoRenderer(*simulation(), **SIZE)
    colours, depth = renderer.render("rgbd_tuple")
    assert (colours.shape, colours.dtype) == ((48, 64, 3), np.uint8)
    assert (depth.shape, depth.dtype) == ((48, 64), np.float32)
    assert colours.std() > 1
    assert 0 < depth.min() < depth.max() <= 1
    np.testing.assert_array_equal(renderer.render("rgb_array"), colours)
    np.testing.assert_array_equal(renderer.render("depth_array"), depth)
    with pytest.raises(UnsupportedMode, match="human, rgb_array, depth_array, rgbd_tuple, got ansi"):
        renderer.render("ansi")
    renderer.close()


def test_the_camera_arguments_select_the_camera() -> None:
    model, data = simulation()
    images = {}
    for name, options in {
        "free": {},
        "free by id": {"camera_id": -1},
        "side by id": {"camera_id": 0},
        "side by name": {"camera_name": "side"},
        "configured": {"default_cam_config": {"distance": 0.9, "lookat": np.array([0.0, 0.0, 0.2]), "azimuth": 40}},
    }.items():
        renderer = MujocoRenderer(model, data, **SIZE, **options)  # type: ignore[arg-type]
        images[name] = renderer.render("rgb_array").tobytes()
        renderer.close()
    assert images["free"] == images["free by id"]
    assert images["side by id"] == images["side by name"]
    assert len({images[name] for name in ("free", "side by id", "configured")}) == 3


def test_wrong_cameras_are_reported() -> None:
    model, data = simulation()
    with pytest.raises(ValueError, match="Expected camera_id or camera_name, got both"):
        MujocoRenderer(model, data, camera_id=0, camera_name="side")
    with pytest.raises(ValueError, match=r"between -1 \(free camera\) and 0, got 1"):
        MujocoRenderer(model, data, camera_id=1)
    with pytest.warns(UserWarning, match=r"no camera 'top', so the free camera is used; .* cameras: 'side'"):
        MujocoRenderer(model, data, camera_name="top")


def test_options_markers_and_segments_change_the_image() -> None:
    model, data = simulation()
    renderer = MujocoRenderer(model, data, **SIZE)
    plain = renderer.render("rgb_array")
    viewer = renderer.viewer
    viewer.add_marker(pos=(0, 0, 0.5), size=0.3, rgba=(0, 0, 1, 1), label="goal")
    assert not np.array_equal(viewer.render("rgb_array"), plain)
    np.testing.assert_array_equal(viewer.render("rgb_array"), plain)
    segments = viewer.render("rgb_array", segmentation=True)
    geom = int(mujoco.mjtObj.mjOBJ_GEOM)
    assert {tuple(pair) for pair in segments.reshape(-1, 2).tolist()} == {(geom, 0), (geom, 1), (geom, 2)}
    np.testing.assert_array_equal(viewer.render("rgb_array"), plain)
    transparent = MujocoRenderer(model, data, **SIZE, visual_options={int(mujoco.mjtVisFlag.mjVIS_TRANSPARENT): True})
    assert not np.array_equal(transparent.render("rgb_array"), plain)
    renderer.close()
    transparent.close()


def test_two_renderers_do_not_disturb_each_other() -> None:
    model, data = simulation()
    small, large = MujocoRenderer(model, data, **SIZE), MujocoRenderer(model, data, width=700, height=650)
    first = small.render("rgb_array")
    assert large.render("rgb_array").shape == (650, 700, 3)
    np.testing.assert_array_equal(small.render("rgb_array"), first)
    large.close()
    np.testing.assert_array_equal(small.render("rgb_array"), first)
    small.close()
    np.testing.assert_array_equal(small.render("rgb_array"), first)
    small.close()


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_opening_and_closing_many_times_leaks_nothing() -> None:
    renderer = MujocoRenderer(*simulation(), **SIZE)

    def usage() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    for count in range(24):
        renderer.render("rgb_array")
        renderer.close()
        if count == 8:
            files, memory = usage()
    assert usage()[0] == files
    assert usage()[1] - memory < 20_000_000


@pytest.mark.parametrize("mode", ["rgb_array", "depth_array", "rgbd_tuple"])
def test_a_vector_environment_draws_what_a_renderer_of_each_environment_draws(mode: str) -> None:
    task = crawler()
    envs = task.make_vec(3, render_mode=mode, render_options=SIZE, num_threads=1)
    with pytest.raises(ResetNeeded, match="before reset"):
        envs.render()
    envs.reset(seed=2)
    simulations: Any = envs.simulations
    renderers = [MujocoRenderer(task.model, data, **SIZE) for data in simulations.datas]
    actions = random_actions(0, 3)
    for _ in range(3):
        for image, renderer in zip(envs.render() or (), renderers, strict=True):
            np.testing.assert_array_equal(flat(image), flat(renderer.render(mode)))
        envs.step(actions())
    for renderer in renderers:
        renderer.close()
    envs.close()


def flat(image: Any) -> Any:
    return np.hstack([np.ravel(part) for part in image])


PROGRAM = """
import os, sys
from test_rendering import SIZE, MujocoRenderer, simulation

renderer = MujocoRenderer(*simulation(), **SIZE)
image = renderer.render("rgb_array").tobytes()
for generation in range(2):
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        os._exit(0) if generation else print("waited")
        break
    assert renderer.render("rgb_array").tobytes() == image
    assert MujocoRenderer(*simulation(), **SIZE).render("rgb_array").tobytes() == image
else:
    os._exit(0)
assert renderer.render("rgb_array").tobytes() == image
"""


@pytest.mark.skipif(sys.platform != "linux", reason="forks a process that uses OpenGL")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_forked_process_draws_with_contexts_of_its_own(library: str) -> None:
    environment = {**os.environ, "MUJOCO_GL": library}
    for name in ("LP_NUM_THREADS", "PYOPENGL_PLATFORM"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parent,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["waited"]), done.stderr


def test_without_a_library_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(contexts, "_candidates", list)
    with pytest.raises(DependencyNotInstalled, match=r"apt-get install libegl1 .* apt-get install libosmesa6"):
        MujocoRenderer(*simulation(), **SIZE).render("rgb_array")


def test_without_a_display_the_error_names_the_other_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(DependencyNotInstalled, match=r'set DISPLAY, or pass render_mode="rgb_array"'):
        MujocoRenderer(*simulation(), **SIZE).render("human")
