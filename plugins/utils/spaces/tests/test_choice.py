"""Tests of masks and probabilities for sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel_util_spaces.choice import check_weights, choose, mask_or_probability


def test_mask_and_probability_are_exclusive() -> None:
    assert mask_or_probability(1, None) == ("mask", 1)
    assert mask_or_probability(None, 2) == ("probability", 2)
    with pytest.raises(ValueError, match="a mask or a probability, got both"):
        mask_or_probability(1, 2)


@pytest.mark.parametrize(
    "name, weights",
    [
        ("mask", [0, 1]),
        ("mask", np.array([0.0, 1.0])),
        ("mask", np.array([0, 1, 1], np.int8)),
        ("mask", np.array([0, 2], np.int8)),
        ("mask", np.array([0, -1], np.int8)),
        ("probability", np.array([0, 1], np.int8)),
        ("probability", np.array([0.5, 0.6])),
        ("probability", np.array([-0.5, 1.5])),
        ("probability", np.array([np.nan, 1.0])),
    ],
    ids=str,
)
def test_invalid_weights_are_rejected(name: str, weights: Any) -> None:
    with pytest.raises(ValueError, match=r"^Expected "):
        check_weights(name, weights, (2,))


def test_choices_follow_the_weights() -> None:
    rng = np.random.default_rng(1)
    assert {int(choose(rng, "mask", np.array([0, 1, 1], np.int8), 3)) for _ in range(50)} == {1, 2}
    assert {int(choose(rng, "probability", np.array([0.5, 0.0, 0.5]), 3)) for _ in range(50)} == {0, 2}


def test_empty_mask_gives_the_first_value() -> None:
    assert choose(np.random.default_rng(1), "mask", np.zeros(3, np.int8), 3) == 0


def test_mask_can_have_numbers_above_one() -> None:
    check_weights("mask", np.array([0, 2], np.int8), (2,), 2)
