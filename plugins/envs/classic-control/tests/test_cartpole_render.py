from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gymkernel.error import DependencyNotInstalled
from gymkernel_env_classic_control import CartPoleEnv, CartPoleVectorEnv


def test_without_pygame_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.delitem(sys.modules, "gymkernel_env_classic_control.drawing", raising=False)
    env = CartPoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "gymkernel-env-classic-control\[render\]"'):
        env.render()
    assert env.step(0)[1] == 1.0


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Any:
    """No window in tests; without pygame, which is an extra, there is no picture to test."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame")


def pictured(x: float, theta: float) -> np.ndarray[Any, Any]:
    env = CartPoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    env.state = (x, 0.0, theta, 0.0)
    frame = env.render()
    assert frame is not None
    return frame


def test_a_picture_is_an_array_of_its_own(window: Any) -> None:
    env = CartPoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    frame, again = env.render(), env.render()
    assert frame is not None
    assert again is not None
    assert frame.shape == (400, 600, 3)
    assert frame.dtype == np.uint8
    assert frame.flags.c_contiguous
    frame[:] = 0
    assert again.any()
    env.close()
    env.close()


def test_the_cart_is_where_the_state_says(window: Any) -> None:
    changed = (pictured(1.2, 0.0) != pictured(-1.2, 0.0)).any(axis=2)
    columns = np.flatnonzero(changed.any(axis=0))
    assert columns.min() == pytest.approx(150 - 25, abs=2)
    assert columns.max() == pytest.approx(450 + 25, abs=2)


def test_the_pole_leans_clockwise(window: Any) -> None:
    upright, leaning = pictured(0.0, 0.0), pictured(0.0, 0.2)
    columns = np.flatnonzero((upright != leaning)[:250].any(axis=(0, 2)))
    assert columns.max() > 310


def test_no_display_is_needed_for_arrays(window: Any) -> None:
    program = """
import gymkernel as gym
env = gym.make("CartPole-v1", render_mode="rgb_array")
env.reset(seed=1)
print(env.render().shape)
"""
    done = subprocess.run([sys.executable, "-c", program], env={}, capture_output=True, text=True, check=True)
    assert done.stdout == "(400, 600, 3)\n"


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_drawing_changes_no_trajectory(window: Any, mode: str) -> None:
    drawn, plain = CartPoleEnv(render_mode=mode), CartPoleEnv()
    drawn.metadata = {**drawn.metadata, "render_fps": 10_000}
    assert (drawn.reset(seed=4)[0] == plain.reset(seed=4)[0]).all()
    for _ in range(3):
        if mode == "rgb_array":
            drawn.render()
        assert (drawn.step(1)[0] == plain.step(1)[0]).all()
    assert (drawn.reset()[0] == plain.reset()[0]).all()
    drawn.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_draws_for_itself(window: Any, copied: Any) -> None:
    env = CartPoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    twin = copied(env)
    env.close()
    assert (twin.render() == frame).all()


def test_a_picture_for_each_environment(window: Any) -> None:
    envs = CartPoleVectorEnv(3, render_mode="rgb_array")
    envs.reset(seed=1)
    envs.state = np.array([[-1.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3, [0.0] * 3])
    frames = envs.render()
    assert frames is not None
    assert len(frames) == 3
    assert (frames[1] == pictured(0.0, 0.0)).all()
    assert (frames[0] != frames[2]).any()
    envs.close()
