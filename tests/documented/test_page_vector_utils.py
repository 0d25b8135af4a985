"""Tests of the documentation page from 2022 on batches of spaces and shared memory."""

from __future__ import annotations

import multiprocessing
from multiprocessing.sharedctypes import SynchronizedArray
from typing import Any

import numpy as np
import pytest

from gymkernel import Space
from gymkernel.error import CustomSpaceError
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, Sequence, Text, Tuple
from gymkernel.vector.utils import (
    Buffer,
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)

MOTION = Dict(
    {
        "position": Box(low=0, high=1, shape=(3,), dtype=np.float32),
        "velocity": Box(low=0, high=1, shape=(2,), dtype=np.float32),
    }
)
ELEMENT = {"position": np.ones(3, np.float32), "velocity": np.ones(2, np.float32)}
ARRAYS: list[Any] = [
    Box(0, 1, (2, 3), np.float64),
    Box(0, 9, (), np.int16),
    Discrete(4, start=2),
    MultiDiscrete([[2, 3], [4, 5]]),
    MultiBinary((2, 2)),
]
NESTED: list[Any] = [MOTION, Tuple((Discrete(3), MOTION)), Dict(a=Tuple((MultiBinary(2),)))]
OBJECTS: list[Any] = [Text(3), Sequence(Discrete(3)), Graph(Box(0, 1, (2,)), Discrete(2)), Graph(Discrete(3), None)]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def leaves(space: Any, element: Any) -> list[tuple[Any, Any]]:
    """Yield each array space inside a space, together with the corresponding part of an element."""
    if isinstance(space, Dict):
        return [leaf for key, part in space.spaces.items() for leaf in leaves(part, element[key])]
    if isinstance(space, Tuple):
        return [leaf for part, own in zip(space.spaces, element, strict=True) for leaf in leaves(part, own)]
    return [(space, element)]


class TestBatches:
    def test_dict_is_batched_part_by_part(self) -> None:
        wanted = "Dict('position': Box(0.0, 1.0, (5, 3), float32), 'velocity': Box(0.0, 1.0, (5, 2), float32))"
        assert repr(batch_space(MOTION, n=5)) == wanted

    @pytest.mark.parametrize("space", [*ARRAYS, *NESTED], ids=str)
    def test_batched_samples_are_in_the_batched_space(self, space: Any) -> None:
        items = [space.sample() for _ in range(4)]
        out = create_empty_array(space, n=4)
        batch = concatenate(space, items, out)
        assert batch in batch_space(space, 4)
        assert same(batch, out)
        assert all(same(item, row) for item, row in zip(items, iterate(batch_space(space, 4), batch), strict=True))

    @pytest.mark.parametrize("space", [*ARRAYS, *NESTED, *OBJECTS], ids=str)
    def test_default_batch_size_is_one(self, space: Any) -> None:
        assert batch_space(space) == batch_space(space, 1)
        assert same(create_empty_array(space), create_empty_array(space, 1))

    def test_numbers_of_the_example(self) -> None:
        space = Box(low=0, high=1, shape=(3,), seed=42, dtype=np.float32)
        out = np.zeros((2, 3), dtype=np.float32)
        result = concatenate(space, [space.sample() for _ in range(2)], out)
        wanted = [[0.77395606, 0.43887845, 0.85859793], [0.697368, 0.09417735, 0.97562236]]
        assert result is out
        assert np.array_equal(out, np.array(wanted, np.float32))

    def test_rows_of_the_example(self) -> None:
        space = Dict(
            {
                "position": Box(low=0, high=1, shape=(2, 3), seed=42, dtype=np.float32),
                "velocity": Box(low=0, high=1, shape=(2, 2), seed=42, dtype=np.float32),
            }
        )
        rows = iterate(space, space.sample())
        wanted = [[0.77395606, 0.43887845, 0.85859793], [0.697368, 0.09417735, 0.97562236]]
        velocities = [[0.77395606, 0.43887845], [0.85859793, 0.697368]]
        for position, velocity in zip(wanted, velocities, strict=True):
            row = next(rows)
            assert np.array_equal(row["position"], np.array(position, np.float32))
            assert np.array_equal(row["velocity"], np.array(velocity, np.float32))
        with pytest.raises(StopIteration):
            next(rows)

    @pytest.mark.parametrize(
        "call",
        [
            lambda thing: batch_space(thing, 2),
            lambda thing: concatenate(thing, [0, 1], np.zeros(2)),
            lambda thing: iterate(thing, [0, 1]),
            lambda thing: create_empty_array(thing, 2),
        ],
        ids=["batch_space", "concatenate", "iterate", "create_empty_array"],
    )
    def test_non_space_error_is_a_value_error_and_a_type_error(self, call: Any) -> None:
        for kind in (ValueError, TypeError):
            with pytest.raises(kind, match="expects a space, got 'x'"):
                call("x")


