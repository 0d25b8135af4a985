"""Functions that convert images to PNG files, using only zlib, and to HTML."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["as_rgb", "encode_png", "image", "player"]

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
TRUECOLOUR: Final = 2
QUICK: Final = 1
"""The PNG compression level for images in HTML, chosen for speed."""
WIDEST: Final = 480
"""The maximum width of a player in pixels. If a frame is wider, only every second (or third, ...) pixel is shown."""
MOST: Final = 200
"""The maximum number of frames in a player. If a list is longer, evenly spaced frames are selected from it."""
STYLE: Final = "max-width:100%;image-rendering:auto"
SCRIPT: Final = """
(() => {
  const box = document.getElementById(%(id)s), [picture, row] = box.children, [button, slider, place] = row.children;
  const frames = %(frames)s;
  let timer = null;
  const show = (at) => { picture.src = "data:image/png;base64," + frames[at]; slider.value = at;
    place.textContent = `${at + 1} of ${frames.length}`; };
  const stop = () => { clearInterval(timer); timer = null; button.textContent = "▶"; };
  const next = () => {
    if (!box.isConnected || +slider.value + 1 >= frames.length) stop(); else show(+slider.value + 1); };
  button.onclick = () => { if (timer) { stop(); return; }
    if (+slider.value + 1 >= frames.length) show(0);
    button.textContent = "⏸"; timer = setInterval(next, %(pause)s); };
  slider.oninput = () => { stop(); show(+slider.value); };
  show(0); button.onclick();
})();
"""
_numbers = count()


def as_rgb(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert a greyscale or RGBA image to an RGB image of shape (height, width, 3). An alpha channel is dropped.

    Args:
        picture: a greyscale, RGB or RGBA image.

    Raises:
        ValueError: if the shape or dtype is not supported.
    """
    shaped = picture[..., None] if picture.ndim == 2 else picture
    if shaped.dtype != np.uint8 or shaped.ndim != 3 or shaped.shape[2] not in {1, 3, 4} or 0 in shaped.shape:
        raise ValueError(
            f"Expected a uint8 image of shape (height, width, 3), got {picture.dtype} of shape {picture.shape}"
        )
    return np.repeat(shaped, 3, axis=2) if shaped.shape[2] == 1 else shaped[..., :3]


def encode_png(picture: NDArray[Any], level: int = 9) -> bytes:
    r"""Encode an image as a PNG file, and return the bytes of the file.

    Args:
        picture: a uint8 array of shape (height, width, 3), or (height, width) for a greyscale image. An alpha channel
            is dropped.
        level: the zlib compression level, from 0 to 9.

    Raises:
        ValueError: if the shape or dtype is not supported.

    The format is 8-bit truecolour, as defined in the W3C recommendation "Portable Network Graphics (PNG)
    Specification".

    >>> encode_png(np.zeros((2, 2, 3), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    rgb = as_rgb(picture)
    height, width = rgb.shape[:2]
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # the first byte of a line, 0, selects no filter
    lines[:, 1:] = rgb.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, TRUECOLOUR, 0, 0, 0)
    return b"".join(
        [
            SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), level)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def image(picture: NDArray[Any], title: str = "") -> str:
    """Return an HTML image element that contains the data of an image.

    Args:
        picture: a uint8 array of shape (height, width, 3).
        title: the alternative text.

    >>> image(np.zeros((1, 1, 3), np.uint8))[:31]
    '<img src="data:image/png;base64'
    """
    return f'<img src="data:image/png;base64,{_base64(picture)}" alt="{escape(title)}" style="{STYLE}">'


def player(pictures: Sequence[NDArray[Any]], fps: float = 30.0, title: str = "") -> str:
    """Return HTML that plays a list of frames, with a play button and a slider.

    The player requires neither network access nor notebook widgets. If scripts are disabled, for example in an
    untrusted notebook, only the first frame is shown.

    Args:
        pictures: at least one uint8 array of shape (height, width, 3).
        fps: the number of frames per second.
        title: the alternative text.
    """
    frame_step = -(-len(pictures) // MOST)
    pixel_step = -(-pictures[0].shape[1] // WIDEST)
    frames = [_base64(picture[::pixel_step, ::pixel_step]) for picture in pictures[::frame_step]]
    name = f"gymkernel-player-{next(_numbers)}-{zlib.crc32(frames[-1].encode()):08x}"
    pause = max(1000 * frame_step / fps, 20)
    script = SCRIPT % {"id": json.dumps(name), "frames": json.dumps(frames), "pause": f"{pause:.0f}"}
    row = '<div style="display:flex;gap:.5em;align-items:center"><button>▶</button>'
    row += f'<input type="range" min="0" max="{len(frames) - 1}" value="0" style="flex:1"><small></small></div>'
    first = f'<img src="data:image/png;base64,{frames[0]}" alt="{escape(title)}" style="{STYLE}">'
    width = pictures[0][::pixel_step, ::pixel_step].shape[1]
    return f'<div id="{name}" style="width:{width}px;max-width:100%">{first}{row}</div><script>{script}</script>'


def _base64(picture: NDArray[Any]) -> str:
    return b64encode(encode_png(picture, QUICK)).decode("ascii")
