"""Tests of `GrayscaleObservation`, in particular the brightness of colours."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box
from gymkernel.wrappers import GrayScaleObservation, GrayscaleObservation

IMAGES = Box(0, 255, (2, 4, 3), np.uint8)


class Shows(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, space: Any = IMAGES) -> None:
        self.observation_space = space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@given(st.integers(0, 2**32 - 1))
def test_grey_value_is_the_weighted_sum_rounded_down(seed: int) -> None:
    image = np.random.default_rng(seed).integers(0, 256, (2, 4, 3), np.uint8)
    wanted = [[int(0.2125 * r + 0.7154 * g + 0.0721 * b) for r, g, b in row] for row in image.tolist()]
    observation = GrayscaleObservation(Shows()).step(image)[0]
    assert observation.tolist() == wanted
    assert observation.dtype == np.uint8


@pytest.mark.parametrize("wrapper", [GrayscaleObservation, GrayScaleObservation])
@pytest.mark.parametrize("keep_dim, shape", [(False, (2, 4)), (True, (2, 4, 1))])
def test_keep_dim_controls_the_channel_axis(keep_dim: bool, shape: tuple[int, ...], wrapper: Any) -> None:
    env = wrapper(Shows(), keep_dim)
    assert env.observation_space == Box(0, 255, shape, np.uint8)
    assert env.step(np.zeros((2, 4, 3), np.uint8))[0] in env.observation_space


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 1), (2, 4, 4)])
def test_images_without_three_channels_are_rejected(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"^GrayscaleObservation expects observations to be images with three channels, got Box"
    ):
        GrayscaleObservation(Shows(Box(0, 255, shape, np.uint8)))


def test_other_dtypes_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"^GrayscaleObservation expects a Box of uint8 images from 0 to 255"):
        GrayscaleObservation(Shows(Box(0, 1, (2, 4, 3))))


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^GrayscaleObservation expects a Box as observation space, got a word$"):
        GrayscaleObservation(Shows("a word"))


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Shows()
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = GrayscaleObservation(env, keep_dim=True).spec
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"keep_dim": True}
