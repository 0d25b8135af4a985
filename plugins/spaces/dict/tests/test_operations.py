"""Tests of operations on Dict, including nested Dicts, third-party spaces and spaces without a fixed size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import ops
from gymkernel.spaces import Box, Dict, Field, Space

if TYPE_CHECKING:
    from gymkernel.space import Layout


class Reading(Space[tuple[float, int]]):
    """A third-party space whose layout consists of two arrays."""

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[float, int]:
        return float(self.np_random.random()), int(self.np_random.integers(9))

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == 2 and 0 <= x[0] < 1 and 0 <= x[1] < 9

    def layout(self) -> Layout:
        return (Field.of(float), Field.of(np.int16))

    def encode(self, x: Any, out: Any) -> None:
        out[0][...], out[1][...] = x

    def decode(self, arrays: Any) -> tuple[float, int]:
        return float(arrays[0]), int(arrays[1])


class Word(Space[str]):
    """A third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "ab"[int(self.np_random.integers(2))] * int(self.np_random.integers(1, 5))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)


class Doubled(Box[Any]):
    """A subclass of Dict for which an operation is registered."""


@ops.flatten.register(Doubled)
def _flatten_doubled(space: Doubled, x: Any) -> Any:
    return np.asarray(x).reshape(-1) * 2


@ops.unflatten.register(Doubled)
def _unflatten_doubled(space: Doubled, x: Any) -> Any:
    return (np.asarray(x) / 2).astype(space.dtype).reshape(space.shape)


def boxes() -> Any:
    dtypes = st.sampled_from(["f4", "f8", "i2", "u1", "?"])
    shapes = st.sampled_from([(), (1,), (3,), (2, 2)])
    return st.builds(lambda shape, dtype: Box(0, 1, shape, np.dtype(dtype)), shapes, dtypes)


def dicts() -> Any:
    leaves = st.one_of(boxes(), st.builds(Reading), st.builds(lambda: Doubled(-1, 1, (2,))))
    return st.recursive(
        leaves, lambda inner: st.dictionaries(st.text("abc", max_size=2), inner, max_size=3).map(Dict), max_leaves=6
    ).map(lambda space: space if isinstance(space, Dict) else Dict(x=space))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    return bool(a == b)


@given(dicts())
def test_flatten_concatenates_the_parts(space: Dict) -> None:
    space.seed(1)
    x = space.sample()
    flat = ops.flatten(space, x)
    expected = [ops.flatten(part, x[key]) for key, part in space.spaces.items()]

    assert flat.shape == (ops.flatdim(space),)
    assert flat.dtype == ops.flatten_space(space).dtype
    assert np.array_equal(flat, np.concatenate(expected) if expected else np.zeros(0))
    assert same(ops.unflatten(space, flat), x)


@given(dicts())
def test_flattened_element_is_in_the_flattened_space(space: Dict) -> None:
    if "Doubled" not in str([type(part).__name__ for part in leaves(space)]):
        assert ops.flatten(space, space.sample()) in ops.flatten_space(space)


def leaves(space: Any) -> list[Any]:
    parts = space.parts()
    return [leaf for _, part in parts for leaf in leaves(part)] if parts else [space]


@given(dicts())
def test_layout_lists_the_fields(space: Dict) -> None:
    x = space.sample()
    layout = space.layout()
    assert layout is not None
    arrays = [np.zeros(field.shape, field.dtype) for field in layout]

    space.encode(x, arrays)

    assert same(space.decode(arrays), x)


@given(dicts(), st.integers(1, 3))
def test_batches_are_concatenated_and_iterated(space: Dict, n: int) -> None:
    if not all(isinstance(leaf, Box) for leaf in leaves(space)) or not ops.flatdim(space):
        return
    xs = [space.sample() for _ in range(n)]
    batched = ops.batch_space(space, n)

    batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, n))

    assert batch in batched
    assert batched.sample() in batched
    assert list(batched) == list(space)
    assert ops.create_zero_array(space) in space
    assert ops.batch_differing_spaces([space] * n) == batched
    assert ops.is_space_dtype_shape_equiv(space, space)
    if all(len(part.parts()) or isinstance(part, Box) for part in space.values()) and "{}" not in str(xs):
        rows = list(ops.iterate(batched, batch))
        assert len(rows) == n
        assert all(np.array_equal(ops.flatten(space, a), ops.flatten(space, b)) for a, b in zip(rows, xs, strict=True))


