"""Pictures: a PNG is read as its specification says, a sheet has its frames in their places."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest

from gymkernel_tool_render import contact_sheet, encode_png
from gymkernel_tool_render.sheet import GAP, Thinned


def decoded(data: bytes) -> Any:
    """A truecolour PNG without filters, after the specification: signature, chunks with their checksums, lines."""
    assert data[:8] == bytes([137, 80, 78, 71, 13, 10, 26, 10])
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        [checksum] = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0]
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def noise(*shape: int) -> Any:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def test_a_picture_survives() -> None:
    picture = noise(5, 7, 3)
    assert np.array_equal(decoded(encode_png(picture)), picture)


def test_a_picture_that_is_not_contiguous_survives() -> None:
    picture = noise(7, 5, 3).transpose(1, 0, 2)[::-1]
    assert np.array_equal(decoded(encode_png(picture)), picture)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1)])
def test_grey_has_three_equal_channels(shape: tuple[int, ...]) -> None:
    picture = noise(*shape)
    found = decoded(encode_png(picture))
    assert (found == picture.reshape(5, 7, 1)).all()


def test_transparency_is_left_out() -> None:
    picture = noise(5, 7, 4)
    assert np.array_equal(decoded(encode_png(picture)), picture[..., :3])


@pytest.mark.parametrize("picture", [np.zeros((5, 7, 3)), np.zeros((5, 7, 2), np.uint8), np.zeros((0, 7, 3), np.uint8)])
def test_what_is_no_picture(picture: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected a picture of \(height, width, 3\), uint8, got"):
        encode_png(picture)


def test_one_picture_is_its_own_sheet() -> None:
    picture = noise(5, 7, 3)
    assert np.array_equal(contact_sheet([picture]), picture)


def test_frames_stand_in_rows_from_left_to_right() -> None:
    pictures = [noise(40, 60, 3) // 2 + i for i in range(6)]
    sheet = contact_sheet(pictures)
    found = [sheet[top : top + 40, left : left + 60] for top in (GAP, 2 * GAP + 40) for left in (6, 6 + 66, 6 + 132)]
    assert sheet.shape == (2 * 46 + 6, 3 * 66 + 6, 3)
    assert np.array_equal(found, pictures)


def test_a_smaller_frame_leaves_its_place_grey() -> None:
    sheet = contact_sheet([np.zeros((40, 60, 3), np.uint8), np.zeros((20, 60), np.uint8)])
    assert (sheet == 0).all(axis=-1).sum() == 40 * 60 + 20 * 60


def test_a_sheet_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one picture"):
        contact_sheet([])


@pytest.mark.parametrize("length", [1, 5, 7, 40, 41, 1000])
def test_thinning_keeps_both_ends_and_is_nearly_even(length: int) -> None:
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


def test_of_one_the_last() -> None:
    thinned = Thinned(1)
    for i in range(10):
        thinned.add(i)
    assert thinned.chosen() == [(9, 9)]
    assert not thinned._kept
