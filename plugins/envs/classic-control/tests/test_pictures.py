"""Tests that rendered images equal the files in `pictures`, which `python test_pictures.py` creates."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import DependencyNotInstalled
from gymkernel_env_classic_control import CartPoleEnv
from gymkernel_env_classic_control.drawing import Renderer

PICTURES = Path(__file__).parent / "pictures"
STATES: dict[str, tuple[str, tuple[float, ...], float]] = {
    "cartpole": ("CartPole-v1", (0.4, 0.0, 0.12, 0.0), 0.0),
    "cartpole-edge": ("CartPole-v1", (-2.39, 0.0, -0.2, 0.0), 0.0),
    "mountain-car": ("MountainCar-v0", (-0.5, 0.0), 0.0),
    "mountain-car-slope": ("MountainCarContinuous-v0", (0.2, 0.03), 0.0),
    "pendulum": ("Pendulum-v1", (0.5, 0.0), 1.4),
    "pendulum-hanging": ("Pendulum-v1", (-2.6, 0.0), -0.6),
    "acrobot": ("Acrobot-v1", (0.7, 0.9, 0.0, 0.0), 0.0),
    "acrobot-above": ("Acrobot-v1", (2.8, 0.3, 0.0, 0.0), 0.0),
}
"""For each image, the environment, its state and the last torque."""
IDS = ("CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Acrobot-v1")
Frame = np.ndarray[Any, Any]


def draw_picture(env_id: str, state: tuple[float, ...], torque: float = 0.0) -> Frame:
    env: Any = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=1)
    env.unwrapped.state = state
    if env_id == "Pendulum-v1":
        env.unwrapped.last_u = torque
    frame: Frame = env.render()
    env.close()
    return frame


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make pygame use a dummy video driver. Skip the test if pygame, an optional dependency, is not installed."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame")


@pytest.mark.parametrize("name", STATES)
def test_frames_equal_the_reviewed_hashes(window: Any, name: str) -> None:
    kept = window.surfarray.array3d(window.image.load(PICTURES / f"{name}.png")).swapaxes(0, 1)
    frame = draw_picture(*STATES[name])
    assert frame.shape == kept.shape
    apart = np.abs(frame.astype(int) - kept)
    assert apart.mean() < 0.5
    assert (apart.max(axis=2) > 32).mean() < 0.002


@pytest.mark.parametrize("env_id", IDS)
def test_missing_pygame_error_names_the_pip_command(monkeypatch: pytest.MonkeyPatch, env_id: str) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env: Any = gym.make(env_id, render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "gymkernel-env-classic-control\[render\]"'):
        env.render()
    env.step(env.action_space.sample())


@pytest.mark.parametrize("env_id", IDS)
def test_frames_do_not_share_memory(window: Any, env_id: str) -> None:
    env: Any = gym.make(env_id, render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    frame, again = env.render(), env.render()
    assert frame.shape in {(400, 600, 3), (500, 500, 3)}
    assert frame.dtype == np.uint8
    assert frame.flags.c_contiguous
    assert frame.flags.writeable
    frame[:] = 0
    assert again.any()
    env.close()
    env.close()


def pictured(x: float, theta: float) -> Frame:
    return draw_picture("CartPole-v1", (x, 0.0, theta, 0.0))


def test_cart_is_drawn_at_its_position(window: Any) -> None:
    changed = (pictured(1.2, 0.0) != pictured(-1.2, 0.0)).any(axis=2)
    columns = np.flatnonzero(changed.any(axis=0))
    assert columns.min() == pytest.approx(150 - 25, abs=2)
    assert columns.max() == pytest.approx(450 + 25, abs=2)


def test_positive_angles_are_drawn_clockwise(window: Any) -> None:
    upright, leaning = pictured(0.0, 0.0), pictured(0.0, 0.2)
    columns = np.flatnonzero((upright != leaning)[:250].any(axis=(0, 2)))
    assert columns.max() > 310


def colour_at(frame: Frame, x: float, y: float) -> list[int]:
    return frame[round(y), round(x)].tolist()  # type: ignore[no-any-return]


def test_car_is_drawn_in_the_valley(window: Any) -> None:
    away = draw_picture("MountainCar-v0", (-1.1, 0.0))
    for position in (-0.6, -0.2, 0.3):
        rows, columns = np.nonzero((draw_picture("MountainCar-v0", (position, 0.0)) != away).any(axis=2)[:, 120:])
        assert columns.mean() + 120 == pytest.approx((position + 1.2) * 600 / 1.8, abs=15)
        assert rows.mean() == pytest.approx(400 - (np.sin(3 * position) * 0.45 + 0.55) * 600 / 1.8 - 14, abs=8)


def test_rod_angle_is_drawn_counterclockwise(window: Any) -> None:
    rod = colour_at(draw_picture("Pendulum-v1", (0.0, 0.0)), 250, 250 - 80)
    left = draw_picture("Pendulum-v1", (np.pi / 2, 0.0))
    assert colour_at(left, 250 - 80, 250) == rod != colour_at(left, 250 + 80, 250)


def test_arrow_follows_the_torque(window: Any) -> None:
    rest, left, right = (draw_picture("Pendulum-v1", (np.pi, 0.0), torque) for torque in (0.0, 1.0, -1.0))
    assert (left != rest).any()
    assert (left != right).any()
    mirrored = np.abs(left.astype(int) - right[:, ::-1])
    assert mirrored.mean() < 0.5


def test_link_angles_are_drawn_counterclockwise(window: Any) -> None:
    aside = draw_picture("Acrobot-v1", (np.pi / 2, 0.0, 0.0, 0.0))
    back = draw_picture("Acrobot-v1", (0.0, -np.pi / 2, 0.0, 0.0))
    metre = 500 / 4.4
    upper = colour_at(aside, 250 + 0.5 * metre, 250)
    lower = colour_at(aside, 250 + 1.5 * metre, 250)
    assert upper == colour_at(back, 250, 250 + 0.5 * metre) != lower
    assert lower == colour_at(back, 250 - 0.5 * metre, 250 + metre)


def test_rgb_arrays_need_no_display(window: Any) -> None:
    program = """
