"""Tests of `FilterObservation`, in particular the observations and the observation space."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, Dict, Tuple
from gymkernel.wrappers import FilterObservation

A, B, C = Box(0, 1), Box(0, 2), Box(0, 3)
NAMED = Dict({"c": C, "a": A, "b": B}, sort_keys=False)
ROW = Tuple([A, B, C])


class Shows(Env[Any, Any]):
    """An environment that always returns the same observation."""

    def __init__(self, space: Any, seen: Any = None) -> None:
        self.observation_space, self.seen = space, seen

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return self.seen, {}


def test_dict_keys_are_kept_in_the_order_of_the_filter() -> None:
    env: Any = FilterObservation(Shows(NAMED, {"c": 3, "a": 1, "b": 2}), ["b", "c"])
    assert list(env.reset()[0].items()) == [("b", 2), ("c", 3)]
    assert list(env.observation_space.spaces.items()) == [("b", B), ("c", C)]


def test_none_keeps_all_keys() -> None:
    for space, seen in ((NAMED, {"c": 3, "a": 1, "b": 2}), (ROW, (1, 2, 3))):
        env: Any = FilterObservation(Shows(space, seen))
        assert env.reset()[0] == seen
        assert env.observation_space is space
        assert env._saved_kwargs == {"filter_keys": None}


@pytest.mark.parametrize("keys", [("a", "b"), {"a": 0, "b": 0}.keys(), (key for key in "ab"), {"a": 0, "b": 0}])
def test_any_iterable_is_accepted(keys: Any) -> None:
    env: Any = FilterObservation(Shows(NAMED, {"c": 3, "a": 1, "b": 2}), keys)
    assert list(env.reset()[0].items()) == [("a", 1), ("b", 2)]


def test_keys_of_a_set_follow_the_order_of_the_space() -> None:
    env: Any = FilterObservation(Shows(NAMED, {"c": 3, "a": 1, "b": 2}), {"b", "a", "c"})
    assert list(env.reset()[0]) == ["c", "a", "b"]


def test_sorted_dict_stays_sorted() -> None:
    env: Any = FilterObservation(Shows(Dict({"c": C, "a": A})), ["c", "a"])
    assert list(env.observation_space) == ["a", "c"]


@pytest.mark.parametrize("keys, wanted", [([0, 2], (1, 3)), ([2, 0], (3, 1)), ([-1], (3,))])
def test_tuple_indices_are_kept(keys: list[int], wanted: tuple[int, ...]) -> None:
    env = FilterObservation(Shows(ROW, (1, 2, 3)), keys)
    assert env.reset()[0] == wanted
    assert env.observation_space == Tuple([ROW[key] for key in keys])


@pytest.mark.parametrize(
    "space, keys, error, message",
    [
        (A, ["a"], ValueError, r"^FilterObservation expects the observation space to be a Dict or a Tuple, got Box"),
        (NAMED, "a", TypeError, r"^FilterObservation expects filter_keys to be a list of keys, got 'a'$"),
        (NAMED, 1, TypeError, r"^FilterObservation expects filter_keys to be a list of keys, got 1$"),
        (NAMED, ["a", "x"], ValueError, r"keys of the observations \(\['c', 'a', 'b'\]\), got \['x'\]$"),
        (ROW, [0, 0], ValueError, r"^FilterObservation expects filter_keys to contain one or more different keys, got"),
        (
            NAMED,
            [],
            ValueError,
            r"^FilterObservation expects filter_keys to contain one or more different keys, got \[\]$",
        ),
        (ROW, ["a"], TypeError, r"^FilterObservation expects the filter_keys of a Tuple to be integers, got \['a'\]$"),
        (ROW, [0, 3], ValueError, r"keys of the observations \(0 to 2\), got \[3\]$"),
    ],
)
def test_invalid_arguments_are_rejected(space: Any, keys: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        FilterObservation(Shows(space), keys)


def test_duplicate_key_is_kept_once() -> None:
    assert FilterObservation(Shows(NAMED), ["a", "a"]).observation_space == Dict({"a": A})


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Shows(NAMED)
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = FilterObservation(env, ("a", "b")).spec
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"filter_keys": ["a", "b"]}
