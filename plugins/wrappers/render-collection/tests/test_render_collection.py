"""Tests of `RenderCollection`, in particular when the list of frames is emptied."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import gymkernel as gym
from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import RenderCollection


class Film(Env[Any, Any]):
    """An environment that renders the episode number and the step number as text."""

    metadata = {"render_modes": ["ansi"], "render_fps": 5}  # noqa: RUF012 - as in `Env`
    episode = 0

    def __init__(self, render_mode: str | None = "ansi") -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.episode, self.time = self.episode + 1, 0
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return 0, 0.0, False, False, {}

    def render(self) -> str:
        return f"{self.episode}.{self.time}"


def seen(env: Any) -> list[list[str]]:
    """Return the results of four calls of `render`, between which the environment is stepped and reset."""
    env.reset()
    env.step(0)
    first = list(env.render())
    env.step(0)
    second, third = list(env.render()), list(env.render())
    env.reset()
    return [first, second, third, list(env.render())]


def test_frames_are_returned() -> None:
    assert seen(RenderCollection(Film())) == [["1.0", "1.1"], ["1.2"], [], ["2.0"]]


def test_frames_can_be_kept_until_reset() -> None:
    kept = [["1.0", "1.1"], ["1.0", "1.1", "1.2"], ["1.0", "1.1", "1.2"], ["2.0"]]

    assert seen(RenderCollection(Film(), pop_frames=False)) == kept


def test_frames_can_be_kept_over_resets() -> None:
    assert seen(RenderCollection(Film(), pop_frames=False, reset_clean=False))[-1] == ["1.0", "1.1", "1.2", "2.0"]


def test_unread_frames_can_survive_a_reset() -> None:
    env = RenderCollection(Film(), reset_clean=False)
    env.reset()
    env.reset()

    assert env.render() == ["1.0", "2.0"]


def test_render_mode_is_a_list_mode_in_the_metadata() -> None:
    before = copy.deepcopy(Film.metadata)
    env = RenderCollection(Film())

    assert env.render_mode == "ansi_list"
    assert env.metadata == {"render_modes": ["ansi", "ansi_list"], "render_fps": 5}
    assert Film.metadata == before


@pytest.mark.parametrize("mode", [None, "rgb_array_list"])
def test_render_mode_without_frames_is_rejected(mode: str | None) -> None:
    with pytest.raises(
        ValueError, match=f"^RenderCollection expects a render mode that returns a single frame, .*{mode}"
    ):
        RenderCollection(Film(mode))


def test_make_adds_the_wrapper() -> None:
    spec = EnvSpec("Film-v0", entry_point=Film, disable_env_checker=True, order_enforce=False)

    env = gym.make(spec, render_mode="ansi_list")

    assert isinstance(env, RenderCollection)
    assert seen(env)[0] == ["1.0", "1.1"]


def test_arguments_are_recorded() -> None:
    assert RenderCollection(Film(), False)._saved_kwargs == {"pop_frames": False, "reset_clean": True}


def test_frames_carry_the_frame_rate() -> None:
    env: Any = RenderCollection(Film())
    env.reset()
    first, second = env.render(), env.render()
    assert (first, second) == (["1.0"], [])
    assert (first.fps, second.fps) == (5, 5)
    assert copy.deepcopy(first).fps == 5
