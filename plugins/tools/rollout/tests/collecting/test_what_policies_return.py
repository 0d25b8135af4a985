"""Test that fragments contain a policy's actions and extras unchanged, or that an error is raised."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np
import pytest

from gymkernel_tool_rollout.collecting import collect
from gymkernel_tool_rollout.collecting.fitting import fit
from gymkernel_tool_rollout.collecting.tables import plan_of_space

INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
ENGINES = ["sync", pytest.param("async", marks=pytest.mark.slow)]


def limits(dtype: str) -> tuple[int, int]:
    return (0, 1) if dtype == "bool" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


NUMBERS = sorted({number + d for dtype in INTEGERS for number in limits(dtype) for d in (-1, 0, 1)} | {300, -7})


@pytest.mark.parametrize("target", INTEGERS)
def test_integers_are_kept_or_rejected(toys: Any, target: str) -> None:
    plan = plan_of_space(toys.Line((), np.dtype(target)))
    least, most = limits(target)
    known = {
        source: [item for item in NUMBERS if limits(source)[0] <= item <= limits(source)[1]] for source in INTEGERS
    }
    for source, number in ((source, number) for source, numbers in known.items() for number in numbers):
        actions = np.array([0, number], source)
        if least <= number <= most:
            found = fit(plan, actions, 2, "p")
            assert found.dtype == target
            assert found.tolist() == [0, number]
        else:
            with pytest.raises(
                ValueError, match=f"dtype {target}, got {number} .*environment 4, which {target} cannot"
            ):
                fit(plan, actions, 2, "p", 3)


@pytest.mark.parametrize("target", INTEGERS)
def test_floats_are_not_converted_to_integers(toys: Any, target: str) -> None:
    for number in (0.0, 1.0, 0.5, -1.0, np.nan, np.inf, 1e300):
        with pytest.raises(ValueError, match=f"dtype {target}, got dtype float64; choose integers in the policy"):
            fit(plan_of_space(toys.Line((), np.dtype(target))), [number, number], 2, "p")


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS])
def test_floats_lose_only_precision(toys: Any, source: str, target: str) -> None:
    plan = plan_of_space(toys.Line((), np.dtype(target)))
    most = float(np.finfo(target).max)
    known = [0.1, np.nan, np.inf, -np.inf, 6e4, -1e38, 1e300] if source in FLOATS else NUMBERS
    for number in known:
        with np.errstate(over="ignore"):
            try:
                value = np.array([number], source)
            except OverflowError:
                continue
        if np.isfinite(value[0]) and abs(float(value[0])) > most:
            with pytest.raises(ValueError, match=f"which {target} cannot represent"):
                fit(plan, value, 1, "p")
        else:
            found = fit(plan, value, 1, "p")
            assert found.dtype == target
            np.testing.assert_array_equal(found, value.astype(target))
            assert np.isfinite(found[0]) == np.isfinite(value[0])


@pytest.mark.parametrize(
    "dtype, value, message",
    [
        (np.int8, [[300], [1]], r"of shape \(2, 1\) and dtype int8, got 300 \(dtype int64\) for environment 2"),
        (
            np.int8,
            np.array([[1], [300]], np.uint16),
            r"got 300 \(dtype uint16\) for environment 3, which int8 cannot",
        ),
        (np.uint8, [[-1], [1]], r"got -1 \(dtype int64\) for environment 2, which uint8 cannot represent; clip"),
        (np.bool_, [[2], [1]], r"got 2 \(dtype int64\)"),
        (np.int64, [[1.5], [1]], "dtype int64, got dtype float64; choose integers"),
        (np.int64, [[np.nan], [1]], "dtype int64, got dtype float64; choose integers"),
        (
            np.float32,
            [[1e300], [1]],
            r"got 1e\+300 \(dtype float64\) for environment 2, which float32 cannot represent",
        ),
        (np.float32, [["a"], ["b"]], "got dtype <U1; return numbers of dtype float32"),
        (np.float32, [[None], [1]], "got dtype object; return numbers"),
        (np.float32, [[1j], [1]], "got dtype complex128; return numbers"),
        (np.float32, [1, 1], r"got shape \(2,\); return one row for each environment"),
        (np.float32, [[1]], r"got shape \(1, 1\)"),
        (np.float32, 1, r"got shape \(\)"),
        (np.float32, [[1], [1, 2]], "which cannot be converted to an array"),
        (np.float32, {"a": 1}, r"got shape \(\)"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_actions_that_would_change_are_rejected(toys: Any, engine: str, dtype: Any, value: Any, message: str) -> None:
    policy = in_the_second_shard(np.ones((2, 1), dtype), value)
    envs = taking(toys, lambda: toys.Line((1,), np.dtype(dtype)))
    with pytest.raises(ValueError, match=r"Expected actions of the policy \(version 0\) .*" + message):
        list(collect(envs, policy, num_steps=40, num_shards=2, seed=1, engine=engine))


def taking(toys: Any, space: Any) -> list[Any]:
    """Return four environments that record their actions."""

    class Taking(toys.Walk):  # type: ignore[misc]
        def __init__(self, number: int) -> None:
            super().__init__(number)
            self.action_space = space()
            self.taken: list[Any] = []

        def step(self, action: Any) -> Any:
            self.taken.append(action)
            return super().step(0)

    return [lambda number=number: Taking(number) for number in range(4)]


def in_the_second_shard(good: Any, bad: Any) -> Any:
    return lambda seen: good if seen[0, 0] < 2 else bad


@pytest.mark.parametrize(
    "value, message",
    [
        ({"a": [300, 0], "b": [[1], [2]]}, r"actions\['a'\] .*dtype int8, got 300 .*for environment 2"),
        ({"a": [0, 0], "b": [[0.5], [2]]}, r"actions\['b'\] .*dtype uint8, got dtype float64"),
        ({"a": [0, 0]}, r"as the action space, but \['b'\] is missing"),
        ({"a": [0, 0], "b": [[1], [2]], "c": [0, 0]}, r"as the action space, but \['c'\] is unexpected"),
        ({"a": [0, 0], "d": [[1], [2]]}, r"but \['d'\] is unexpected, \['b'\] is missing"),
        ([0, 0], r"but the batch is \[0, 0\], which is not a dictionary"),
        (None, "but the batch is None, which is not a dictionary"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_nested_actions_are_checked_as_strictly(toys: Any, engine: str, value: Any, message: str) -> None:
    def space() -> Any:
        return toys.Record({"a": toys.Line((), np.int8), "b": toys.Line((1,), np.uint8)})

    policy = in_the_second_shard({"a": np.zeros(2, np.int64), "b": [[1], [255]]}, value)
    with pytest.raises(ValueError, match=message):
        list(collect(taking(toys, space), policy, num_steps=40, num_shards=2, seed=1, engine=engine))


def test_environments_and_fragments_get_the_policys_numbers(toys: Any) -> None:
    made = [make() for make in taking(toys, lambda: toys.Line((), np.uint8))]
    makers = [partial(copy, env) for env in made]  # all copies share this list of actions
    (fragment,) = collect(makers, lambda seen: seen[:, 1].astype(np.int64) + 250, num_steps=12, seed=1)
    assert fragment["actions"].dtype == np.uint8
    assert fragment["actions"].tolist() == (fragment["observations"][:, :, 1] + 250).tolist()
    assert [[int(item) for item in env.taken] for env in made] == fragment["actions"].T.tolist()


class Changing:
    """A policy whose extras change at a given step."""

    def __init__(self, first: Any, then: Any, at: int) -> None:
        self.first, self.then, self.at, self.calls = first, then, at, 0

    def __call__(self, seen: Any) -> Any:
        self.calls += 1
        return np.zeros(len(seen), np.int64), self.first if self.calls <= self.at else self.then


A, B = {"a": np.zeros(2, np.int8)}, {"b": np.ones((2, 3))}


@pytest.mark.parametrize(
    "first, then, message",
    [
        (A, {}, r"same extras at every time step .* time step 3 than at the first: \['a'\] is missing"),
        ({}, A, r"same extras at every time step .* time step 3 than at the first: \['a'\] is unexpected"),
        (A, A | B, r"time step 3 than at the first: \['b'\] is unexpected"),
        (A | B, B, r"time step 3 than at the first: \['a'\] is missing"),
        (A, B, r"\['b'\] is unexpected, \['a'\] is missing"),
        ({"x": A}, {"x": A | B}, r"\['x'\]\['b'\] is unexpected"),
        ({"x": A}, {"x": {}}, r"\['x'\]\['a'\] is missing"),
        ({"x": A}, {"x": np.zeros(2)}, r"\['x'\] is array\(\[0., 0.\]\), which is not a dictionary"),
        ({"x": A["a"]}, {"x": A}, r"\['x'\] is a dictionary"),
        (A, {"a": np.full(2, 300)}, r"extras\['a'\] of the policy at time step 3, .* dtype int8, got 300 "),
        (A, {"a": np.full(2, 0.5)}, r"extras\['a'\] of the policy at time step 3, .* got dtype float64"),
        (
            A,
            {"a": np.zeros(1, np.int8)},
            r"extras\['a'\] of the policy at time step 3, .* shape \(2,\) .* got shape \(1,\)",
        ),
        (A, {"a": np.int8(0)}, r"got shape \(\)"),
        (B, {"b": np.ones((2, 1))}, r"got shape \(2, 1\)"),
        ({"b": np.ones(2, np.float32)}, {"b": np.full(2, 1e300)}, r"got 1e\+300"),
        ({"b": np.array(["a", "b"])}, {"b": np.array(["long", "b"])}, "got dtype <U4"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_extras_that_change_within_a_fragment_are_rejected(
    toys: Any, engine: str, first: Any, then: Any, message: str
) -> None:
    policy = Changing(first, then, 3)
    with pytest.raises(ValueError, match=message) as caught:
        list(collect(toys.walks(2), policy, num_steps=20, fragment_length=5, num_shards=1, seed=1, engine=engine))
    assert any(note.startswith("It comes from shard 0") for note in caught.value.__notes__)


@pytest.mark.parametrize("first, then", [(A, {}), ({}, A), (A, A | B), (A | B, B), (A, {"a": np.full(2, 300)})])
@pytest.mark.parametrize("engine", ENGINES)
def test_extras_can_change_between_fragments(toys: Any, engine: str, first: Any, then: Any) -> None:
    found = list(
        collect(
            toys.walks(2),
            Changing(first, then, 10),
            num_steps=40,
            fragment_length=5,
            num_shards=1,
            seed=1,
            engine=engine,
        )
    )
    assert len(found) == 4
    for fragment, expected in zip(found, (first, first, then, then), strict=True):
        assert fragment["extras"].keys() == expected.keys()
        for key, value in expected.items():
            assert fragment["extras"][key].tolist() == [value.tolist()] * 5


@pytest.mark.parametrize("kept", [{"a": np.full(2, 7)}, {"a": [7, 7]}, {"a": np.array([7, 7], np.uint32)}])
def test_extras_are_converted_if_nothing_is_lost(toys: Any, kept: Any) -> None:
    (fragment,) = collect(toys.walks(2), Changing(A, kept, 1), num_steps=6, seed=1)
    assert fragment["extras"]["a"].dtype == np.int8
    assert fragment["extras"]["a"].tolist() == [[0, 0], [7, 7], [7, 7]]
