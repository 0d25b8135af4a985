"""Tests of `Dict`: construction, sampling, changes and pickling."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from gymkernel import error, ops
from gymkernel.spaces import Box, Dict, Space, utils


def box(n: int = 1) -> Box[Any]:
    return Box(-1, 1, (n,))


class Coin(Space[str]):
    """A third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "heads" if mask == "heads" or self.np_random.random() < 0.5 else "tails"

    def contains(self, x: Any) -> bool:
        return x in {"heads", "tails"}


class Named(Dict):
    """A subclass of Dict with its own constructor."""

    def __init__(self, *names: str) -> None:
        super().__init__({name: box() for name in names})


class TestConstruction:
    @pytest.mark.parametrize(
        "make, keys",
        [
            (lambda: Dict({"b": box(), "a": box()}), ["a", "b"]),
            (lambda: Dict({"b": box(), "a": box()}, sort_keys=False), ["b", "a"]),
            (lambda: Dict(OrderedDict(b=box(), a=box())), ["b", "a"]),
            (lambda: Dict([("b", box()), ("a", box())]), ["b", "a"]),
            (lambda: Dict(b=box(), a=box()), ["b", "a"]),
            (lambda: Dict({"c": box(), "b": box()}, a=box()), ["b", "c", "a"]),
            (lambda: Dict({"a": box(), 1: box()}), ["a", 1]),
            (lambda: Dict(Dict({"b": box(), "a": box()}, sort_keys=False)), ["a", "b"]),
            (Dict, []),
        ],
        ids=["mapping", "unsorted", "ordered", "pairs", "keywords", "both", "incomparable", "a Dict", "nothing"],
    )
    def test_keys_keep_their_documented_order(self, make: Any, keys: list[Any]) -> None:
        assert list(make()) == keys

    @pytest.mark.parametrize(
        "make, exception, message",
        [
            (lambda: Dict({"a": 1}), TypeError, r"a space under the key 'a', got 1 \(int\)"),
            (lambda: Dict({"a": Box}), TypeError, "a space under the key 'a'"),
            (lambda: Dict(a=None), TypeError, "a space under the key 'a', got None"),
            (
                lambda: Dict(5),  # type: ignore[arg-type]
                TypeError,
                r"a mapping or \(key, space\) pairs, got 5 \(int\)",
            ),
            (
                lambda: Dict("ab"),  # type: ignore[arg-type]
                TypeError,
                r"a mapping or \(key, space\) pairs, got 'ab'",
            ),
            (
                lambda: Dict([box()]),  # type: ignore[list-item]
                TypeError,
                r"\(key, space\) pairs, got Box.* at index 0",
            ),
            (lambda: Dict({"a": box()}, a=box()), ValueError, r"each key only once, got \['a'\]"),
        ],
    )
    def test_invalid_arguments_are_rejected(self, make: Any, exception: Any, message: str) -> None:
        with pytest.raises(exception, match=message):
            make()

    def test_dict_space_is_a_mapping(self) -> None:
        space = Dict(a=box(1), b=box(2))

        assert space["b"].shape == (2,)
        assert list(space.keys()) == ["a", "b"]
        assert dict(space.items()) == space.spaces
        assert list(space.values()) == [box(1), box(2)]
        assert len(space) == 2
        assert space.get("c") is None
        with pytest.raises(KeyError, match="c"):
            space["c"]

    def test_repr(self) -> None:
        space = Dict({1: box(), "b": Dict(c=box())})

        low = "Box(-1.0, 1.0, (1,), float32)"
        assert repr(space) == f"Dict(1: {low}, 'b': Dict('c': {low}))"

    def test_equality_ignores_the_order_of_keys(self) -> None:
        assert Dict(a=box(), b=box(2)) == Dict(a=box(), b=box(2))
        assert Dict(a=box(), b=box(2)) == Dict(b=box(2), a=box())
        assert Dict(c=Dict(a=box(), b=box(2))) == Dict(c=Dict(b=box(2), a=box()))
        assert Dict(a=box(), b=box(2)) != Dict(a=box(2), b=box())
        assert Dict(a=box(), b=box(2)) != Dict(a=box())
        assert Dict(a=box()) != Dict(a=box(2))
        assert Dict(a=box()) != {"a": box()}
        with pytest.raises(TypeError, match="unhashable"):
            hash(Dict())

    def test_flattening_keeps_the_order_of_each_space(self) -> None:
        one, other = Dict(a=box(), b=box(2)), Dict(b=box(2), a=box())
        x = {"a": np.array([0.5], np.float32), "b": np.array([0.1, 0.2], np.float32)}

        assert np.allclose(ops.flatten(one, x), [0.5, 0.1, 0.2])
        assert np.allclose(ops.flatten(other, x), [0.1, 0.2, 0.5])
        assert list(ops.unflatten(other, ops.flatten(other, x))) == ["b", "a"]

    def test_equal_spaces_have_the_same_layout(self) -> None:
        one, other = Dict({"a": box(), 1: box(2)}), Dict({1: box(2), "a": box()})
        x: dict[Any, Any] = {"a": np.array([0.5], np.float32), 1: np.array([0.1, 0.2], np.float32)}
        arrays = [np.zeros(field.shape, field.dtype) for field in one.layout() or ()]

        one.encode(x, arrays)
        assert other.layout() == one.layout()
        assert list(other.decode(arrays)) == [1, "a"]
        back: dict[Any, Any] = other.decode(arrays)
        assert np.array_equal(back[1], x[1])

    def test_notebook_shows_a_tree(self) -> None:
        tree = str(Dict({"<a>": box(), "b": Dict(c=box())})._repr_html_())

        assert "<b>&lt;a&gt;</b>: <code>Box(-1.0, 1.0, (1,), float32)</code>" in tree
        assert tree.count("<details") == 2


