"""Tests of `AddWhiteNoise`, in particular the amount and colour of the noise."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.error import InvalidProbability
from gymkernel.wrappers import AddWhiteNoise


class Red(Env[Any, Any]):
    """An environment that renders a red frame."""

    render_mode = "rgb_array"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def render(self) -> Any:
        return np.full((80, 100, 3), (255, 0, 0), np.uint8)


def rendered(env: Any, seed: int = 3) -> Any:
    env.reset(seed=seed)
    return env.render()


def noisy(frame: Any) -> Any:
    return (frame != (255, 0, 0)).any(-1)


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.9])
def test_number_of_noisy_pixels_follows_the_probability(probability: float) -> None:
    frame = rendered(AddWhiteNoise(Red(), probability))

    assert noisy(frame).mean() == pytest.approx(probability, abs=0.02)
    assert frame.dtype == np.uint8


def test_noise_can_be_grey() -> None:
    frame = rendered(AddWhiteNoise(Red(), 0.5, is_noise_grayscale=True))
    noise = frame[noisy(frame)]

    assert frame.dtype == np.uint8
    assert (noise == noise[:, :1]).all()


def test_noise_follows_the_environments_seed() -> None:
    env = AddWhiteNoise(Red(), 0.5)

    assert np.array_equal(rendered(env, 1), rendered(env, 1))
    assert not np.array_equal(rendered(env, 1), rendered(env, 2))


@pytest.mark.parametrize("probability", [-0.1, 1.0, np.nan])
def test_invalid_probability_is_rejected(probability: float) -> None:
    with pytest.raises(InvalidProbability, match=r"^AddWhiteNoise expects the probability to be in \[0, 1\), got"):
        AddWhiteNoise(Red(), probability)


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    again = AddWhiteNoise(Red(), **json.loads(json.dumps(AddWhiteNoise(Red(), 0.5, True)._saved_kwargs)))

    assert again.probability_of_noise_per_pixel == 0.5
    assert again.is_noise_grayscale
