"""Tests that the functions that are generated for nested spaces work for unusual spaces."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from gymkernel import ops
from gymkernel.spaces import Box, Dict, Space
from gymkernel_util_spaces.codec import codec
from gymkernel_util_spaces.plans import register
from gymkernel_util_spaces.vectors import of_parts


class Hot(Space[int]):
    """A space of n integers with its own operations. If n is 0, elements are flattened to empty vectors."""

    is_np_flattenable = True

    def __init__(self, n: int) -> None:
        super().__init__((), np.int64)
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return int(self.np_random.integers(self.n)) if self.n else 0

    def contains(self, x: Any) -> bool:
        return bool(0 <= x < max(self.n, 1))


ops.flatdim.register(Hot, lambda space: space.n)
ops.flatten_space.register(Hot, lambda space: Box(0, 1, (space.n,), np.int64))


@ops.flatten.register(Hot)
def _flatten_hot(space: Hot, x: int) -> Any:
    if not space.contains(x):
        raise ValueError(f"{x} is not hot")
    return np.eye(space.n, dtype=np.int64)[x] if space.n else np.zeros(0, np.int64)


@ops.unflatten.register(Hot)
def _unflatten_hot(space: Hot, x: Any) -> int:
    return int(x.argmax()) if space.n else 0


class Row(Space[Any]):
    """A space of tuples that contain one element of each inner space."""

    is_np_flattenable = True

    def __init__(self, *spaces: Any) -> None:
        super().__init__()
        self.spaces = spaces

    def seed(self, seed: Any = None) -> Any:
        return [space.seed(seed) for space in self.spaces]

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return tuple(space.sample() for space in self.spaces)


register(Row)(lambda space: of_parts([(i, codec(part)) for i, part in enumerate(space.spaces)], named=False))
ops.flatdim.register(Row, lambda space: codec(space).size)  # type: ignore[union-attr]
ops.flatten.register(Row, lambda space, x: codec(space).flatten(x))  # type: ignore[union-attr]
ops.unflatten.register(Row, lambda space, x: codec(space).read(x))  # type: ignore[union-attr]
ops.flatten_space.register(Row, lambda space: Box(0, 1, (codec(space).size,), codec(space).dtype))  # type: ignore[union-attr]

NOTHING = Hot(0)
DEEP = Dict({"x": Box(0, 1, (2,))})
for _ in range(60):
    DEEP = Dict({"in": DEEP, "t": Row(Box(0, 1))})

SPACES = [
    Dict({}),
    Dict({"a": Dict({}), "b": Row()}),
    Dict({'"quoted"\n': Box(0, 1), "import os": Hot(3), "{0}": Box(0, 1, (2, 2))}),
    Dict([(1, Box(0, 1)), ((2, "b"), Box(0, 255, (3, 1), np.uint8)), (None, Hot(2))]),
    Dict({"a": Box(0, 1, (2,)), "b": Box(0, 1, (2, 2)), "c": Box(0, 1, ()), "d": Box(0, 1, (0, 3)), "e": Box(0, 1)}),
    Dict({"a": Box(0, 1, (2,)), "b": Box(0, 1, (2,), np.float64), "c": Box(0, 1, (2,), ">f4"), "d": Box(0, 1, (2,))}),
    Dict({"a": Row(Box(0, 1), Dict({"x": Hot(100)}), Row(Hot(2), Box(0, 1))), "b": Box(0, 1)}),
    Dict({"a": NOTHING, "b": NOTHING, "c": Box(0, 1), "d": NOTHING}),
    DEEP,
]


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and (a == b).all())
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("space", SPACES, ids=range(len(SPACES)))
class TestEverySpace:
    def test_unflatten_of_compiled_flatten_returns_the_element(self, space: Dict) -> None:
        space.seed(1)
        x = space.sample()

        assert equal(ops.unflatten(space, ops.flatten(space, x)), x)

    def test_vector_contains_the_parts_in_order(self, space: Dict) -> None:
        space.seed(1)
        x = space.sample()

        vector = ops.flatten(space, x)

        parts = [ops.flatten(part, x[key]) for key, part in space.spaces.items()]
        assert vector.tolist() == [number for part in parts for number in part.tolist()]
        assert vector.dtype == ops.flatten_space(space).dtype

    def test_offset_keeps_earlier_entries(self, space: Dict) -> None:
        space.seed(1)
        x, whole = space.sample(), codec(space)
        assert whole is not None
        out = np.zeros(3 + whole.size, whole.dtype)

        whole.writer(3)(x, out)

        assert equal(whole.reader(3)(out), x)
        assert not out[:3].any()


class TestElements:
    space = Dict({"a": Box(0, 1, (2,)), "b": Row(Box(0, 1, (2, 2)), Hot(3))})

    def element(self, **parts: Any) -> dict[str, Any]:
        return {"a": np.zeros(2, np.float32), "b": (np.zeros((2, 2), np.float32), 1), **parts}

    @pytest.mark.parametrize("a", [[0, 1], (0.0, 1.0), np.array([0, 1]), np.array([[0], [1]], "f4")])
    def test_array_likes_are_converted(self, a: Any) -> None:
        assert ops.flatten(self.space, self.element(a=a))[:2].tolist() == [0, 1]

    @pytest.mark.parametrize("a", [0.5, np.zeros(1, "f4"), np.zeros(3, "f4"), []])
    def test_array_with_wrong_size_is_rejected(self, a: Any) -> None:
        with pytest.raises(ValueError, match=r"Expected an array of shape \(2,\), got shape \("):
            ops.flatten(self.space, self.element(a=a))

    def test_tuple_with_wrong_length_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="Expected an element with 2 parts, got 3"):
            ops.flatten(self.space, self.element(b=(np.zeros((2, 2), "f4"), 1, 0)))

    def test_missing_part_is_named(self) -> None:
        with pytest.raises(KeyError, match="'b'"):
            ops.flatten(self.space, {"a": np.zeros(2, "f4")})

    def test_invalid_part_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="7 is not hot"):
            ops.flatten(self.space, self.element(b=(np.zeros((2, 2), "f4"), 7)))

    def test_unflattened_parts_do_not_share_memory(self) -> None:
        back = ops.unflatten(self.space, np.zeros(9))

        back["a"][...] = 1

        assert not back["b"][0].any()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_copy_flattens_independently(duplicate: Any) -> None:
    space = Dict({"a": Box(0, 1, (2,)), "b": Hot(3)})
    ops.flatten(space, space.sample())

    twin = duplicate(space)
    twin["c"] = Box(0, 1)

    assert (ops.flatdim(space), ops.flatdim(twin)) == (5, 6)
    assert ops.flatten(twin, twin.sample()).shape == (6,)
