"""Functions that check the spaces of an environment and integer arguments for a wrapper.

The functions examine only the attributes of a space and not its class, so spaces from any library are accepted.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["parts_of", "require_box", "require_image", "require_integer", "require_integers"]


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


def require_integer(value: Any, expected: str, least: int) -> int:
    """Return an argument as an int.

    Args:
        value: the argument.
        expected: the first words of the error message, such as "RepeatAction expects num_repeats".
        least: the smallest valid value.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{expected} to be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{expected} to be at least {least}, got {value}")
    return int(value)


def require_integers(values: Any, number: int | None, least: int, message: str) -> tuple[int, ...]:
    """Return an argument that consists of several integers. A single integer is repeated.

    Args:
        values: the argument.
        number: the expected number of integers, or None if any number is valid.
        least: the smallest valid integer.
        message: the message of the error that is raised if the argument is invalid.
    """
    length = 1 if number is None else number
    try:
        integers = tuple(map(operator.index, values if hasattr(values, "__iter__") else [values] * length))
    except TypeError:
        raise TypeError(message) from None
    if number not in {None, len(integers)} or min(integers, default=least) < least:
        raise ValueError(message)
    return integers
