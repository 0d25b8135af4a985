"""Tests of seeds and of random number generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.utils import seeding


@given(st.integers(0, 2**128))
def test_the_stream_is_that_of_numpys_pcg64(seed: int) -> None:
    generator, used = seeding.np_random(seed)

    theirs = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    assert used == seed
    assert generator.random() == theirs.random()


def test_without_a_seed_the_one_drawn_is_returned() -> None:
    generator, used = seeding.np_random()

    assert generator.random() == seeding.np_random(used)[0].random()


def test_two_without_a_seed_differ() -> None:
    assert seeding.np_random()[1] != seeding.np_random()[1]


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.array(7), 7])
def test_numpys_integers_are_as_good_as_pythons(seed: Any) -> None:
    assert seeding.as_seed(seed) == 7
    assert type(seeding.as_seed(seed)) is int
    assert seeding.np_random(seed)[1] == 7


@pytest.mark.parametrize("seed", [-1, np.int64(-1), 1.0, np.float32(1), "1", None, [1], np.array([1, 2]), b"x"])
def test_what_is_no_seed_is_named_with_its_type(seed: Any) -> None:
    with pytest.raises(error.Error, match=rf"an integer >= 0, got .* \({type(seed).__name__}\)"):
        seeding.as_seed(seed)


def test_a_twin_goes_on_as_the_original_would_and_by_itself() -> None:
    original, _ = seeding.np_random(1)
    original.random()

    twin = seeding.twin(original)

    assert twin.random(5).tolist() == original.random(5).tolist()
    twin.random()
    assert twin.random() != original.random()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937, np.random.SFC64])
def test_a_twin_is_of_the_same_kind(bits: Any) -> None:
    original = np.random.Generator(bits(3))

    twin = seeding.twin(original)

    assert type(twin.bit_generator) is bits
    assert twin.integers(1000) == original.integers(1000)


def test_the_names_of_the_generator_are_numpys() -> None:
    assert seeding.RNG is seeding.RandomNumberGenerator is np.random.Generator