class TestSample:
    def test_samples_and_examples_are_in_the_space(self) -> None:
        space = Dict(a=box(), b=Dict(c=Coin(), d=box(3)), e=Dict())

        assert all(x in space for x in [space.sample(), *space.examples()])
        assert list(space.sample()) == ["a", "b", "e"]
        assert list(Dict().examples()) == [{}]

    def test_masks_and_probabilities_have_the_same_keys(self) -> None:
        space = Dict(a=Coin(), b=Dict(c=Coin()))

        assert space.sample(mask={"a": "heads", "b": {"c": "heads"}}) == {"a": "heads", "b": {"c": "heads"}}
        assert space.sample(probability={"b": None, "a": None}) in space

    @pytest.mark.parametrize(
        "weights, message",
        [
            ({"mask": (None, None)}, r"mask to be a dict with the keys \['a', 'b'\], got a tuple"),
            ({"mask": {"a": None}}, r"got the keys \['a'\]"),
            ({"probability": {"a": None, "b": None, "c": None}}, "probability to be a dict"),
            ({"mask": {"a": None, "b": None}, "probability": {"a": None, "b": None}}, "got both"),
        ],
    )
    def test_invalid_masks_and_probabilities_are_rejected(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Dict(a=box(), b=box()).sample(**weights)

    def test_batches_can_be_sampled(self) -> None:
        space = Dict(a=box(), b=Dict(c=box(2)))

        assert space.sample_n(5) in ops.batch_space(space, 5)
        assert space.sample_n(0)["b"]["c"].shape == (0, 2)


class TestSeed:
    def test_integer_seeds_every_space_differently(self) -> None:
        space = Dict(a=box(), b=Dict(c=box()))

        seeds = space.seed(3)

        assert seeds.keys() == {"a", "b"}
        assert seeds["a"] != seeds["b"]["c"]
        assert Dict(a=box(), b=Dict(c=box())).seed(np.uint8(3)) == seeds

    def test_returned_seeds_can_be_reused(self) -> None:
        space = Dict(a=box(), b=Dict(c=box()))
        for seed in (None, 7):
            seeds = space.seed(seed)
            first = space.sample()

            assert space.seed(seeds) == seeds
            assert space.sample() == first

    def test_generator_is_not_passed_to_inner_spaces(self) -> None:
        rng = np.random.default_rng(1)
        space = Dict({"a": box()}, seed=rng)

        assert space.np_random is rng
        assert space["a"].np_random is not rng

    @pytest.mark.parametrize(
        "seed, exception, message",
        [
            ({"a": 1}, ValueError, r"a seed for each of \['a', 'b'\], got seeds for \['a'\]"),
            ([1, 2], TypeError, "an integer, a dict of integers, or None"),
            (1.0, TypeError, "an integer, a dict of integers, or None"),
            (-1, error.Error, "an integer >= 0"),
        ],
    )
    def test_invalid_seeds_are_rejected(self, seed: Any, exception: Any, message: str) -> None:
        with pytest.raises(exception, match=message):
            Dict(a=box(), b=box()).seed(seed)


class TestMembership:
    def test_elements_can_have_any_key_order(self) -> None:
        space = Dict(a=Coin(), b=Coin())

        assert {"b": "heads", "a": "tails"} in space
        assert OrderedDict(a="heads", b="heads") in space

    @pytest.mark.parametrize(
        "x", [{}, {"a": "heads"}, {"a": "heads", "b": 1}, {"a": "heads", "b": "tails", "c": 1}, [("a", "heads")], None]
    )
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in Dict(a=Coin(), b=Coin())

    def test_keys_are_not_elements(self) -> None:
        assert "a" not in Dict(a=Coin())


class TestChange:
    """Tests that derived values are updated if the inner spaces of a Dict change."""

    @pytest.mark.parametrize(
        "change, size",
        [
            (lambda space: space.__setitem__("b", box(5)), 6),
            (lambda space: space.__setitem__("a", box(5)), 5),
            (lambda space: space.spaces.update(b=box(2), c=box(3)), 6),
            (lambda space: space.spaces.setdefault("b", box(4)), 5),
            (lambda space: space.spaces.__ior__({"b": box(4)}), 5),
            (lambda space: space.spaces.__delitem__("a"), 0),
            (lambda space: space.spaces.pop("a"), 0),
            (lambda space: space.spaces.popitem(), 0),
            (lambda space: space.spaces.clear(), 0),
            (lambda space: setattr(space, "spaces", {"x": box(7)}), 7),
        ],
        ids=["new", "other", "update", "setdefault", "ior", "del", "pop", "popitem", "clear", "attribute"],
    )
    def test_operations_follow_changed_spaces(self, change: Any, size: int) -> None:
        inner = Dict(a=box(1))
        outer = Dict(inner=inner, rest=box(2))
        assert ops.flatten(outer, outer.sample()).size == 3

        change(inner)

        assert ops.flatdim(inner) == size
        assert ops.flatten(outer, outer.sample()).size == size + 2
        assert outer.sample() in outer
        flat = ops.flatten(outer, outer.sample())
        assert np.array_equal(ops.flatten(outer, ops.unflatten(outer, flat)), flat)

    @pytest.mark.parametrize("value", [3, None, Box])
    def test_only_spaces_can_be_assigned(self, value: Any) -> None:
        space = Dict(a=box())
        with pytest.raises(TypeError, match="a space under the key 'b'"):
            space["b"] = value
        with pytest.raises(TypeError, match="a space under the key 'b'"):
            space.spaces.update(b=value)
        assert list(space) == ["a"]

    def test_space_cannot_contain_itself(self) -> None:
        space = Dict(a=box())
        for wrapped in (space, Dict(b=space)):
            with pytest.raises(ValueError, match="cannot contain itself"):
                space["self"] = wrapped

    def test_copy_changes_independently(self) -> None:
        space = Dict(a=box())
        ops.flatten(space, space.sample())
        twin = copy.deepcopy(space)

        twin["b"] = box(4)

        assert ops.flatdim(space) == 1
        assert ops.flatdim(twin) == 5


class TestKeeping:
    def test_json_form_is_keyed(self) -> None:
        space = Dict(a=box(2), b=Dict(c=Coin()), seed=1)
        xs = [space.sample() for _ in range(3)]

        made: Any = space.to_jsonable(xs)
        back = space.from_jsonable(json.loads(json.dumps(made)))

        assert made["b"]["c"] == [x["b"]["c"] for x in xs]
        assert all(np.array_equal(x["a"], y["a"]) and x["b"] == y["b"] for x, y in zip(xs, back, strict=True))
        assert Dict().from_jsonable({}) == []

    def test_pickles_and_copies_continue_the_stream(self) -> None:
        space = Dict({"b": box(), "a": Dict(c=box())}, seed=3, sort_keys=False)
        ops.flatten(space, space.sample())
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        for twin in twins:
            assert twin == space
            assert twin.sample() == x
            assert twin.sort_keys is False
            assert type(twin.spaces) is type(space.spaces)

    def test_old_pickle_with_ordered_dict_loads(self) -> None:
        space = object.__new__(Dict)

        space.__setstate__({"spaces": OrderedDict(b=box(), a=box()), "shape": None, "dtype": None, "np_random": None})

        assert list(space) == ["b", "a"]
        assert space.sort_keys is True
        assert space.sample() in space

    @pytest.mark.parametrize(
        "space", [Dict(), Dict(b=box(), a=Dict({1: box(), "c": Box(-np.inf, 5, (2,))})), Dict(z=box(), sort_keys=False)]
    )
    def test_description_round_trip(self, space: Dict) -> None:
        back = utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space))))

        assert back == space
        assert back.sort_keys == space.sort_keys

    @pytest.mark.parametrize(
        "space, message",
        [
            (Dict(a=Coin()), "Coin cannot be described"),
            (Dict({("a", 1): box()}, sort_keys=False), "list"),
            (Named("a"), "Named cannot be described"),
        ],
    )
    def test_undescribable_spaces_raise(self, space: Dict, message: str) -> None:
        if message == "list":
            with pytest.raises(ValueError, match="is invalid"):
                utils.space_from_spec(utils.space_to_spec(space))
            return
        with pytest.raises(TypeError, match=message):
            utils.space_to_spec(space)

    def test_description_depth_and_size_are_limited(self) -> None:
        deep: Dict = Dict()
        for _ in range(40):
            deep = Dict(a=deep)
        spec = utils.space_to_spec(deep)

        with pytest.raises(ValueError, match="deeper than max_depth=100"):
            utils.space_from_spec(spec)
        with pytest.raises(ValueError, match="more than max_size=50 parts"):
            utils.space_from_spec(spec, max_depth=1000, max_size=50)
        assert utils.space_from_spec(spec, max_depth=1000) == deep
