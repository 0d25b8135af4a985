"""Functions that check the spaces of an environment for a wrapper.

The functions examine only the attributes of a space and not its class, so spaces from any library are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["parts_of", "require_box", "require_image"]


def parts_of(space: Any) -> dict[Any, Any] | tuple[Any, ...] | None:
    """Return the inner spaces of a Dict as a dict and those of a Tuple as a tuple. For any other space, return None.

    Args:
        space: a space, which may come from any library.
    """
    inside = getattr(space, "spaces", None)
    if isinstance(inside, Mapping):
        return dict(inside)
    if isinstance(space, Sequence) and isinstance(inside, Sequence):  # a OneOf also has `spaces`
        return tuple(inside)
    return None


def require_box(space: Any, wrapper: str, role: str = "observation") -> None:
    """Check that a space has the attributes of a Box: bounds, a shape and a dtype.

    Args:
        space: a space, which may come from any library.
        wrapper: the name of the calling wrapper, for the error message.
        role: "observation" or "action", for the error message.

    Raises:
        TypeError: if the space is not a Box.
    """
    if not all(hasattr(space, name) for name in ("low", "high", "shape", "dtype")):
        raise TypeError(f"{wrapper} expects a Box as {role} space, got {space}")


def require_image(space: Any, wrapper: str) -> None:
    """Check that a space is a Box of uint8 images with shape (height, width) or (height, width, channels).

    Args:
        space: a space, which may come from any library.
        wrapper: the name of the calling wrapper, for the error message.

    Raises:
        TypeError: if the space is not a Box.
        ValueError: if the elements of the Box are not such images, or if its bounds are not 0 and 255.
    """
    require_box(space, wrapper)
    is_uint8 = space.dtype == np.uint8 and (space.low == 0).all() and (space.high == 255).all()
    if not is_uint8 or len(space.shape) not in {2, 3}:
        raise ValueError(
            f"{wrapper} expects a Box of uint8 images from 0 to 255 with shape (height, width) or (height, width, "
            f"channels), got {space}"
        )
