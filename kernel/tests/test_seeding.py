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
def test_generator_is_numpys_pcg64(seed: int) -> None:
    generator, used = seeding.np_random(seed)

    theirs = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    assert used == seed
    assert generator.random() == theirs.random()


def test_random_seed_is_returned() -> None:
    generator, used = seeding.np_random()

    assert generator.random() == seeding.np_random(used)[0].random()


def test_two_generators_without_seed_differ() -> None:
    assert seeding.np_random()[1] != seeding.np_random()[1]


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.array(7), 7])
def test_numpy_integers_are_valid_seeds(seed: Any) -> None:
    assert seeding.as_seed(seed) == 7
    assert type(seeding.as_seed(seed)) is int
    assert seeding.np_random(seed)[1] == 7


@pytest.mark.parametrize("seed", [-1, np.int64(-1), 1.0, np.float32(1), "1", None, [1], np.array([1, 2]), b"x"])
def test_invalid_seed_error_names_the_type(seed: Any) -> None:
    with pytest.raises(error.Error, match=rf"an integer >= 0, got .* \({type(seed).__name__}\)"):
        seeding.as_seed(seed)


def test_twin_continues_the_stream_independently() -> None:
    original, _ = seeding.np_random(1)
    original.random()

    twin = seeding.twin(original)

    assert twin.random(5).tolist() == original.random(5).tolist()
    twin.random()
    assert twin.random() != original.random()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox, np.random.MT19937, np.random.SFC64])
def test_twin_has_the_same_bit_generator(bits: Any) -> None:
    original = np.random.Generator(bits(3))

    twin = seeding.twin(original)

    assert type(twin.bit_generator) is bits
    assert twin.integers(1000) == original.integers(1000)


def test_generator_aliases_are_numpys_classes() -> None:
    assert seeding.RNG is seeding.RandomNumberGenerator is np.random.Generator