import gymkernel as gym
for name in ("CartPole-v1", "Acrobot-v1"):
    env = gym.make(name, render_mode="rgb_array")
    env.reset(seed=1)
    print(env.render().shape)
"""
    done = subprocess.run([sys.executable, "-c", program], env={}, capture_output=True, text=True, check=True)
    assert done.stdout == "(400, 600, 3)\n(500, 500, 3)\n"


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_rendering_does_not_change_the_trajectory(window: Any, env_id: str, mode: str) -> None:
    drawing, plain = (gym.make(env_id, render_mode=item).unwrapped for item in (mode, None))
    drawing.metadata = {**drawing.metadata, "render_fps": 10_000}
    assert (drawing.reset(seed=4)[0] == plain.reset(seed=4)[0]).all()
    plain.action_space.seed(4)
    for _ in range(4):
        if mode == "rgb_array":
            drawing.render()
        action = plain.action_space.sample()
        mine, theirs = drawing.step(action), plain.step(action)
        assert (mine[0] == theirs[0]).all()
        assert mine[1:] == theirs[1:]
    assert (drawing.reset()[0] == plain.reset()[0]).all()
    drawing.close()


@pytest.mark.parametrize("env_id", IDS)
def test_window_shows_the_frame(window: Any, env_id: str) -> None:
    env, twin = (gym.make(env_id, render_mode=mode).unwrapped for mode in ("human", "rgb_array"))
    env.reset(seed=3)
    twin.reset(seed=3)
    shown = window.surfarray.array3d(window.display.get_surface()).swapaxes(0, 1)
    assert (shown == twin.render()).all()
    env.close()
    assert window.display.get_surface() is None


class FakeTime:
    """A fake `time` module whose clock advances only when `sleep` is called."""

    def __init__(self) -> None:
        self.now, self.waited = 100.0, [0.0]

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def test_window_respects_render_fps(window: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeTime()
    monkeypatch.setattr("gymkernel_env_classic_control.drawing.time", clock)
    env: Any = gym.make("CartPole-v1", render_mode="human").unwrapped
    env.metadata = {**env.metadata, "render_fps": 4}
    env.reset(seed=1)
    env.step(0)
    clock.now += 0.1  # the time that the program itself needs
    env.step(0)
    clock.now += 7
    env.step(0)
    assert clock.waited[1:] == pytest.approx([0.25, 0.25, 0.15, 0])
    env.metadata = {**env.metadata, "render_fps": 0}
    env.step(0)
    assert clock.waited[-1] == 0
    env.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux shows them")
def test_window_leaves_no_thread(window: Any) -> None:
    """Count the threads, because with an additional thread, no later AsyncVectorEnv could fork its workers."""
    program = """
