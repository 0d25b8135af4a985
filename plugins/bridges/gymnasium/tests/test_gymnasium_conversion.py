"""Test the conversion of spaces between the two libraries."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import gymkernel
from gymkernel.vector.utils import batch_space
from gymkernel_bridge_gymnasium import from_gymnasium, to_gymnasium
from gymkernel_bridge_gymnasium.conversion import element_converter

SAME_GRAPHS = int(gymnasium.__version__.split(".")[1]) > 2
"""Whether this version of Gymnasium samples the links of graphs in the same way as gymkernel."""
KEYS = st.text("abcxyz", min_size=1, max_size=3)
DTYPES = st.sampled_from([np.float32, np.float64, np.int8, np.uint8, np.int64])


def leaves(lib: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a library's spaces that contain no other spaces."""
    return st.one_of(
        st.builds(lambda n, d: lib.Box(0, 5, (n,), d), st.integers(1, 3), DTYPES),
        st.builds(lambda n: lib.Box(-np.inf, np.inf, (n, 2), np.float32), st.integers(1, 2)),
        st.builds(lambda n: lib.Box(-np.inf, 7, (n,), np.int32), st.integers(1, 2)),
        st.builds(lambda n, s: lib.Discrete(n, start=s), st.integers(1, 9), st.integers(-4, 4)),
        st.builds(lambda n: lib.Discrete(n, dtype=np.uint8), st.integers(1, 9)),
        st.builds(lambda n, s: lib.MultiDiscrete([n, 2], start=[s, 0]), st.integers(1, 5), st.integers(-4, 4)),
        st.builds(lib.MultiBinary, st.one_of(st.integers(1, 4), st.just([2, 3]))),
        st.builds(lambda n, c: lib.Text(n, min_length=0, charset=c), st.integers(1, 5), st.sampled_from(["ab", "zyx"])),
        st.builds(
            lambda n, e: lib.Graph(lib.Box(0, 1, (n,)), lib.Discrete(e) if e else None),
            st.integers(1, 2),
            st.integers(0, 3),
        ),
    )


def every(lib: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a library's spaces of all ten kinds, including nested ones."""
    return st.recursive(
        leaves(lib),
        lambda parts: st.one_of(
            st.lists(parts, min_size=1, max_size=3).map(lib.Tuple),
            st.lists(st.tuples(KEYS, parts), min_size=1, max_size=3, unique_by=lambda pair: pair[0]).map(lib.Dict),
            st.lists(parts, min_size=1, max_size=3).map(lib.OneOf),
            st.builds(lib.Sequence, parts),
        ),
        max_leaves=4,
    )


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


def law(space: Any, there: Any, back: Any, seed: int) -> None:
    """Check that converting a space and converting it back gives an equal space, and that all three behave the same."""
    over = there(space)
    again = back(over)
    convert = element_converter(space, there) or (lambda element: element)

    assert again == space
    assert type(again) is type(space)
    assert repr(over) == repr(space)
    assert (over.shape, over.dtype, over.is_np_flattenable) == (space.shape, space.dtype, space.is_np_flattenable)
    assert over.seed(seed) == space.seed(seed) == again.seed(seed)
    drawn = space.sample()
    assert over.contains(convert(drawn))
    if SAME_GRAPHS or "Graph" not in repr(space):
        assert same(over.sample(), drawn)
        assert same(again.sample(), drawn)
    if space.is_np_flattenable:
        flat = gymkernel.spaces.utils.flatten(space, drawn)
        assert np.array_equal(flat, gymkernel.spaces.utils.flatten(over, drawn))


@settings(max_examples=80, deadline=None)
@given(every(theirs), st.integers(0, 1000))
def test_gymnasium_space_survives_a_round_trip(space: Any, seed: int) -> None:
    law(space, from_gymnasium, to_gymnasium, seed)


@settings(max_examples=80, deadline=None)
@given(every(gymkernel.spaces), st.integers(0, 1000))
def test_gymkernel_space_survives_a_round_trip(space: Any, seed: int) -> None:
    law(space, to_gymnasium, from_gymnasium, seed)


def test_graph_is_converted() -> None:
    space = theirs.Graph(theirs.Box(0, 1, (2,)), theirs.Discrete(3))

    assert to_gymnasium(from_gymnasium(space)) == space


def test_converted_space_continues_the_stream() -> None:
    space = theirs.Discrete(1000, seed=4)
    space.sample()

    converted = from_gymnasium(space)

    assert converted.sample() == copy.deepcopy(space).sample()


def test_key_order_is_kept() -> None:
    mine = gymkernel.spaces.Dict([("b", gymkernel.spaces.Discrete(2)), ("a", gymkernel.spaces.Discrete(3))])

    assert list(to_gymnasium(mine).spaces) == ["b", "a"]


@pytest.mark.parametrize("sort_keys, keys", [(True, ["a", "b"]), (False, ["b", "a"])])
def test_batched_converted_space_keeps_key_order(sort_keys: bool, keys: list[str]) -> None:
    pairs = [("b", gymkernel.spaces.Discrete(2)), ("a", gymkernel.spaces.Discrete(3))]
    mine = gymkernel.spaces.Dict(pairs, sort_keys=sort_keys)
    back = from_gymnasium(to_gymnasium(mine))

    assert back.sort_keys is sort_keys
    assert list(batch_space(back, 2)) == list(batch_space(mine, 2)) == keys


def test_unbounded_integers_stay_unbounded() -> None:
    space = theirs.Box(-np.inf, np.inf, (2,), np.int64)

    assert not from_gymnasium(space).is_bounded("above")
    assert not to_gymnasium(from_gymnasium(space)).is_bounded("below")


def test_space_of_the_target_library_is_returned_unchanged() -> None:
    theirs_space, ours = theirs.Discrete(2), gymkernel.spaces.Discrete(2)

    assert to_gymnasium(theirs_space) is theirs_space
    assert from_gymnasium(ours) is ours


@pytest.mark.parametrize("thing", [3, "CartPole-v1", theirs.Box], ids=["number", "text", "class"])
def test_non_space_is_rejected(thing: object) -> None:
    with pytest.raises(TypeError, match="Expected a space or an environment, got"):
        from_gymnasium(thing)


def test_third_party_conversion_is_used_in_composites() -> None:
    class Coin(gymnasium.Space[int]):
        """A third-party space that inherits from Gymnasium's `Space`."""

    from_gymnasium.register(Coin, lambda space: gymkernel.spaces.Discrete(2))

    assert from_gymnasium(theirs.Tuple([Coin()])) == gymkernel.spaces.Tuple([gymkernel.spaces.Discrete(2)])
