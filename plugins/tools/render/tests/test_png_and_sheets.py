"""Test which frames a contact sheet shows, and at which positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel_tool_render import contact_sheet
from gymkernel_tool_render.sheet import GAP, Thinned


def noise(*shape: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def test_single_frame_is_its_own_sheet() -> None:
    picture = noise(5, 7, 3)
    assert np.array_equal(contact_sheet([picture]), picture)


def test_frames_are_arranged_in_rows() -> None:
    pictures = [noise(40, 60, 3) // 2 + i for i in range(6)]
    sheet = contact_sheet(pictures)
    found = [sheet[top : top + 40, left : left + 60] for top in (GAP, 2 * GAP + 40) for left in (6, 6 + 66, 6 + 132)]
    assert sheet.shape == (2 * 46 + 6, 3 * 66 + 6, 3)
    assert np.array_equal(found, pictures)


def test_smaller_frame_is_padded_with_grey() -> None:
    sheet = contact_sheet([np.zeros((40, 60, 3), np.uint8), np.zeros((20, 60), np.uint8)])
    assert (sheet == 0).all(axis=-1).sum() == 40 * 60 + 20 * 60


def test_sheet_without_frames_raises() -> None:
    with pytest.raises(ValueError, match="at least one image"):
        contact_sheet([])


@pytest.mark.parametrize("length", [1, 5, 7, 40, 41, 1000])
def test_thinning_keeps_first_and_last_frame(length: int) -> None:
    thinned = Thinned(5)
    for i in range(length):
        thinned.add(i)
    chosen = thinned.chosen()
    places = [place for place, _ in chosen]
    assert all(place == item for place, item in chosen)
    assert (places[0], places[-1]) == (0, length - 1)
    assert len(places) == min(length, 5)
    steps = np.diff(places)
    assert not len(steps) or steps.max() <= 1.5 * steps.min() + 1


def test_thinning_takes_bounded_memory() -> None:
    thinned = Thinned(5)
    for i in range(10_000):
        thinned.add(i)
        assert len(thinned._kept) <= 20


def test_thinning_to_one_keeps_the_last() -> None:
    thinned = Thinned(1)
    for i in range(10):
        thinned.add(i)
    assert thinned.chosen() == [(9, 9)]
    assert not thinned._kept
