"""Tests that PNG files follow the specification and that image elements and players contain their images."""

from __future__ import annotations

import json
import re
import struct
import zlib
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from gymkernel_util_spaces.pictures import encode_png, image, player


def decoded(data: bytes) -> Any:
    """Decode a truecolour PNG file without filters, and check its signature, its chunks and their checksums."""
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


def test_image_survives_a_png_round_trip() -> None:
    picture = noise(5, 7, 3)
    assert np.array_equal(decoded(encode_png(picture)), picture)


def test_non_contiguous_image_survives_a_png_round_trip() -> None:
    picture = noise(7, 5, 3).transpose(1, 0, 2)[::-1]
    assert np.array_equal(decoded(encode_png(picture)), picture)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1)])
def test_grey_image_gets_three_equal_channels(shape: tuple[int, ...]) -> None:
    picture = noise(*shape)
    found = decoded(encode_png(picture))
    assert (found == picture.reshape(5, 7, 1)).all()


def test_alpha_channel_is_dropped() -> None:
    picture = noise(5, 7, 4)
    assert np.array_equal(decoded(encode_png(picture)), picture[..., :3])


@pytest.mark.parametrize("picture", [np.zeros((5, 7, 3)), np.zeros((5, 7, 2), np.uint8), np.zeros((0, 7, 3), np.uint8)])
def test_non_image_is_rejected(picture: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected a uint8 image of shape \(height, width, 3\), got"):
        encode_png(picture)


def shown(html: str) -> list[Any]:
    """Return the frames that a player's script contains."""
    frames: list[str] = json.loads(re.findall(r"frames = (\[.*\]);", html)[0])
    return [decoded(b64decode(frame)) for frame in frames]


def test_html_image_contains_the_png_and_alt_text() -> None:
    picture = noise(5, 7, 3)
    data, title = re.findall(r'^<img src="data:image/png;base64,(.*?)" alt="(.*?)" ', image(picture, "<a>"))[0]
    assert np.array_equal(decoded(b64decode(data)), picture)
    assert title == "&lt;a&gt;"


def test_player_contains_all_frames_and_shows_the_first() -> None:
    pictures = [noise(5, 7, 3) + i for i in range(4)]
    html = player(pictures, fps=8)
    assert all(map(np.array_equal, shown(html), pictures))
    assert "setInterval(next, 125)" in html
    assert np.array_equal(decoded(b64decode(re.findall(r"^<div.*?base64,(.*?)\"", html)[0])), pictures[0])


def test_long_film_of_large_frames_is_thinned() -> None:
    pictures = [np.full((10, 1000, 3), i % 256, np.uint8) for i in range(450)]
    html = player(pictures, fps=30)
    frames = shown(html)
    assert [int(frame[0, 0, 0]) for frame in frames] == [i % 256 for i in range(0, 450, 3)]
    assert frames[0].shape == (4, 334, 3)
    assert "setInterval(next, 100)" in html


def test_players_on_one_page_have_different_ids() -> None:
    names = [re.findall(r'^<div id="(.*?)"', player([noise(2, 2, 3)]))[0] for _ in range(2)]
    assert len(set(names)) == 2
