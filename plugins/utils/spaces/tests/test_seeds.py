"""Tests of `split_seeds`, which derives seeds for a space and its inner spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel_util_spaces.choice import split_seeds


class TestSpread:
    @given(st.integers(0, 2**32), st.integers(0, 5))
    def test_one_seed_gives_a_seed_for_each(self, seed: int, n: int) -> None:
        found = split_seeds(seed, n)

        assert found[0] == seed
        assert len(found) == 1 + n
        assert found == split_seeds(seed, n)

    def test_none_gives_none_for_each(self) -> None:
        assert split_seeds(None, 2) == [None, None, None]

    def test_sequence_has_a_seed_for_each(self) -> None:
        assert split_seeds((1, None, 3), 2) == [1, None, 3]

    def test_wrong_length_error_shows_both_lengths(self) -> None:
        with pytest.raises(ValueError, match="Expected 3 seeds for the space and its 2 inner spaces, got 1 seeds"):
            split_seeds([1], 2)

    def test_other_values_raise(self) -> None:
        with pytest.raises(TypeError, match="an integer, a sequence of integers, or None, got 'x'"):
            split_seeds("x", 2)
