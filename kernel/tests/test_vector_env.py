"""Tests of vector environments, vector wrappers, and functions for infos, seeds and masks."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Space, error, ops
from gymkernel.infos import batch_infos, info_of
from gymkernel.specs import EnvSpec
from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode, VectorEnv, reset_mask, seeds
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Array = np.ndarray[Any, Any]
    Info = dict[str, Any]


class Vectors(Space[Any]):
    """A space of arrays of n numbers. Its batches are arrays with one row per element."""

    def __init__(self, n: int, batched: bool = False) -> None:
        super().__init__((n,), np.float64)
        self.batched = batched


@ops.create_empty_array.register(Vectors)
def _(space: Vectors, n: int = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


@ops.concatenate.register(Vectors)
def _(space: Vectors, items: Iterable[Any], out: Any) -> Any:
    return np.stack(list(items), axis=0, out=out)


@ops.iterate.register(Vectors)
def _(space: Vectors, items: Any) -> Iterator[Any]:
    return iter(items)


class Walks(VectorEnv[Any, Any, Any]):
    """A vector environment in SAME_STEP mode with three random walks, which end outside [-2, 2]."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as in Gymnasium

    def __init__(self) -> None:
        self.num_envs = 3
        self.single_observation_space = self.single_action_space = Vectors(1)
        self.observation_space = self.action_space = Vectors(1, batched=True)
        self.places = np.zeros((3, 1))
        self.frames = ("a", "b", "c")
        self.closings: list[Any] = []

    def reset(self, *, seed: Any = None, options: Info | None = None) -> tuple[Array, Info]:
        super().reset(seed=seed)
        self.places = np.zeros((3, 1))
        return self.places.copy(), {"options": options}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Info]:
        self.places = self.places + actions
        done = np.abs(self.places[:, 0]) > 2
        infos: Info = {}
        for i in np.flatnonzero(done):
            infos = self._add_info(infos, {"final_obs": self.places[i].copy(), "final_info": {}}, int(i))
        self.places[done] = 0
        return self.places.copy(), np.ones(3), done, np.zeros(3, np.bool_), infos

    def render(self) -> tuple[str, ...]:
        return self.frames

    def close_extras(self, **kwargs: Any) -> None:
        self.closings.append(kwargs)


class Partly(Walks):
    """A vector environment that supports `step_masked`."""

    def step_masked(self, actions: Any, mask: Any) -> Any:
        return self.step(np.where(mask[:, None], actions, 0))


class Texts(Space[Any]):
    """A space of words. Its batches are tuples of words."""


@ops.iterate.register(Texts)
def _(space: Texts, items: Any) -> Iterator[Any]:
    return iter(items)


