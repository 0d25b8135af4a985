"""Tests of the functions that add noise to frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel_util_wrappers.render_noise import change_frames, render_noise

RANDOM = np.random.default_rng(2)


def test_noise_covers_every_brightness_with_grey_mean() -> None:
    noise = render_noise((100, 100, 3), RANDOM)

    assert noise.dtype == np.uint8
    assert set(noise.ravel().tolist()) == set(range(255))
    assert noise.mean() == pytest.approx(127, abs=2)


def test_grey_noise_has_equal_channels() -> None:
    noise = render_noise((50, 50, 3), RANDOM, grey=True)

    assert noise.dtype == np.uint8
    assert (noise == noise[..., :1]).all()
    assert noise.std() > 10


def test_every_frame_of_a_list_is_changed() -> None:
    frames = [np.zeros((2, 2, 3), np.uint8)] * 2

    assert [frame.max() for frame in change_frames(frames, lambda frame: frame + 1, "Me")] == [1, 1]


@pytest.mark.parametrize("rendered", [None, "text", np.zeros((2, 2)), np.zeros((2, 2, 4)), [None]], ids=repr)
def test_invalid_frame_is_rejected(rendered: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^Me expects frames of shape \(height, width, 3\), as in rgb_array mode, got "
    ):
        change_frames(rendered, lambda frame: frame, "Me")