class TestEmptyArrays:
    def test_documented_example(self) -> None:
        made = create_empty_array(MOTION, n=2, fn=np.zeros)
        assert same(made, {"position": np.zeros((2, 3)), "velocity": np.zeros((2, 2))})
        assert {array.dtype for array in made.values()} == {np.dtype(np.float32)}

    @pytest.mark.parametrize("space", [*ARRAYS, *NESTED], ids=str)
    @pytest.mark.parametrize("fn", [np.zeros, np.ones, np.empty])
    def test_n_of_none_gives_one_element(self, space: Any, fn: Any) -> None:
        for part, array in leaves(space, create_empty_array(space, n=None, fn=fn)):
            assert type(array) is np.ndarray
            assert (array.shape, array.dtype) == (part.shape, part.dtype)

    @pytest.mark.parametrize("space", OBJECTS, ids=str)
    def test_n_of_none_gives_the_first_element_without_arrays(self, space: Any) -> None:
        assert same(create_empty_array(space, n=None), create_empty_array(space, n=1)[0])

    def test_custom_space_has_no_empty_array(self) -> None:
        assert create_empty_array(Space(), n=None) is None


class TestSharedMemory:
    @pytest.mark.parametrize("space", [*ARRAYS, *NESTED], ids=str)
    @pytest.mark.parametrize(
        "context", [multiprocessing, multiprocessing.get_context("spawn")], ids=["module", "spawn"]
    )
    def test_written_elements_are_read_back(self, space: Any, context: Any) -> None:
        items = [space.sample() for _ in range(3)]
        memory = create_shared_memory(space, n=3, ctx=context)
        for index, item in enumerate(items):
            write_to_shared_memory(space, index, item, memory)
        read = read_from_shared_memory(space, memory, n=3)
        assert same(read, concatenate(space, items, create_empty_array(space, 3)))

    @pytest.mark.parametrize("space", [*ARRAYS, *NESTED], ids=str)
    def test_arguments_have_the_documented_names(self, space: Any) -> None:
        items = [space.sample() for _ in range(2)]
        out = create_empty_array(space=space, n=2, fn=np.zeros)
        batch = concatenate(space=space, items=iter(items), out=out)
        memory = create_shared_memory(space=space, n=2, ctx=multiprocessing)
        for index, item in enumerate(iterate(space=batch_space(space=space, n=2), items=batch)):
            write_to_shared_memory(space=space, index=index, value=item, shared_memory=memory)
        assert same(read_from_shared_memory(space=space, shared_memory=memory, n=2), batch)

    @pytest.mark.parametrize("space", ARRAYS, ids=str)
    def test_shared_memory_of_arrays_is_a_multiprocessing_array(self, space: Any) -> None:
        memory = create_shared_memory(space, n=3, ctx=multiprocessing)
        items = [space.sample() for _ in range(3)]
        for index, item in enumerate(items):
            write_to_shared_memory(space, index, item, memory)
        assert isinstance(memory, SynchronizedArray)
        assert memory[:] == np.stack(items).ravel().tolist()

    def test_shared_memory_has_the_structure_of_the_space(self) -> None:
        memory = create_shared_memory(Tuple((Discrete(3), MOTION)), n=2)
        assert type(memory) is tuple
        number, motion = memory
        assert (type(motion), list(motion)) == (dict, ["position", "velocity"])
        assert (len(number), len(motion["position"]), len(motion["velocity"])) == (2, 6, 4)

    def test_each_part_is_the_memory_of_its_space(self) -> None:
        memory = create_shared_memory(MOTION, n=2)
        write_to_shared_memory(MOTION["velocity"], 1, [3, 4], memory["velocity"])
        memory["position"][0] = 5
        read: Any = read_from_shared_memory(MOTION, memory, n=2)
        assert (read["velocity"].tolist(), read["position"].tolist()) == ([[0, 0], [3, 4]], [[5, 0, 0], [0, 0, 0]])

    def test_dtypes_without_a_c_type_are_stored_as_bytes(self) -> None:
        space = Box(-1, 1, (2,), np.float16)
        memory = create_shared_memory(space, n=2)
        write_to_shared_memory(space, 1, [0.5, -0.25], memory)
        assert len(memory) == 8
        assert read_from_shared_memory(space, memory, n=2).tolist() == [[0, 0], [0.5, -0.25]]

    def test_part_without_arrays_has_memory(self) -> None:
        space = Dict(word=Text(3), place=Discrete(4))
        memory = create_shared_memory(space, n=2)
        write_to_shared_memory(space, 1, {"word": "ab", "place": 2}, memory)
        assert memory["place"][:] == [0, 2]
        assert read_from_shared_memory(space, memory, n=2)["word"][1] == "ab"

    def test_other_entries_are_not_modified(self) -> None:
        memory = create_shared_memory(Discrete(9), n=3)
        write_to_shared_memory(Discrete(9), 1, 7, memory)
        assert memory[:] == [0, 7, 0]
        with pytest.raises(IndexError):
            write_to_shared_memory(Discrete(9), 3, 7, memory)

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_other_processes_can_write(self, method: str) -> None:
        context: Any = multiprocessing.get_context(method)
        memory = create_shared_memory(MOTION, n=2, ctx=context)
        process = context.Process(target=write_to_shared_memory, args=(MOTION, 1, ELEMENT, memory))
        process.start()
        process.join(60)
        assert process.exitcode == 0
        assert read_from_shared_memory(MOTION, memory, n=2)["velocity"].tolist() == [[0, 0], [1, 1]]

    @pytest.mark.parametrize("memory", [None, {}, Buffer(Discrete(3), 2)], ids=["nothing", "dict", "of numbers"])
    def test_unsuitable_memory_raises(self, memory: Any) -> None:
        with pytest.raises(TypeError, match="Expected the result of create_shared_memory for Text"):
            read_from_shared_memory(Text(3), memory)
        with pytest.raises(CustomSpaceError):
            read_from_shared_memory(Space(), memory)

    def test_read_arrays_share_the_memory(self) -> None:
        memory = create_shared_memory(MOTION, n=2)
        observations: Any = read_from_shared_memory(MOTION, memory, n=2)
        write_to_shared_memory(MOTION, 1, {"position": np.ones(3), "velocity": np.ones(2)}, memory)
        assert observations["position"].sum() == 3
        observations["velocity"][0] = 7
        assert read_from_shared_memory(MOTION, memory, n=2)["velocity"][0].tolist() == [7, 7]
        kept = np.copy(observations["velocity"])
        observations["velocity"][...] = 0
        assert kept.sum() == 16

    def test_default_number_of_elements_is_one(self) -> None:
        memory = create_shared_memory(Discrete(5))
        write_to_shared_memory(Discrete(5), 0, 3, memory)
        assert read_from_shared_memory(Discrete(5), memory).tolist() == [3]

    @pytest.mark.parametrize("thing", [Space(), "x"], ids=["Space", "word"])
    def test_invalid_space_has_no_shared_memory(self, thing: Any) -> None:
        with pytest.raises(CustomSpaceError):
            create_shared_memory(thing, 2)
