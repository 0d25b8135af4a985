"""Tests of `Space`, the base class of all spaces."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Space, error
from gymkernel.space import Field, examples, require_space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gymkernel.space import Layout


class Angle(Space[Any]):
    """A space of angles, which are arrays of length 1."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__((1,), np.float64, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.uniform(-np.pi, np.pi, size=1)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (1,) and bool(abs(x[0]) <= np.pi)

    def layout(self) -> Layout:
        return (Field.of(float, (1,)),)


class TestField:
    @pytest.mark.parametrize("dtype", ["f4", np.float32, np.dtype("float32")])
    @pytest.mark.parametrize("shape", [(2, 3), [2, 3], np.array([2, 3])])
    def test_field_accepts_numpy_dtypes_and_shapes(self, dtype: Any, shape: Any) -> None:
        field = Field.of(dtype, shape)

        assert field == Field(np.dtype(np.float32), (2, 3))
        assert all(type(n) is int for n in field.shape)

    def test_field_is_frozen(self) -> None:
        with pytest.raises(AttributeError):
            Field.of(float).shape = (2,)  # type: ignore[misc]


class TestConstruction:
    def test_shape_and_dtype_are_normalised(self) -> None:
        space: Space[Any] = Space([2, 3], "f4")

        assert (space.shape, space.dtype) == ((2, 3), np.dtype(np.float32))

    def test_default_shape_and_dtype_are_none(self) -> None:
        space: Space[Any] = Space()

        assert (space.shape, space.dtype, space.layout(), space.is_np_flattenable) == (None, None, None, False)

    def test_shape_is_read_only(self) -> None:
        with pytest.raises(AttributeError):
            Space((2,)).shape = (3,)  # type: ignore[misc]

    def test_methods_of_the_base_class_raise_not_implemented(self) -> None:
        space: Space[Any] = Space()

        for call in (space.sample, lambda: space.contains(0), lambda: 0 in space):
            with pytest.raises(NotImplementedError):
                call()

    def test_space_has_one_type_parameter(self) -> None:
        with pytest.raises(TypeError, match="Too many"):
            Space[int, str]  # type: ignore[misc]


class TestSeeding:
    def test_equal_seeds_give_equal_samples(self) -> None:
        assert Angle(seed=3).sample() == Angle(seed=3).sample()

    def test_samples_use_the_pcg64_stream(self) -> None:
        theirs = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5)))

        assert Space(seed=5).np_random.random() == theirs.random()

    def test_generator_is_used_without_copying(self) -> None:
        generator = np.random.default_rng(0)

        assert Space(seed=generator).np_random is generator

    @pytest.mark.parametrize("seed", [3, np.int64(3), np.uint8(3)])
    def test_seed_returns_a_reusable_python_integer(self, seed: Any) -> None:
        space = Angle()

        used = space.seed(seed)

        assert (used, type(used)) == (3, int)
        assert space.sample() == Angle(seed=used).sample()

    def test_random_seed_is_returned_and_reusable(self) -> None:
        space = Angle()

        used = space.seed()

        assert space.sample() == Angle(seed=used).sample()

    @pytest.mark.parametrize("seed", [-1, 1.5, "3", np.float64(3)])
    def test_invalid_seed_is_rejected(self, seed: Any) -> None:
        with pytest.raises(error.Error, match="the seed to be an integer >= 0, got"):
            Space(seed=seed)

    def test_generator_is_created_at_first_use(self) -> None:
        space: Space[Any] = Space()
        assert space._np_random is None

        first = space.np_random

        assert space.np_random is first is space._np_random