import os
import gymkernel as gym

env = gym.make("CartPole-v1", render_mode="human")
env.reset(seed=1)
env.step(0)
env.close()
if child := os.fork():
    os.waitpid(child, 0)
    print(len(os.listdir("/proc/self/task")))
else:
    os._exit(0)
"""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_has_its_own_renderer(window: Any, env_id: str, copied: Any) -> None:
    env: Any = gym.make(env_id, render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    frame = env.render()
    twin = copied(env)
    env.close()
    assert (twin.render() == frame).all()


@pytest.mark.parametrize("env_id", IDS)
def test_vectorised_form_renders_a_frame_per_row(window: Any, env_id: str) -> None:
    envs: Any = gym.make_vec(env_id, 3, "vector_entry_point", render_mode="rgb_array")
    observed, _ = envs.reset(seed=[3, 4, 5])
    envs.action_space.seed(1)
    action = envs.action_space.sample()
    envs.step(action)
    for i, frame in enumerate(envs.render()):
        single: Any = gym.make(env_id, render_mode="rgb_array").unwrapped
        assert (single.reset(seed=3 + i)[0] == observed[i]).all()
        single.step(action[i])
        assert (single.render() == frame).all()
    before = envs.state.copy()
    envs.render()
    assert (envs.state == before).all()
    envs.close()


@pytest.mark.parametrize("env_id", IDS)
def test_garbage_collected_environment_leaves_no_surface(window: Any, env_id: str) -> None:
    """Check that a large pygame surface is freed with the environment, without waiting for the garbage collector."""
    env: Any = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=1)
    env.render()
    held = [weakref.ref(name) for name in vars(env.unwrapped).values() if isinstance(name, Renderer)]
    gc.disable()
    try:
        del env
        assert [item() for item in held] == [None]
    finally:
        gc.enable()


def test_longer_pole_is_drawn_longer(window: Any) -> None:
    env: Any = CartPoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    short = env.render()
    env.length = 0.8
    assert (env.render() != short).any()


def test_cached_background_follows_its_attributes(window: Any) -> None:
    env: Any = gym.make("MountainCar-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    flag = env.render()
    env.goal_position = 0.2
    assert (env.render() != flag).any()


@pytest.mark.parametrize("env_id", IDS)
def test_shapes_outside_the_frame_are_clipped(window: Any, env_id: str) -> None:
    env: Any = gym.make(env_id).unwrapped
    env.reset(seed=1)
    far = (50.0,) + (0.0,) * (len(env.parts) - 1)
    assert draw_picture(env_id, far).any()


if __name__ == "__main__":
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame

    for name, shown in STATES.items():
        pygame.image.save(pygame.surfarray.make_surface(draw_picture(*shown).swapaxes(0, 1)), PICTURES / f"{name}.png")
