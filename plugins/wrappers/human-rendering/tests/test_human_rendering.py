"""Tests of `HumanRendering`, in particular the window contents, the frame rate and errors."""

from __future__ import annotations

import copy
import os
import pickle
from typing import TYPE_CHECKING, Any

os.environ["SDL_VIDEODRIVER"] = "dummy"

import numpy as np
import pygame
import pytest

import gymkernel as gym
from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.vector import VectorEnv
from gymkernel.wrappers import HumanRendering
from gymkernel.wrappers.vector import HumanRendering as OfMany
from gymkernel_wrapper_human_rendering.window import grid

if TYPE_CHECKING:
    from collections.abc import Iterator


def frame(number: int) -> Any:
    """Return a grey frame of shape (20, 30, 3) with a white corner."""
    made = np.full((20, 30, 3), 10 * number, np.uint8)
    made[:2, :3] = 255
    return made


class Film(Env[Any, Any]):
    """An environment that renders a different frame after each step."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10_000}  # noqa: RUF012 - as in `Env`

    def __init__(self, render_mode: str | None = "rgb_array", make: Any = frame) -> None:
        self.render_mode, self.make, self.closed = render_mode, make, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.time = 0
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return 0, 0.0, False, False, {}

    def render(self) -> Any:
        return self.make(self.time)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def _no_window_is_left() -> Iterator[None]:
    yield
    pygame.display.quit()


def on_screen() -> Any:
    """Return the contents of the window as an array of shape (height, width, 3)."""
    surface: Any = pygame.display.get_surface()
    return pygame.surfarray.array3d(surface).transpose(1, 0, 2)


def test_every_reset_and_step_is_shown() -> None:
    env = HumanRendering(Film())
    env.reset()
    shown = [on_screen()]
    for _ in range(2):
        env.step(0)
        shown.append(on_screen())

    assert [np.array_equal(item, frame(i)) for i, item in enumerate(shown)] == [True] * 3
    assert env.render() is None  # type: ignore[func-returns-value]


def test_last_frame_of_a_list_is_shown() -> None:
    env = HumanRendering(Film("rgb_array_list", lambda i: [frame(7), frame(i)]))
    env.reset()

    assert np.array_equal(on_screen(), frame(0))


def test_depth_is_shown_in_grey() -> None:
    depth = np.full((20, 30), 2.0)
    depth[0, :3] = 1.0, 3.0, np.inf
    env = HumanRendering(Film("depth_array", lambda i: depth))
    env.reset()

    assert on_screen()[0, :4, 0].tolist() == [0, 255, 255, 127]


def test_frames_can_change_their_size() -> None:
    env = HumanRendering(Film(make=lambda i: np.zeros((20 + i, 30, 3), np.uint8)))
    env.reset()
    env.step(0)

    assert on_screen().shape == (21, 30, 3)


def test_window_uses_render_fps(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        ticks: list[Any] = []  # noqa: RUF012

        def tick(self, fps: Any) -> None:
            self.ticks.append(fps)

    monkeypatch.setattr(pygame.time, "Clock", Clock)
    env = HumanRendering(Film())
    env.reset()
    env.step(0)

    assert Clock.ticks == [10_000, 10_000]


def test_close_closes_window_and_environment() -> None:
    env = HumanRendering(Film())
    env.reset()
    env.close()

    assert not pygame.display.get_init()
    assert env.unwrapped.closed == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_has_its_own_window(duplicate: Any) -> None:
    env = HumanRendering(Film())
    env.reset()

    assert duplicate(env).window is None


def test_make_adds_the_wrapper() -> None:
    spec = EnvSpec("Film-v0", entry_point=Film, disable_env_checker=True, order_enforce=False)
    with pytest.warns(UserWarning, match="HumanRendering wrapper is being applied to your environment"):
        env = gym.make(spec, render_mode="human")

    env.reset()

    assert env.render_mode == "human"
    assert "human" in env.metadata["render_modes"]
    assert np.array_equal(on_screen(), frame(0))


@pytest.mark.parametrize("mode", [None, "human", "ansi"])
def test_render_mode_without_frames_is_rejected(mode: str | None) -> None:
    with pytest.raises(ValueError, match=f"^HumanRendering expects one of the render modes .*, got .*{mode}"):
        HumanRendering(Film(mode))


def test_missing_render_fps_is_rejected() -> None:
    env = Film()
    env.metadata = {"render_modes": ["rgb_array"]}

    with pytest.raises(ValueError, match=r"^HumanRendering expects the environment to set metadata\['render_fps'\]"):
        HumanRendering(env)


@pytest.mark.parametrize("rendered", [None, "text", np.zeros((2, 2, 4), np.uint8), []], ids=repr)
def test_invalid_frame_is_rejected(rendered: Any) -> None:
    with pytest.raises(TypeError, match=r"^HumanRendering expects frames of shape \(height, width, 3\) or .*, got "):
        HumanRendering(Film(make=lambda i: rendered)).reset()


class Films(VectorEnv[Any, Any, Any]):
    """A vector environment that consists of four `Film` environments."""

    num_envs = 4
    metadata = Film.metadata
    render_mode = "rgb_array"

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.time = 0
        return 0, {}

    def step(self, actions: Any) -> Any:
        self.time += 1
        return 0, 0, 0, 0, {}

    def step_masked(self, actions: Any, mask: Any) -> Any:
        return self.step(actions)

    def render(self) -> Any:
        return tuple(np.full((20, 30, 3), 10 * i + self.time, np.uint8) for i in range(4))


def test_vector_frames_are_shown_in_a_grid() -> None:
    envs = OfMany(Films(), screen_size=(120, 80))
    envs.reset()
    shown = on_screen()

    assert shown.shape == (80, 120, 3)
    assert [int(shown[row, column, 0]) for row in (20, 60) for column in (30, 90)] == [0, 10, 20, 30]
    for step in (envs.step, lambda actions: envs.step_masked(actions, np.ones(4, np.bool_))):
        step(0)
    assert int(on_screen()[20, 30, 0]) == 2


def test_default_window_size_is_one_frame() -> None:
    envs = OfMany(Films())
    envs.reset()

    assert on_screen().shape == (20, 30, 3)
    assert envs.render_mode == "human"
    assert envs.render() is None  # type: ignore[func-returns-value]
    envs.close()
    assert envs.closed


@pytest.mark.parametrize(
    "number, screen, expected",
    [(1, (30, 20), (1, 1)), (4, (30, 20), (2, 2)), (5, (30, 20), (3, 3)), (3, (90, 20), (1, 3)), (3, (30, 60), (3, 1))],
)
def test_grid_follows_the_aspect_ratio(number: int, screen: tuple[int, int], expected: tuple[int, int]) -> None:
    assert grid(number, (30, 20), screen) == expected
