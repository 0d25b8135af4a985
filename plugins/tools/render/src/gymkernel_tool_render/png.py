"""PNG files, by zlib alone."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["as_rgb", "encode_png"]

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
TRUECOLOUR: Final = 2


def as_rgb(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """A picture as (height, width, 3): grey is repeated, a fourth channel is left out.

    Raises:
        ValueError: another shape or dtype.
    """
    shaped = picture[..., None] if picture.ndim == 2 else picture
    if shaped.dtype != np.uint8 or shaped.ndim != 3 or shaped.shape[2] not in {1, 3, 4} or 0 in shaped.shape:
        raise ValueError(f"Expected a picture of (height, width, 3), uint8, got {picture.shape}, {picture.dtype}")
    return np.repeat(shaped, 3, axis=2) if shaped.shape[2] == 1 else shaped[..., :3]


def encode_png(picture: NDArray[Any]) -> bytes:
    r"""A picture as the bytes of a PNG file.

    Args:
        picture: uint8, of (height, width, 3); (height, width) is grey, a fourth channel is left out.

    Raises:
        ValueError: another shape or dtype.

    Format: the W3C recommendation "Portable Network Graphics (PNG) Specification", truecolour of 8 bits.

    >>> encode_png(np.zeros((2, 2, 3), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    rgb = as_rgb(picture)
    height, width = rgb.shape[:2]
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # the first byte of a line is its filter, 0 for none
    lines[:, 1:] = rgb.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, TRUECOLOUR, 0, 0, 0)
    return b"".join(
        [
            SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
