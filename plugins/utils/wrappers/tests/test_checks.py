"""Tests of the functions that check spaces, with classes from outside gymkernel."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel_util_wrappers.checks import parts_of, require_box, require_image


def box(shape: tuple[int, ...] = (4, 4, 3), low: int = 0, high: int = 255, dtype: Any = np.uint8) -> Any:
    return SimpleNamespace(low=np.full(shape, low), high=np.full(shape, high), shape=shape, dtype=np.dtype(dtype))


class Several(Sequence[Any]):
    """A class that looks like a Tuple from another library."""

    def __init__(self, *spaces: Any) -> None:
        self.spaces = spaces

    def __getitem__(self, index: Any) -> Any:
        return self.spaces[index]

    def __len__(self) -> int:
        return len(self.spaces)


def test_dict_has_parts_by_key() -> None:
    assert parts_of(SimpleNamespace(spaces={"a": 1, "b": 2})) == {"a": 1, "b": 2}


def test_tuple_has_parts_in_order() -> None:
    assert parts_of(Several(1, 2)) == (1, 2)


def test_one_of_has_no_parallel_parts() -> None:
    assert parts_of(SimpleNamespace(spaces=(1, 2))) is None


def test_single_space_has_no_parts() -> None:
    assert parts_of(box()) is None


def test_spaces_with_bounds_are_boxes() -> None:
    require_box(box(), "Mine")


def test_spaces_without_bounds_are_not_boxes() -> None:
    with pytest.raises(TypeError, match=r"^Mine expects a Box as action space, got a thing$"):
        require_box("a thing", "Mine", "action")


@pytest.mark.parametrize("shape", [(4, 4), (4, 4, 3), (4, 4, 1)])
def test_image_spaces_are_recognized(shape: tuple[int, ...]) -> None:
    require_image(box(shape), "Mine")


@pytest.mark.parametrize("wrong", [{"shape": (4,)}, {"shape": (2, 4, 4, 3)}, {"high": 1}, {"low": 1}, {"dtype": "f4"}])
def test_other_spaces_are_not_images(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^Mine expects a Box of uint8 images from 0 to 255 with shape"):
        require_image(box(**wrong), "Mine")
