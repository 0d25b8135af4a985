"""Tests of `Text`: construction, sampling and operations."""

from __future__ import annotations

import copy
import json
import pickle
import string
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error, ops
from gymkernel.spaces import Box, Text, Tuple, utils


@st.composite
def texts(draw: Any) -> Text:
    low, high = sorted((draw(st.integers(0, 8)), draw(st.integers(0, 8))))
    charset = draw(st.text(st.characters(), min_size=1, max_size=20))
    kind = draw(st.sampled_from([str, list, set, frozenset]))
    return Text(high, min_length=low, charset=kind(charset), seed=draw(st.integers(0, 99)))


class Shout(Text):
    """A subclass of Text with its own `sample`."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return super().sample().upper()


class TestConstruction:
    def test_default_arguments(self) -> None:
        space = Text(5)

        assert (space.min_length, space.max_length, space.shape, space.dtype) == (1, 5, None, np.dtype(str))
        assert space.character_set == frozenset(string.ascii_letters + string.digits)
        assert repr(space) == f"Text(1, 5, charset={''.join(sorted(string.ascii_letters + string.digits))})"

    def test_charset_string_keeps_order_without_duplicates(self) -> None:
        space = Text(5, charset="bananas")

        assert space.character_list == ("b", "a", "n", "s")
        assert space.characters == "abns"
        assert space.character_index("n") == 2
        assert type(space.character_index("n")) is np.int32

    def test_charset_set_is_sorted_for_any_hash_seed(self) -> None:
        program = (
            "from gymkernel.spaces import Text; print(*Text(3, charset=set('hello world')).character_list, sep='')"
        )
        lists = {
            subprocess.run(
                [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
            ).stdout
            for seed in "12"
        }
        assert lists == {b" dehlorw\n"}

    @pytest.mark.parametrize(
        "arguments, exception, message",
        [
            ({"max_length": 2.0}, TypeError, r"max_length to be an integer, got 2.0 \(float\)"),
            ({"max_length": 2, "min_length": None}, TypeError, "min_length to be an integer, got None"),
            ({"max_length": 2, "min_length": -1}, ValueError, "0 <= min_length <= max_length, got -1 and 2"),
            ({"max_length": 2, "min_length": 3}, ValueError, "got 3 and 2"),
            ({"max_length": 2, "charset": ["a", "bc"]}, ValueError, "single characters, got 'bc'"),
            ({"max_length": 2, "charset": ["a", ""]}, ValueError, "single characters, got ''"),
            ({"max_length": 2, "charset": [1]}, TypeError, r"expects charset to contain strings, got 1 \(int\)"),
            ({"max_length": 2, "charset": ""}, ValueError, "expects charset to contain characters .*, got none"),
        ],
    )
    def test_invalid_arguments_are_rejected(self, arguments: Any, exception: Any, message: str) -> None:
        with pytest.raises(exception, match=message):
            Text(**arguments)

    def test_empty_charset_allows_the_empty_string(self) -> None:
        space = Text(3, min_length=0, charset="")

        assert space.sample() == ""
        assert next(space.examples()) in space
        assert ops.create_zero_array(space) == ""

    def test_equality_ignores_the_order_of_characters(self) -> None:
        assert Text(3, charset="ab") == Text(3, charset="ba")
        assert Text(3, charset="ab") != Text(3, charset="abc")
        assert Text(3, charset="ab") != Text(4, charset="ab")
        assert Text(3, charset="ab") != Text(3, min_length=0, charset="ab")
        with pytest.raises(TypeError, match="unhashable"):
            hash(Text(3))


class TestSample:
    @given(texts())
    def test_samples_and_examples_are_in_the_space(self, space: Text) -> None:
        assert all(x in space for x in [space.sample(), *space.examples(), ops.create_zero_array(space)])

    def test_every_length_and_character_is_drawn(self) -> None:
        space = Text(3, min_length=0, charset="abc", seed=1)
        drawn = [space.sample() for _ in range(300)]

        assert {len(x) for x in drawn} == {0, 1, 2, 3}
        assert set("".join(drawn)) == set("abc")

    @pytest.mark.parametrize("name, dtype", [("mask", np.int8), ("probability", np.float64)])
    def test_length_and_characters_can_be_passed(self, name: str, dtype: Any) -> None:
        space = Text(6, charset="abc", seed=1)

        assert space.sample(**{name: (4, np.array([0, 1, 0], dtype))}) == "bbbb"
        assert set(space.sample(**{name: (None, np.array([0, 1, 0], dtype))})) == {"b"}
        assert len(space.sample(**{name: (np.int8(4), None)})) == 4
        assert space.sample(**{name: (None, None)}) in space

    @pytest.mark.parametrize("name", ["mask", "probability"])
    @pytest.mark.parametrize("length", [0, 7, np.int64(-1)])
    def test_length_outside_the_bounds_means_any_length(self, name: str, length: Any) -> None:
        space = Text(6, charset="abc", seed=1)

        drawn = {len(space.sample(**{name: (length, None)})) for _ in range(200)}

        assert drawn == {1, 2, 3, 4, 5, 6}

    def test_empty_character_mask_gives_the_empty_string(self) -> None:
        nothing = (None, np.zeros(3, np.int8))

        assert Text(3, min_length=0, charset="abc").sample(mask=nothing) == ""
        with pytest.raises(ValueError, match="does not contain the empty string, but mask allows no character"):
            Text(3, charset="abc").sample(mask=nothing)

    @pytest.mark.parametrize(
        "weights",
        [
            {"mask": np.ones(3, np.int8)},
            {"mask": (1,)},
            {"mask": (1.0, None)},
            {"mask": (None, [1, 1, 1])},
            {"mask": (None, np.ones(3))},
            {"mask": (None, np.ones(2, np.int8))},
            {"mask": (None, np.full(3, 2, np.int8))},
            {"probability": (None, np.ones(3))},
            {"probability": (None, np.array([-0.5, 0.5, 1]))},
            {"probability": (None, np.ones(3, np.int8))},
            {"mask": (None, None), "probability": (None, None)},
        ],
        ids=repr,
    )
    def test_invalid_masks_and_probabilities_are_rejected(self, weights: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"[Ee]xpect|got both"):
            Text(6, charset="abc").sample(**weights)

    @given(texts(), st.integers(0, 99))
    def test_equal_seeds_give_equal_streams(self, space: Text, seed: int) -> None:
        twin = copy.deepcopy(space)

        assert space.seed(np.int32(seed)) == twin.seed(seed) == seed
        assert [space.sample() for _ in range(3)] == [twin.sample() for _ in range(3)]
        with pytest.raises(error.Error, match="integer >= 0"):
            space.seed("1")

    def test_batches_can_be_sampled(self) -> None:
        batch = Text(3, seed=1).sample_n(4)

        assert batch in ops.batch_space(Text(3), 4)
        assert Shout(3, seed=1).sample_n(4) == tuple(x.upper() for x in batch)


class TestMembership:
    @pytest.mark.parametrize("x", ["a", "ab", "bbb"])
    def test_strings_within_the_bounds_are_contained(self, x: str) -> None:
        assert x in Text(3, charset="ab")

    @pytest.mark.parametrize("x", ["", "abab", "c", b"a", 1, None, ["a"], np.array("a")], ids=repr)
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in Text(3, charset="ab")


class TestKeeping:
    @given(texts())
    def test_json_round_trip(self, space: Text) -> None:
        xs = [space.sample() for _ in range(3)]

        assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(xs)))) == xs

    @given(texts())
    def test_pickles_and_copies_continue_the_stream(self, space: Text) -> None:
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        assert all(twin == space and twin.sample() == x for twin in twins)

    @given(texts())
    def test_descriptions_keep_the_order_of_characters(self, space: Text) -> None:
        back = utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space))))

        assert back == space
        assert back.character_list == space.character_list

    def test_description_is_limited_in_size(self) -> None:
        with pytest.raises(ValueError, match="max_size"):
            utils.space_from_spec({"version": 1, "space": {"kind": "Text", "max_length": 10**12}})

    def test_long_text_space_allocates_memory_lazily(self) -> None:
        assert "abc" in Text(10**12)


class TestOperations:
    @given(texts())
    def test_flatten_round_trip(self, space: Text) -> None:
        x = space.sample()
        flat = ops.flatten(space, x)

        assert flat in ops.flatten_space(space)
        assert flat.shape == (ops.flatdim(space),)
        assert flat.dtype == np.int32
        assert [int(i) for i in flat[: len(x)]] == [int(space.character_index(c)) for c in x]
        assert ops.unflatten(space, flat) == x
        assert ops.unflatten(space, flat.astype(np.float32)) == x

    @pytest.mark.parametrize("x", ["abca", "d"])
    def test_invalid_element_cannot_be_flattened(self, x: str) -> None:
        space = Text(3, charset="abc")

        with pytest.raises(ValueError, match="is not an element of Text"):
            ops.flatten(space, x)

    @given(texts())
    def test_layout_lists_the_fields(self, space: Text) -> None:
        arrays = [np.full(field.shape, 9, field.dtype) for field in space.layout()]
        x = space.sample()

        space.encode(x, arrays)

        assert space.decode(arrays) == x

    @given(texts(), st.integers(1, 4))
    def test_batches_are_tuples(self, space: Text, n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batched = ops.batch_space(space, n)

        batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, n))

        assert isinstance(batched, Tuple)
        assert batch == tuple(xs)
        assert batch in batched
        assert batched.sample() in batched
        assert list(ops.iterate(batched, batch)) == xs
        assert ops.create_empty_array(space, n) in batched
        assert ops.batch_differing_spaces([space] * n) == batched

    def test_the_batch_draws_different_strings(self) -> None:
        assert len(set(ops.batch_space(Text(20, seed=1), 5).sample())) == 5

    def test_equivalence_compares_structure(self) -> None:
        assert ops.is_space_dtype_shape_equiv(Text(3), Text(3, min_length=0))
        assert not ops.is_space_dtype_shape_equiv(Text(3), Text(4))
        assert not ops.is_space_dtype_shape_equiv(Text(3), Text(3, charset="ab"))
        assert not ops.is_space_dtype_shape_equiv(Text(3), Box(0, 1))

    def test_single_text_is_not_a_batch(self) -> None:
        with pytest.raises(error.CustomSpaceError, match="its elements are not batches"):
            ops.iterate(Text(3), "abc")

    def test_subclass_supports_every_operation(self) -> None:
        space = Shout(3, charset="ABC")

        assert ops.unflatten(space, ops.flatten(space, "AB")) == "AB"
        assert isinstance(ops.batch_space(space, 2), Tuple)
