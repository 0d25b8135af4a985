"""What wrappers ask of spaces, by what a space has: that of another library is as good as ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["parts_of", "require_box", "require_image"]


def parts_of(space: Any) -> dict[Any, Any] | tuple[Any, ...] | None:
    """The spaces inside of a Dict, as a dict, or of a Tuple, as a tuple; None for any other space.

    Args:
        space: a space of any library.
    """
    inside = getattr(space, "spaces", None)
    if isinstance(inside, Mapping):
        return dict(inside)
    if isinstance(space, Sequence) and isinstance(inside, Sequence):  # a OneOf is no sequence
        return tuple(inside)
    return None


def require_box(space: Any, wrapper: str, role: str = "observation") -> None:
    """Raise a TypeError that names the wrapper, unless a space has the bounds, the shape and the dtype of a Box.

    Args:
        space: of any library.
        wrapper: who asks.
        role: "observation" or "action".
    """
    if not all(hasattr(space, name) for name in ("low", "high", "shape", "dtype")):
        raise TypeError(f"{wrapper} expects a Box as {role} space, got {space}")


def require_image(space: Any, wrapper: str) -> None:
    """Raise unless a space is a Box of images: uint8 from 0 to 255, with an axis for rows and one for columns in front.

    Args:
        space: of any library.
        wrapper: who asks.

    Raises:
        TypeError: it is no Box.
        ValueError: its elements are no such images.
    """
    require_box(space, wrapper)
    whole = space.dtype == np.uint8 and (space.low == 0).all() and (space.high == 255).all()
    if not whole or len(space.shape) not in {2, 3}:
        raise ValueError(
            f"{wrapper} expects images: a Box of uint8 from 0 to 255, of shape (height, width) or (height, width, "
            f"channels), got {space}"
        )
