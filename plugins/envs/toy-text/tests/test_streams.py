from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymkernel.utils import seeding
from gymkernel_env_toy_text.streams import Streams

N = 4
DRAWS = st.tuples(
    st.sampled_from([None, 1, 2, 3, 4, 13, 7, 2**31 + 11, 2**32 - 5]), st.lists(st.booleans(), min_size=N, max_size=N)
)


def generators(seeds: range = range(N)) -> list[np.random.Generator]:
    return [seeding.np_random(seed)[0] for seed in seeds]


def seeded() -> Streams:
    streams = Streams(N)
    streams.seed(range(N), list(range(N)))
    return streams


@settings(deadline=None)
@given(st.lists(DRAWS, min_size=1, max_size=150))
def test_every_number_equals_the_generators(draws: list[Any]) -> None:
    streams, alone = seeded(), generators()
    for below, chosen in draws:
        where = np.flatnonzero(chosen)
        if below is None:
            assert streams.random(where).tolist() == [alone[i].random() for i in where]
        elif below > 1:  # NumPy uses no random bits if the interval contains only one integer
            assert streams.integers(below, where).tolist() == [int(alone[i].integers(below)) for i in where]
    for copied, own in zip(streams.generators, alone, strict=True):
        assert copied.bit_generator.state == own.bit_generator.state


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.sampled_from([2, 3, 13, 2**31 + 11]), min_size=1, max_size=5), DRAWS), max_size=60)
)
def test_rows_are_consecutive_numbers(draws: list[Any]) -> None:
    streams, alone = seeded(), generators()
    for below, (_, chosen) in draws:
        where = np.flatnonzero(chosen)
        expected = [[int(alone[i].integers(n)) for n in below] for i in where]
        if where.size:
            assert streams.rows(below, where).tolist() == expected
    for copied, own in zip(streams.generators, alone, strict=True):
        assert copied.bit_generator.state == own.bit_generator.state


def test_rejected_numbers_are_drawn_again() -> None:
    below, streams, alone = 2**31 + 11, seeded(), generators()  # about half of the generated numbers are rejected
    where = np.arange(N)
    for _ in range(300):
        assert streams.integers(below, where).tolist() == [int(item.integers(below)) for item in alone]


def test_all_rows_at_once() -> None:
    streams, alone = seeded(), generators()
    for _ in range(200):
        assert streams.random(None).tolist() == [item.random() for item in alone]


def test_copied_generators_give_the_same_numbers() -> None:
    streams, twin = seeded(), seeded()
    for generator in streams.generators:
        generator.random(5)
    assert streams.random(None).tolist() == twin.random(None).tolist()


def test_generators_can_be_replaced() -> None:
    streams, alone = seeded(), generators(range(10, 10 + N))
    for item in alone:
        item.integers(3)
    streams.generators = tuple(alone)
    assert streams.seeds == (-1,) * N
    assert streams.integers(13, np.arange(N)).tolist() == [int(item.integers(13)) for item in alone]


@pytest.mark.parametrize(
    "given", [(), generators(range(2)), [np.random.Generator(np.random.MT19937(i)) for i in range(N)]]
)
def test_invalid_generators_are_rejected(given: Any) -> None:
    with pytest.raises(TypeError, match="4 PCG64 generators"):
        seeded().generators = given


def test_seeds_give_reproducible_streams() -> None:
    streams = Streams(2)
    assert len(set(streams.seeds)) == 2
    streams.seed([1], [5])
    kept = streams.seeds[0]
    streams.seed([0, 1], [None, 6])
    assert streams.seeds == (kept, 6)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda streams: pickle.loads(pickle.dumps(streams))])
def test_copy_continues_identically(copied: Any) -> None:
    streams = seeded()
    streams.integers(3, np.array([0, 2]))
    twin = copied(streams)
    for _ in range(100):
        assert streams.random(None).tolist() == twin.random(None).tolist()
        assert streams.integers(5, np.arange(N)).tolist() == twin.integers(5, np.arange(N)).tolist()