def same(a: Any, b: Any) -> bool:
    """Return whether two infos are equal and have the same dtypes."""
    if isinstance(a, dict) or isinstance(b, dict):
        return type(a) is type(b) and set(a) == set(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
            return False
        return all(same(x, y) for x, y in zip(a, b, strict=True)) if a.ndim else same(a[()], b[()])
    if isinstance(a, list):
        return bool(a == b)
    kinds = [x.dtype if isinstance(x, np.generic) else type(x) for x in (a, b)]
    return kinds[0] == kinds[1] and bool(a == b or (a != a and b != b))  # noqa: PLR0124 - true for NaN


def objects(*values: Any) -> Array:
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def mask(*where: int, n: int = 3) -> Array:
    return np.isin(np.arange(n), where)


class TestBatchInfos:
    def test_mask_marks_the_environments_that_have_the_key(self) -> None:
        batch = batch_infos([(0, {"x": 1}), (2, {"x": 3, "y": 4.0})], 3)

        assert same(batch, {"x": np.array([1, 0, 3]), "_x": mask(0, 2), "y": np.array([0, 0, 4.0]), "_y": mask(2)})

    def test_empty_infos_give_an_empty_batch(self) -> None:
        assert batch_infos([], 3) == {}
        assert batch_infos([(0, {}), (1, {})], 3) == {}

    @pytest.mark.parametrize(
        "first,second,batch",
        [
            (1, 2, np.array([1, 2, 0])),
            (1.5, 2.5, np.array([1.5, 2.5, 0])),
            (True, False, np.array([True, False, False])),
            (np.float32(1.5), np.float32(2), np.array([1.5, 2, 0], np.float32)),
            (np.uint8(255), np.uint8(1), np.array([255, 1, 0], np.uint8)),
            (np.True_, np.False_, np.array([True, False, False])),
            (1j, 2j, objects(1j, 2j, None)),
            ("a", "b", objects("a", "b", None)),
            (None, None, objects(None, None, None)),
            ([1], [2, 3], objects([1], [2, 3], None)),
            ((1,), (2,), objects((1,), (2,), None)),
            (np.array([1, 2]), np.array([3, 4]), np.array([[1, 2], [3, 4], [0, 0]])),
            (np.array(5), np.array(6), np.array([5, 6, 0])),
            (np.array(["ab"]), np.array(["cd"]), np.array([["ab"], ["cd"], [""]])),
        ],
        ids=repr,
    )
    def test_values_of_each_type_get_their_dtype(self, first: Any, second: Any, batch: Array) -> None:
        assert same(batch_infos([(0, {"x": first}), (1, {"x": second})], 3)["x"], batch)

    @pytest.mark.parametrize(
        "first,second,batch",
        [
            (1, 1.5, np.array([1, 1.5, 0])),
            (1.5, 1, np.array([1.5, 1, 0])),
            (True, 5, np.array([1, 5, 0])),
            (np.float32(0.5), 0.1, np.array([0.5, 0.1, 0])),
            (np.int8(1), np.int16(300), np.array([1, 300, 0], np.int16)),
            (np.int8(-1), np.uint8(255), np.array([-1, 255, 0], np.int16)),
            (np.array([1, 2]), np.array([0.5, 0.5]), np.array([[1, 2], [0.5, 0.5], [0, 0]])),
        ],
        ids=repr,
    )
    def test_mixed_numbers_are_promoted(self, first: Any, second: Any, batch: Array) -> None:
        assert same(batch_infos([(0, {"x": first}), (1, {"x": second})], 3)["x"], batch)

    @pytest.mark.parametrize(
        "values",
        [
            (2**70, 1),
            (1, 2**70),
            (2**63, -1),
            (-1, 2**63),
            (1, "a"),
            ("a", 1),
            (None, 1.5),
            (1.5, None),
            (1, [2]),
            (np.array([1, 2]), np.array([1, 2, 3])),
            (np.array([1, 2]), 5),
            (5, np.array([1, 2])),
            ({"a": 1}, 5),
            (5, {"a": 1}),
            (np.array([1, "x"], object), 5),
            (np.array(["abc"]), np.array(["a"])),
        ],
        ids=repr,
    )
    def test_other_values_are_kept_as_objects(self, values: tuple[Any, Any]) -> None:
        batch = batch_infos(enumerate({"x": value} for value in values), 3)

        assert batch["x"].dtype == object
        assert batch["x"].shape == (3,)
        assert batch["_x"].tolist() == [True, True, False]
        assert batch["x"][2] is None
        for kept, value in zip(batch["x"], values, strict=False):
            assert np.array_equal(kept, value) if isinstance(value, np.ndarray) else kept == value

    def test_large_integer_gets_a_fitting_dtype(self) -> None:
        assert same(batch_infos([(0, {"x": 2**63})], 1)["x"], np.array([2**63], np.uint64))

    def test_nested_dictionaries_are_batched(self) -> None:
        batch = batch_infos([(0, {"a": {"b": 1, "c": {"d": 2.0}}}), (1, {"a": {"b": 3}})], 2)

        inner = {"b": np.array([1, 3]), "_b": mask(0, 1, n=2), "c": {"d": np.array([2.0, 0]), "_d": mask(0, n=2)}}
        assert same(batch, {"a": {**inner, "_c": mask(0, n=2)}, "_a": mask(0, 1, n=2)})

    def test_empty_dictionary_is_marked_in_the_mask(self) -> None:
        assert same(batch_infos([(1, {"a": {}})], 2), {"a": {}, "_a": mask(1, n=2)})

    def test_dictionary_beside_another_type_stays_a_dictionary(self) -> None:
        batch = batch_infos([(0, {"x": {"a": 1}}), (1, {"x": 5}), (2, {"x": {"a": 2}})], 3)

        assert batch["x"].tolist() == [{"a": 1}, 5, {"a": 2}]

    @pytest.mark.parametrize("values", [(np.zeros(2), np.ones(2)), (3, 4), (np.int64(3), np.int64(4)), ({"a": 1}, {})])
    def test_final_observations_are_always_objects(self, values: tuple[Any, Any]) -> None:
        batch = batch_infos(enumerate({"final_obs": value} for value in values), 3)

        assert batch["final_obs"].dtype == object
        assert [type(item) for item in batch["final_obs"]] == [*map(type, values), type(None)]

    def test_arrays_are_copied(self) -> None:
        state = np.zeros(2)
        same_shape = batch_infos([(0, {"x": state})], 1)
        other_shape = batch_infos([(0, {"x": state}), (1, {"x": np.zeros(3)})], 2)

        state += 1

        assert same_shape["x"][0].tolist() == [0, 0]
        assert other_shape["x"][0].tolist() == [0, 0]

    def test_infos_are_not_modified(self) -> None:
        infos: list[Info] = [{"x": {"a": 1}}, {"x": 5}]
        before = copy.deepcopy(infos)

        batch_infos(enumerate(infos), 2)

        assert infos == before

    def test_indices_can_be_in_any_order(self) -> None:
        assert batch_infos([(2, {"x": 3}), (0, {"x": 1})], 3)["x"].tolist() == [1, 0, 3]


NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False),
    st.booleans(),
    st.sampled_from([np.float32(0.5), np.int8(-3), np.uint8(200), np.int64(2**40), np.True_]),
)
VALUES = st.recursive(
    st.one_of(
        NUMBERS,
        st.sampled_from([2**63, 2**70, None, "text", [1, 2], (3,), np.zeros(2), np.ones(3, np.int8), np.array(["a"])]),
    ),
    lambda inner: st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
INFOS = st.lists(st.dictionaries(st.sampled_from(["x", "y", "final_obs"]), VALUES, max_size=3), min_size=1, max_size=4)
LIKE_MASKS = st.dictionaries(st.sampled_from(["x", "_x", "final_obs", "_final_obs"]), VALUES, max_size=4)
LIKE_MANY = st.dictionaries(st.sampled_from(["x", "_x", "__x", "___x", "_y", "y"]), VALUES, max_size=5)
"""Generates infos with keys such as "_x" and "__x", which look like names of masks."""


class TestAddInfo:
    @given(st.one_of(INFOS, st.lists(LIKE_MASKS, min_size=1, max_size=4)))
    def test_adding_infos_one_by_one_equals_batching(self, infos: list[Info]) -> None:
        walks = Walks()
        walks.num_envs = len(infos)
        batch: Info = {}

        for i, info in enumerate(infos):
            batch = walks._add_info(batch, info, i)

        assert same(batch, batch_infos(enumerate(infos), len(infos)))

    @given(INFOS)
    def test_every_value_is_at_the_index_of_its_mask(self, infos: list[Info]) -> None:
        batch = batch_infos(enumerate(infos), len(infos))

        for key in {key for info in infos for key in info}:
            assert batch[f"_{key}"].tolist() == [key in info for info in infos]
        for i, info in enumerate(infos):
            assert all(holds(batch[key], i, value) for key, value in info.items())

    @given(st.lists(LIKE_MANY, min_size=1, max_size=4))
    def test_mask_wins_over_a_key_with_its_name(self, infos: list[Info]) -> None:
        batch = batch_infos(enumerate(infos), len(infos))

        keys = {key for info in infos for key in info}
        kept = keys - {f"_{key}" for key in keys}
        assert batch.keys() == kept | {f"_{key}" for key in kept}
        for key in kept:
            assert batch[f"_{key}"].dtype == np.bool_
            assert batch[f"_{key}"].tolist() == [key in info for info in infos]
        for i, info in enumerate(infos):
            assert info_of(batch, i).keys() == {key for key in info.keys() & kept if key[1:] not in batch}
            assert all(holds(batch[key], i, value) for key, value in info.items() if key in kept)

    def test_returned_masks_are_not_modified(self) -> None:
        walks = Walks()
        first = walks._add_info({}, {"x": 1}, 0)
        shown = first["_x"]

        walks._add_info(first, {"x": 2}, 1)

        assert shown.tolist() == [True, False, False]


def holds(batch: Any, i: int, value: Any) -> bool:
    """Return whether a batch contains a value at index i, regardless of the value's type."""
    if isinstance(batch, dict):
        return isinstance(value, dict) and all(holds(batch[key], i, part) for key, part in value.items())
    kept = batch[i]
    if isinstance(value, dict):
        return isinstance(kept, dict) and kept.keys() == value.keys()
    if isinstance(value, np.ndarray):
        return np.array_equal(kept, value)
    if isinstance(value, float | int) and not isinstance(value, bool) and isinstance(kept, np.floating):
        return bool(np.isclose(float(kept), float(value), rtol=1e-12))
    return bool(kept == value)


LEAVES = {
    "int": st.integers(-(2**62), 2**62),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "float32": st.floats(width=32, allow_nan=False).map(np.float32),
    "text": st.text(max_size=3),
    "list": st.lists(st.integers(), max_size=2),
    "none": st.none(),
    "array": st.lists(st.floats(allow_nan=False), min_size=2, max_size=2).map(np.array),
    "final_obs": st.integers(0, 9),
    "nested": st.fixed_dictionaries(
        {}, optional={"int": st.integers(0, 9), "deep": st.fixed_dictionaries({"b": st.booleans()})}
    ),
}


@given(st.lists(st.fixed_dictionaries({}, optional=LEAVES), min_size=1, max_size=4))
def test_uniform_infos_are_batched_like_in_gymnasium(infos: list[Info]) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    theirs: Any = gymnasium.vector.VectorEnv()
    theirs.num_envs = len(infos)
    expected: Info = {}
    for i, info in enumerate(infos):
        expected = theirs._add_info(expected, info, i)

    assert same(batch_infos(enumerate(infos), len(infos)), expected)


class TestSeeds:
    def test_none_gives_none_for_each_environment(self) -> None:
        assert seeds(None, 2) == [None, None]

    @pytest.mark.parametrize("seed", [7, np.int64(7), np.array(7)])
    def test_integer_seed_is_incremented_per_environment(self, seed: Any) -> None:
        assert seeds(seed, 3) == [7, 8, 9]
        assert all(type(item) is int for item in seeds(seed, 3))

    @pytest.mark.parametrize("seed", [[5, None], (5, None)])
    def test_sequence_has_a_seed_for_each_environment(self, seed: Any) -> None:
        assert seeds(seed, 2) == [5, None]

    def test_array_has_a_seed_for_each_environment(self) -> None:
        assert seeds(np.array([5, 6]), 2) == [5, 6]

    @pytest.mark.parametrize("seed", [[], [1], [1, 2, 3]])
    def test_wrong_number_of_seeds_raises(self, seed: Any) -> None:
        with pytest.raises(ValueError, match=f"one seed for each of the 2 environments, got {len(seed)}"):
            seeds(seed, 2)

    @pytest.mark.parametrize(
        "seed", [1.5, -1, "ab", b"ab", {1, 2}, {0: 1, 1: 2}, iter([1, 2]), [1, -1], [1, 2.5]], ids=range(9)
    )
    def test_invalid_seed_raises(self, seed: Any) -> None:
        with pytest.raises(error.Error, match="an integer >= 0, got"):
            seeds(seed, 2)


class TestResetMask:
    def test_missing_options_select_all_environments(self) -> None:
        assert reset_mask(None, 2) == (None, None)

    def test_options_without_a_mask_are_passed_on(self) -> None:
        options = {"level": 3}

        assert reset_mask(options, 2) == (None, options)

    @pytest.mark.parametrize("options", ["reset_mask", 1, [], (), np.ones(2, np.bool_)], ids=range(5))
    def test_options_must_be_a_dictionary(self, options: Any) -> None:
        with pytest.raises(TypeError, match=r"^Expected options to be a dictionary or None, got ") as raised:
            reset_mask(options, 2)
        assert str(raised.value).endswith(f"got {options!r}")

    def test_mask_is_not_passed_to_the_environments(self) -> None:
        chosen = np.array([True, False])

        found, rest = reset_mask({"reset_mask": chosen, "level": 3}, 2)

        assert found is chosen
        assert rest == {"level": 3}

    def test_options_of_the_caller_keep_the_mask(self) -> None:
        options = {"reset_mask": np.array([True, False])}

        reset_mask(options, 2)

        assert "reset_mask" in options

    @pytest.mark.parametrize(
        "chosen,seen",
        [([True, False], r"\[True, False\]"), (np.array([1, 0]), r"array\(\[1, 0\]\)"), (True, "True"), (None, "None")],
        ids=["list", "integers", "bool", "None"],
    )
    def test_mask_must_be_a_boolean_array(self, chosen: Any, seen: str) -> None:
        with pytest.raises(TypeError, match=rf"\[\"reset_mask\"\] to be a NumPy array of dtype bool, got {seen}$"):
            reset_mask({"reset_mask": chosen}, 2)

    @pytest.mark.parametrize("shape", [(3,), (2, 1), ()])
    def test_mask_with_wrong_shape_raises(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match=r"to have shape \(2,\) and a True value"):
            reset_mask({"reset_mask": np.ones(shape, np.bool_)}, 2)

    def test_empty_mask_raises(self) -> None:
        with pytest.raises(ValueError, match="and a True value"):
            reset_mask({"reset_mask": np.zeros(2, np.bool_)}, 2)


class TestVectorEnv:
    def test_methods_of_the_base_class_raise_not_implemented(self) -> None:
        envs: VectorEnv[Any, Any, Any] = VectorEnv()

        calls: list[Callable[[Any], Any]] = [envs.step, lambda _: envs.render()]
        for call in calls:
            with pytest.raises(NotImplementedError):
                call(0)

    def test_vector_env_is_closed_once(self) -> None:
        walks = Walks()

        walks.close(timeout=1)
        walks.close()

        assert walks.closed
        assert walks.closings == [{"timeout": 1}]

    def test_with_statement_closes_the_vector_env(self) -> None:
        with Walks() as walks:
            assert not walks.closed
        assert walks.closed

    def test_str_contains_the_class_name_and_number(self) -> None:
        walks = Walks()
        assert repr(walks) == "Walks(num_envs=3)"

        walks.spec = EnvSpec("Walk-v0")

        assert repr(walks) == "Walks(Walk-v0, num_envs=3)"

    def test_reset_seeds_the_generator(self) -> None:
        walks = Walks()

        walks.reset(seed=5)

        assert walks.np_random.random() == seeding.np_random(5)[0].random()
        assert walks.np_random_seed == 5

    def test_assigned_generator_has_seed_minus_one(self) -> None:
        walks = Walks()
        walks.np_random = np.random.default_rng(0)
        assert walks.np_random_seed == -1

    def test_autoreset_modes_have_the_values_of_gymnasium(self) -> None:
        assert [mode.value for mode in AutoresetMode] == ["NextStep", "SameStep", "Disabled"]
        assert AutoresetMode("SameStep") is AutoresetMode.SAME_STEP

    def test_unwrapped_returns_the_vector_env_itself(self) -> None:
        walks = Walks()
        assert walks.unwrapped is walks

    @pytest.mark.parametrize("cls", [VectorEnv, VectorWrapper, VectorObservationWrapper, VectorActionWrapper])
    def test_missing_type_arguments_become_any(self, cls: Any) -> None:
        assert cls[int].__args__ == (int, *[Any] * (len(cls.__parameters__) - 1))


class Plain(VectorWrapper[Any, Any, Any, Any, Any]):
    pass


class Tenfold(VectorObservationWrapper[Any, Any, Any, Any]):
    def observations(self, observations: Any) -> Any:
        return observations * 10


class TestVectorWrapper:
    @pytest.mark.parametrize("thing", [3, None, Walks, object()])
    def test_wrapping_a_non_vector_env_is_rejected(self, thing: Any) -> None:
        with pytest.raises(TypeError, match=r"Plain expects a vector environment with num_envs, got "):
            Plain(thing)

    def test_calls_reach_the_wrapped_vector_env(self) -> None:
        walks = Walks()
        wrapper = Plain(Plain(walks))

        assert wrapper.reset(seed=3, options={"a": 1})[1] == {"options": {"a": 1}}
        assert walks.np_random_seed == 3
        assert wrapper.step(np.ones((3, 1)))[0].tolist() == [[1], [1], [1]]
        assert wrapper.render() == ("a", "b", "c")
        wrapper.close(timeout=2)
        assert wrapper.closed
        assert walks.closings == [{"timeout": 2}]

    def test_vector_env_without_num_envs_can_be_wrapped(self) -> None:
        class Later(VectorEnv[Any, Any, Any]):
            pass

        later = Later()

        assert Plain(later).unwrapped is later

    def test_foreign_vector_env_can_be_wrapped(self) -> None:
        assert Plain(SimpleNamespace(num_envs=2)).num_envs == 2

    def test_step_masked_reaches_the_wrapped_vector_env(self) -> None:
        places, *_ = Plain(Partly()).step_masked(np.ones((3, 1)), mask(1))

        assert places.tolist() == [[0], [1], [0]]

    def test_step_masked_is_rejected_if_step_is_overridden(self) -> None:
        class Backwards(Plain):
            def step(self, actions: Any) -> Any:
                return self.env.step(-actions)

        with pytest.raises(error.UnsupportedMode, match="Backwards defines step but not step_masked"):
            Backwards(Partly()).step_masked(np.ones((3, 1)), mask(1))

    def test_wrapper_with_both_methods_uses_its_own(self) -> None:
        class Backwards(Plain):
            def step(self, actions: Any) -> Any:
                return self.env.step(-actions)

            def step_masked(self, actions: Any, mask: Any) -> Any:
                return self.env.step_masked(-actions, mask)

        assert Backwards(Partly()).step_masked(np.ones((3, 1)), mask(1))[0].tolist() == [[0], [-1], [0]]

    def test_close_passes_arguments_to_the_wrapped_vector_env(self) -> None:
        walks = Walks()

        Plain(walks).close_extras(timeout=2)

        assert walks.closings == [{"timeout": 2}]

    def test_class_keyword_arguments_are_passed_on(self) -> None:
        class Labelled:
            label = ""

            def __init_subclass__(cls, label: str = "", **kwargs: Any) -> None:
                super().__init_subclass__(**kwargs)
                cls.label = label

        class Mine(VectorWrapper[Any, Any, Any, Any, Any], Labelled, label="mine"):
            pass

        assert Mine.label == "mine"

    def test_attributes_are_those_of_the_wrapped_vector_env(self) -> None:
        walks = Walks()
        walks.spec, walks.render_mode = EnvSpec("Walk-v0"), "ansi"
        wrapper = Plain(Plain(walks))

        assert (wrapper.num_envs, wrapper.spec, wrapper.render_mode) == (3, walks.spec, "ansi")
        assert wrapper.unwrapped is walks
        assert repr(wrapper) == "<Plain, <Plain, Walks(Walk-v0, num_envs=3)>>"
        for name in (
            "observation_space",
            "action_space",
            "single_observation_space",
            "single_action_space",
            "metadata",
        ):
            assert getattr(wrapper, name) is getattr(walks, name)

    def test_generator_is_that_of_the_wrapped_vector_env(self) -> None:
        walks = Walks()
        wrapper = Plain(walks)
        wrapper.reset(seed=3)
        assert wrapper.np_random is walks.np_random
        assert wrapper.np_random_seed == 3

        wrapper.np_random = generator = np.random.default_rng(0)

        assert walks.np_random is generator

    def test_closing_the_wrapper_closes_the_wrapped_vector_env(self) -> None:
        walks = Walks()
        wrapper = Plain(walks)

        wrapper.closed = True

        assert walks.closed

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_own_space_is_used_also_by_a_copy(self, duplicate: Callable[[Any], Any]) -> None:
        walks = Walks()
        inner = Plain(walks)
        outer = Plain(inner)
        assert outer.single_observation_space is walks.single_observation_space

        inner.single_observation_space = Vectors(9)

        assert outer.single_observation_space is inner.single_observation_space
        assert duplicate(outer).single_observation_space.shape == (9,)
        assert walks.single_observation_space.shape == (1,)


class TestKinds:
    def test_observation_wrapper_transforms_observations(self) -> None:
        wrapper = Tenfold(Walks())

        assert wrapper.reset(options={"a": 1})[1] == {"options": {"a": 1}}
        observations, rewards, *_ = wrapper.step(np.array([[1], [2], [0]]))

        assert observations.tolist() == [[10], [20], [0]]
        assert rewards.tolist() == [1, 1, 1]

    def test_seed_reaches_the_wrapped_vector_env(self) -> None:
        walks = Walks()

        Tenfold(walks).reset(seed=3)

        assert walks.np_random_seed == 3

    def test_non_array_observations_are_transformed(self) -> None:
        class Spelt(VectorObservationWrapper[Any, Any, Any, Any]):
            def observations(self, observations: Any) -> Any:
                return tuple(x * 2 for x in observations)

        class Words(Walks):
            def __init__(self) -> None:
                super().__init__()
                self.single_observation_space = self.observation_space = Texts()

            def step(self, actions: Any) -> Any:
                last = np.array([None, "end", None])
                ended = mask(1), mask()
                return ("a", "b", "c"), np.ones(3), *ended, {"final_obs": last, "_final_obs": mask(1)}

        observations, *_, infos = Spelt(Words()).step(np.zeros((3, 1)))

        assert observations == ("aa", "bb", "cc")
        assert infos["final_obs"].tolist() == [None, "endend", None]

    def test_masked_steps_are_transformed(self) -> None:
        wrapper = Tenfold(Partly())
        wrapper.reset()

        observations, *_, infos = wrapper.step_masked(np.array([[1], [3], [-4]]), mask(0, 1))

        assert observations.tolist() == [[10], [0], [0]]
        assert infos["final_obs"][1].tolist() == [30]

    def test_final_observations_are_transformed(self) -> None:
        wrapper = Tenfold(Walks())
        wrapper.reset()

        observations, _, terminations, _, infos = wrapper.step(np.array([[1], [3], [-4]]))

        assert terminations.tolist() == [False, True, True]
        assert observations.tolist() == [[10], [0], [0]]
        assert infos["_final_obs"].tolist() == [False, True, True]
        assert infos["final_obs"][0] is None
        assert [item.tolist() for item in infos["final_obs"][1:]] == [[30], [-40]]

    def test_infos_of_the_wrapped_vector_env_are_not_modified(self) -> None:
        class Remembering(Walks):
            def step(self, actions: Any) -> Any:
                self.result = super().step(actions)
                return self.result

        walks = Remembering()
        wrapper = Tenfold(walks)
        wrapper.reset()

        wrapper.step(np.array([[1], [3], [-4]]))

        assert walks.result[4]["final_obs"][1].tolist() == [3]

    def test_action_wrapper_transforms_actions(self) -> None:
        class Doubled(VectorActionWrapper[Any, Any, Any, Any]):
            def actions(self, actions: Any) -> Any:
                return actions * 2

        wrapper = Doubled(Walks())

        assert wrapper.step(np.array([[1], [0], [-1]]))[0].tolist() == [[2], [0], [-2]]
        assert Doubled(Partly()).step_masked(np.ones((3, 1)), mask(1))[0].tolist() == [[0], [2], [0]]

    def test_reward_wrapper_transforms_rewards(self) -> None:
        class Halved(VectorRewardWrapper[Any, Any, Any]):
            def rewards(self, rewards: Any) -> Any:
                return rewards / 2

        observations, rewards, *_ = Halved(Walks()).step(np.ones((3, 1)))

        assert rewards.tolist() == [0.5, 0.5, 0.5]
        assert Halved(Partly()).step_masked(np.ones((3, 1)), mask(1))[1].tolist() == [0.5, 0.5, 0.5]
        assert observations.tolist() == [[1], [1], [1]]

    @pytest.mark.parametrize("base", [VectorObservationWrapper, VectorActionWrapper, VectorRewardWrapper])
    def test_methods_of_the_base_class_raise_not_implemented(self, base: Any) -> None:
        with pytest.raises(NotImplementedError):
            base(Walks()).step(np.ones((3, 1)))
