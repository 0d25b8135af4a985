"""Tests of `ResizeObservation`, in particular the size and the average of images."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box
from gymkernel.wrappers import ResizeObservation


class Shows(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, space: Any = None) -> None:
        self.observation_space = Box(0, 255, (4, 8, 3), np.uint8) if space is None else space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.parametrize("channels", [(), (1,), (3,), (4,)])
@pytest.mark.parametrize("shape", [(2, 4), (1, 1), (8, 16), (3, 5)])
def test_image_has_the_requested_size(channels: tuple[int, ...], shape: tuple[int, int]) -> None:
    space = Box(0, 255, (4, 8, *channels), np.uint8, seed=1)
    env = ResizeObservation(Shows(space), shape)
    assert env.observation_space == Box(0, 255, (*shape, *channels), np.uint8)
    assert env.step(space.sample())[0] in env.observation_space


def test_pixel_is_the_average_of_its_area() -> None:
    image = np.random.default_rng(2).integers(0, 256, (4, 8, 3), np.uint8)
    wanted = image.reshape(2, 2, 4, 2, 3).mean(axis=(1, 3))
    assert np.abs(ResizeObservation(Shows(), (2, 4)).step(image)[0] - wanted).max() <= 0.5


def test_integer_gives_a_square() -> None:
    assert ResizeObservation(Shows(), 5).observation_space.shape == (5, 5, 3)


@pytest.mark.parametrize("kind, shapes", [(ValueError, ((2,), (2, 4, 3), (0, 4))), (TypeError, ((2.0, 4.0), "ab"))])
def test_invalid_shapes_are_rejected(kind: type[Exception], shapes: Any) -> None:
    for shape in shapes:
        with pytest.raises(kind, match=r"^ResizeObservation expects shape to be a height and a width of at least 1"):
            ResizeObservation(Shows(), shape)


def test_other_dtypes_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"^ResizeObservation expects a Box of uint8 images from 0 to 255"):
        ResizeObservation(Shows(Box(0, 1, (4, 8))), (2, 4))


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^ResizeObservation expects a Box as observation space, got a word$"):
        ResizeObservation(Shows("a word"), (2, 4))


def test_wrapper_is_recreated_from_json() -> None:
    env = Shows()
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = ResizeObservation(env, (2, 4)).spec
    assert spec is not None
    kwargs = json.loads(json.dumps(spec.additional_wrappers[-1].kwargs))
    assert ResizeObservation(env, **kwargs).shape == (2, 4)
