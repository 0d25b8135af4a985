"""Tests that rendering wrappers return the same frames as Gymnasium's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, outcome, same

import gymkernel

CASES: list[tuple[str, dict[str, Any]]] = [
    ("AddWhiteNoise", {"probability_of_noise_per_pixel": 0.3}),
    ("AddWhiteNoise", {"probability_of_noise_per_pixel": 0.3, "is_noise_grayscale": True}),
    ("ObstructView", {"obstructed_pixels_ratio": 0.3, "obstruction_width": 3}),
    ("ObstructView", {"obstructed_pixels_ratio": 0.3, "obstruction_width": 4, "is_noise_grayscale": True}),
    ("RenderCollection", {}),
    ("RenderCollection", {"pop_frames": False}),
    ("RenderCollection", {"pop_frames": False, "reset_clean": False}),
]
each = pytest.mark.parametrize(
    "name, kwargs", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)


def film(library: Any, mode: str | None = "rgb_array") -> Any:
    class Film(library.Env):  # type: ignore[misc]
        metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 - Env declares it in the same way
        render_mode = mode

        def __init__(self) -> None:
            self.observation_space = self.action_space = library.spaces.Discrete(2)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.time = 0
            return 0, {}

        def step(self, action: Any) -> Any:
            self.time += 1
            return 0, 0.0, False, False, {}

        def render(self) -> Any:
            return np.full((24, 32, 3), self.time, np.uint8)

    return Film()


def frames(library: Any, inside: Any, name: str, kwargs: dict[str, Any]) -> list[Any]:
    env = getattr(library.wrappers, name)(film(inside), **kwargs)
    seen: list[Any] = []
    for seed in (3, None):
        env.reset(seed=seed)
        for _ in range(5):
            env.step(0)
            rendered = env.render()
            seen.append(np.array(rendered, np.uint8))  # Gymnasium returns uint64 for grey noise
    return seen


@each
def test_frames_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    ours, theirs = (frames(library, library, name, kwargs) for library in LIBRARIES)

    assert same(ours, theirs)


@each
def test_frames_of_gymnasiums_environment_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    assert same(frames(gymkernel, gymnasium, name, kwargs), frames(gymnasium, gymnasium, name, kwargs))


def test_make_collects_frames_for_list_modes() -> None:
    found = []
    for library in LIBRARIES:
        env = library.make("CartPole-v1", render_mode="rgb_array_list")
        env.reset(seed=1)
        for _ in range(3):
            env.step(0)
        found.append((env.render_mode, sorted(env.metadata["render_modes"]), [item.shape for item in env.render()]))
        env.close()

    assert found[0][0] == found[1][0] == "rgb_array_list"
    assert set(found[1][1]) <= set(found[0][1])
    assert found[0][2] == found[1][2] == [(400, 600, 3)] * 4


@pytest.mark.parametrize("mode", [None, "rgb_array_list"])
def test_uncollectable_render_mode_is_rejected(mode: str | None) -> None:
    for library in LIBRARIES:
        assert outcome(lambda library=library: library.wrappers.RenderCollection(film(library, mode))) == "it raises"


@pytest.mark.parametrize(
    "name, kwargs",
    [
        ("AddWhiteNoise", {"probability_of_noise_per_pixel": 1.0}),
        ("ObstructView", {"obstructed_pixels_ratio": 1.0, "obstruction_width": 3}),
        ("ObstructView", {"obstructed_pixels_ratio": 0.5, "obstruction_width": 0}),
    ],
)
def test_arguments_rejected_by_gymnasium_are_rejected(name: str, kwargs: dict[str, Any]) -> None:
    for library in LIBRARIES:
        assert outcome(getattr(library.wrappers, name), film(library), **kwargs) == "it raises"