class TestElements:
    @pytest.mark.parametrize("given", [{"mask": 0}, {"probability": np.ones(2)}, {"mask": 0, "probability": 0}])
    def test_draw_only_space_rejects_mask_and_probability(self, given: dict[str, Any]) -> None:
        class Die(Space[int]):
            def draw(self) -> int:
                return int(self.np_random.integers(1, 7))

        assert Die(seed=3).sample() == Die(seed=3).sample(mask=None, probability=None) in range(1, 7)
        with pytest.raises(ValueError, match="does not support sampling with a mask or probabilities"):
            Die().sample(**given)

    def test_in_operator_calls_contains(self) -> None:
        assert np.array([1.0]) in Angle()
        assert np.array([9.0]) not in Angle()

    def test_default_json_form_is_a_list(self) -> None:
        space: Space[Any] = Space()

        assert space.to_jsonable((1, "a")) == [1, "a"]
        assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable([1, 2])))) == [1, 2]

    @pytest.mark.parametrize("shape", [(), (2,), (2, 0)])
    def test_json_of_arrays_and_numbers_contains_their_values(self, shape: tuple[int, ...]) -> None:
        class Levels(Space[Any]):
            def layout(self) -> Any:
                return (Field.of(np.float32, shape),)

        elements = [np.ones(shape, np.float32)[()], np.full(shape, 0.1, np.float32)[()]]
        for space in (Levels(), Space(shape, np.float32)):
            made = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(elements))))

            assert [(type(x), x.dtype, x.shape, x.tolist()) for x in made] == [
                (type(x), x.dtype, x.shape, x.tolist()) for x in elements
            ]

    def test_json_of_a_self_decoding_space_is_unchanged(self) -> None:
        class Word(Space[str]):
            def layout(self) -> Any:
                return (Field.of(np.int8),)

            def decode(self, arrays: Any) -> str:
                return "go " * int(arrays[0])

        assert Word().from_jsonable(Word().to_jsonable(["go ", "go go "])) == ["go ", "go go "]

    def test_default_codec_handles_a_single_array(self) -> None:
        space, place = Angle(), [np.zeros(1)]

        space.encode(np.array([2.0]), place)
        x = space.decode(place)

        assert x.tolist() == [2]
        assert not np.shares_memory(x, place[0])

    def test_zero_dimensional_array_is_decoded_to_a_number(self) -> None:
        assert isinstance(Angle().decode([np.array(2.0)]), np.float64)

    def test_examples_are_elements_and_do_not_use_the_generator(self) -> None:
        space = Angle(seed=1)

        found = list(space.examples())

        assert len(found) == 3
        assert all(x in space for x in found)
        assert space.sample() == Angle(seed=1).sample()

    def test_examples_are_deterministic(self) -> None:
        assert [*Angle().examples()] == [*Angle().examples()]

    def test_foreign_space_has_examples(self) -> None:
        class Theirs:
            def sample(self) -> int:
                return 4

            def seed(self, seed: int) -> None: ...

        assert list(examples(Theirs())) == [4, 4, 4]

    @pytest.mark.parametrize("n", [-1, 1.0, "3", None])
    def test_number_of_examples_must_be_an_integer(self, n: Any) -> None:
        with pytest.raises(ValueError, match="Expected the number of elements to be an integer >= 0, got"):
            Angle().sample_n(n)


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
    def test_copy_continues_the_original_stream(self, duplicate: Callable[[Any], Any]) -> None:
        space = Angle(seed=7)
        space.sample()

        twin = duplicate(space)

        assert [twin.sample() for _ in range(3)] == [space.sample() for _ in range(3)]
        assert twin.np_random is not space.np_random

    def test_old_pickles_with_other_field_names_load(self) -> None:
        space = object.__new__(Angle)

        space.__setstate__({"shape": (1,), "np_random": None, "dtype": None})

        assert (space._shape, space._np_random) == ((1,), None)


class TestDescription:
    def test_missing_description_error_says_what_to_add(self) -> None:
        with pytest.raises(TypeError, match=r"Angle cannot be described; define to_spec\(\)"):
            Angle().to_spec()

    def test_base_space_has_no_inner_spaces(self) -> None:
        assert Angle().parts() == ()


def test_require_space_error_shows_the_argument() -> None:
    require_space(Angle(), "Tuple expects spaces")
    with pytest.raises(TypeError, match=r"^Tuple expects spaces, got 3 \(int\)$"):
        require_space(3, "Tuple expects spaces")


def test_notebook_shows_the_repr_without_the_html_plugin(install: Callable[..., Path]) -> None:
    assert Space()._repr_html_() is None