class TestParts:
    space = Dict(a=Box(-1, 1, (2, 2)), b=Word())

    def test_variable_size_elements_flatten_to_dicts(self) -> None:
        with pytest.raises(ValueError, match="cannot flatten its elements to vectors"):
            ops.flatdim(self.space)
        assert not self.space.is_np_flattenable
        assert self.space.layout() is None

    def test_unflatten_of_a_vector_raises_for_variable_sizes(self) -> None:
        with pytest.raises(TypeError, match="Cannot unflatten ndarray to Dict"):
            ops.unflatten(self.space, np.zeros(4))

    def test_empty_arrays_contain_none_for_variable_sizes(self) -> None:
        assert ops.create_empty_array(self.space, 2)["b"] is None

    def test_concatenated_variable_size_elements_are_tuples(self) -> None:
        xs = [self.space.sample() for _ in range(2)]

        assert ops.concatenate(self.space, xs, ops.create_empty_array(self.space, 2))["b"] == (xs[0]["b"], xs[1]["b"])


def test_differing_spaces_must_have_the_same_keys() -> None:
    with pytest.raises(ValueError, match=r"the same keys, got \['a'\] at index 0 and \['b'\] at index 1"):
        ops.batch_differing_spaces([Dict(a=Box(0, 1)), Dict(b=Box(0, 1))])
    batched = ops.batch_differing_spaces([Dict(a=Box(0, 1)), Dict(a=Box(0, 2))])
    assert batched["a"].high.ravel().tolist() == [1, 2]


@pytest.mark.parametrize(
    "other, equivalent",
    [
        (Dict(a=Box(0, 9)), True),
        (Dict(a=Box(0, 1, (2,))), False),
        (Dict(b=Box(0, 1)), False),
        (Dict(a=Box(0, 1), b=Box(0, 1)), False),
        (Box(0, 1), False),
    ],
)
def test_equivalence_compares_structure(other: Any, equivalent: bool) -> None:
    assert ops.is_space_dtype_shape_equiv(Dict(a=Box(0, 1)), other) is equivalent


@pytest.mark.parametrize("sort_keys, keys", [(True, ["a", "b"]), (False, ["b", "a"])])
def test_derived_spaces_keep_the_sorting_of_keys(sort_keys: bool, keys: list[str]) -> None:
    space = Dict([("b", Box(0, 1)), ("a", Box(0, 1))], sort_keys=sort_keys)

    for made in (ops.batch_space(space, 2), ops.batch_differing_spaces([space, space])):
        assert list(made) == keys
        assert made.sort_keys is sort_keys


def test_flattened_vector_follows_the_order_of_its_space() -> None:
    space = Dict([("b", Box(0, 1)), ("a", Box(0, 1))])
    element = {"b": np.array([1], np.float32), "a": np.array([0], np.float32)}

    assert ops.flatten(space, element).tolist() == [1, 0]
    assert ops.flatten(ops.batch_space(space, 1), {key: x[None] for key, x in element.items()}).tolist() == [0, 1]


def test_subclass_supports_every_operation() -> None:
    class Pose(Dict):
        def __init__(self) -> None:
            super().__init__(x=Box(0, 1), y=Box(0, 1))

    space = Pose()

    assert ops.flatten(space, space.sample()).shape == (2,)
    assert list(ops.batch_space(space, 2)) == ["x", "y"]
    assert ops.batch_differing_spaces([space, Pose()])["x"].shape == (2, 1)


def test_wrong_shapes_cannot_be_flattened() -> None:
    with pytest.raises(ValueError, match=r"Expected an array of shape \(2,\), got shape \(1,\)"):
        ops.flatten(Dict(a=Box(0, 1, (2,))), {"a": np.zeros(1, np.float32)})
