"""Test that errors name the invalid arguments of `SyncVectorEnv`, and that no environment is created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, ops
from gymkernel.error import Error
from gymkernel.spaces import Field, Space
from gymkernel.vector import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Iterator

N = 3
NAN = float("nan")


class Whole(Space[Any]):
    """A space of integers or of batches of integers."""

    def __init__(self, *shape: int) -> None:
        super().__init__(shape, np.int64)

    def contains(self, x: Any) -> bool:
        return bool(np.shape(x) == self.shape)

    def layout(self) -> Any:
        return (Field.of(np.int64, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Whole) and self.shape == other.shape

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Whole)
def _batch(space: Whole, n: int = 1) -> Whole:
    return Whole(n, *(space.shape or ()))


@ops.iterate.register(Whole)
def _iterate(space: Whole, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Whole)
def _concatenate(space: Whole, items: Any, out: Any) -> Any:
    return np.stack(list(items), out=out)


@ops.create_empty_array.register(Whole)
def _create_empty_array(space: Whole, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=np.int64)


class Adder(Env[Any, Any]):
    """An environment that adds up its actions."""

    made: list[Any] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.observation_space = self.action_space = Whole()
        self.total, self.number, self.closed = 0, 0, False
        self.made.append(self)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.total = 0 if seed is None else seed
        return np.int64(self.total), {}

    def step(self, action: Any) -> Any:
        self.total += action
        return np.int64(self.total), float(action), False, False, {}

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def made() -> Iterator[list[Any]]:
    """Return a list to which every environment that the test creates is added."""
    Adder.made.clear()
    yield Adder.made
    Adder.made.clear()


@pytest.fixture
def envs() -> Iterator[Any]:
    with SyncVectorEnv([Adder] * N) as found:
        found.reset(seed=10)
        yield found


def ids(table: list[Any]) -> list[str]:
    """Return test ids that are the same in every process, unlike a `repr` that contains an address."""
    return [f"{k}-{type(row[0]).__name__}" for k, row in enumerate(table)]


def goes_on(envs: Any) -> None:
    """Check that a vector environment still works: it can be reset and stepped."""
    observations, rewards, *_ = envs.step([1, 2, 3])
    assert rewards.tolist() == [1, 2, 3]
    assert observations.tolist() == [11, 13, 15]


WRONG: dict[tuple[str, type[Exception], str], list[Any]] = {
    ("copy", TypeError, "True or False"): [None, "no", "False", 2, -1, 1.0, NAN, []],
    ("observation_mode", ValueError, "'same', 'different' or"): [None, "Same", "", 0, ["same"], np.array(["same"] * 2)],
    ("observation_mode", TypeError, "a tuple"): [(), (1,), ("same", "same")],
    ("autoreset_mode", ValueError, "one of 'NextStep'"): [None, "never", "NEXT_STEP", 0, True, []],
}
CONSTRUCTOR = [(value, *said) for said, values in WRONG.items() for value in values]


@pytest.mark.parametrize("value, name, error, expected", CONSTRUCTOR, ids=ids(CONSTRUCTOR))
def test_invalid_constructor_arguments_create_no_environment(
    made: list[Any], value: Any, name: str, error: type[Exception], expected: str
) -> None:
    with pytest.raises(error, match=f"^Expected {name} to be {expected}") as raised:
        SyncVectorEnv([Adder], **{name: value})

    assert f"got {value!r}" in str(raised.value)
    assert not made


NO_FUNCTIONS = {
    "None": (None, TypeError, "a list of functions .* got None; to create environments from an id"),
    "an id": ("CartPole-v1", TypeError, "a list of functions .* got 'CartPole-v1'; to create .*\"sync\""),
    "a function": (len, TypeError, "a list of functions .* got <built-in function len>"),
    "a number": (3, TypeError, "a list of functions .* got 3;"),
    "a dictionary": ({"maze": len}, TypeError, "a list of functions .* got {'maze'"),
    "an empty list": ([], ValueError, r"at least one function .* got none: \[\]"),
    "an empty iterator": (iter(()), ValueError, "at least one function .* got none"),
    "numbers": ([7, 8], TypeError, "a function that creates an environment, .* got 7 at index 0"),
    "None among them": ([Adder, None], TypeError, "a function that creates an environment, .* got None at index 1"),
    "lists in a list": ([[len]], TypeError, r"a function that creates .* got \[<built-in function len>\] at index 0"),
}


@pytest.mark.parametrize("env_fns, error, text", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_invalid_env_fns_create_no_environment(
    made: list[Any], env_fns: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=f"env_fns to .*{text}"):
        SyncVectorEnv(env_fns)

    assert not made


NO_ENVIRONMENTS = {
    "nothing": (lambda: None, TypeError, "to make an environment .*, got None"),
    "a space": (Whole, TypeError, "to make an environment .*, got "),
    "a class": (lambda: Adder, TypeError, "to make an environment .* the class Adder; pass"),
    "a vector environment": (lambda: SyncVectorEnv([Adder]), TypeError, "the vector environment SyncVectorEnv"),
    "one that is there": (lambda: Adder.made[0], ValueError, "make a new environment, got .* a second time"),
}


@pytest.mark.parametrize("make, error, text", NO_ENVIRONMENTS.values(), ids=NO_ENVIRONMENTS)
def test_non_environment_error_names_the_index_and_closes_others(
    made: list[Any], make: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text) as raised:
        SyncVectorEnv([Adder, make])

    assert raised.value.__notes__ == ["It comes from env_fns[1]."]
    assert made[0].closed


@pytest.mark.parametrize("kind", [list, tuple, iter, lambda functions: np.array(functions, object)], ids=range(4))
@pytest.mark.parametrize("copy", [True, False, 0, 1, np.True_, np.int64(0)], ids=range(6))
def test_equivalent_arguments_are_accepted(kind: Any, copy: Any) -> None:
    made: Any = SyncVectorEnv(kind([Adder] * 2), copy=copy, autoreset_mode=np.str_("SameStep"))
    with made as envs:
        envs.reset(seed=(np.int64(1), np.uint8(2)))
        assert envs.step((3, 4))[0].tolist() == [4, 6]
        assert envs.num_envs == len(envs.env_fns) == 2


INTEGER = "the seed to be an integer >= 0, got"
SEEDS = [
    (-1, Error, f"{INTEGER} -1"),
    (1.5, Error, f"{INTEGER} 1.5"),
    (NAN, Error, f"{INTEGER} nan"),
    ("123", Error, f"{INTEGER} '1'"),
    ("1234", ValueError, "one seed for each of the 3 environments, got 4: '1234'"),
    (b"123", Error, f"{INTEGER} b'123'"),
    ({1, 2, 3}, Error, rf"{INTEGER} \{{1, 2, 3\}}"),
    ({0: 1, 1: 2, 2: 3}, Error, rf"{INTEGER} \{{0: 1"),
    (iter([1, 2, 3]), Error, f"{INTEGER} <list_iterator"),
    (np.arange(3.0), Error, f"{INTEGER} np.float64"),
    ([1, 2, -1], Error, f"{INTEGER} -1"),
    ([], ValueError, r"one seed for each of the 3 environments, got 0: \[\]"),
    ([1, 2], ValueError, r"one seed for each of the 3 environments, got 2: \[1, 2\]"),
]
MASKS = [
    (None, "None"),
    (True, "True"),
    ([True] * N, r"\[True, True, True\]"),
    (np.ones(N), r"array\(\[1., 1"),
    (np.arange(N), r"array\(\[0, 1"),
    (np.ones(2, np.bool_), r"array\(\[ True,  True\]\)"),
    (np.ones((N, 1), np.bool_), r"array\(\[\[ True"),
]
BATCHES = [
    (None, TypeError, "actions for 3 environments from .*, got None"),
    (1, TypeError, "actions for 3 environments from .*, got 1"),
    (np.array(7), TypeError, r"actions for 3 environments from .*, got array\(7\)"),
    ([], ValueError, r"3 actions, one for each environment, got 0: \[\]"),
    ([1, 2], ValueError, r"3 actions, one for each environment, got 2: \[1, 2\]"),
    (np.arange(4), ValueError, r"3 actions, one for each environment, got 4: array\(\[0, 1"),
]
NAMES = [(None, "None"), (1, "1"), (True, "True"), (b"number", "b'number'"), (["number"], r"\['number'\]")]


@pytest.mark.parametrize("seed, error, text", SEEDS, ids=ids(SEEDS))
def test_invalid_seed_is_rejected(envs: Any, seed: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^Expected {text}"):
        envs.reset(seed=seed)
    goes_on(envs)


@pytest.mark.parametrize("options", ["x", 1, True, [], (), [("size", 1)]], ids=range(6))
def test_options_must_be_a_dictionary(envs: Any, options: Any) -> None:
    with pytest.raises(TypeError, match=r"^Expected options to be a dictionary or None, got ") as raised:
        envs.reset(options=options)
    assert str(raised.value).endswith(f"got {options!r}")
    goes_on(envs)


@pytest.mark.parametrize("mask, text", MASKS, ids=ids(MASKS))
def test_invalid_mask_is_rejected(envs: Any, mask: Any, text: str) -> None:
    for method, arguments in ((envs.step_masked, ([1, 2, 3], mask)), (envs.call_masked, (mask, "close"))):
        with pytest.raises(
            ValueError, match=rf"^Expected the mask to be a NumPy array of dtype bool and shape \(3,\), got {text}"
        ):
            method(*arguments)
    goes_on(envs)


@pytest.mark.parametrize("actions, error, text", BATCHES, ids=ids(BATCHES))
def test_wrong_number_of_actions_is_rejected(envs: Any, actions: Any, error: type[Exception], text: str) -> None:
    for act in (envs.step, lambda given: envs.step_masked(given, np.array([True, False, False]))):
        with pytest.raises(error, match=f"^Expected {text}"):
            act(actions)
    goes_on(envs)


@pytest.mark.parametrize("metadata", [None, ["human"], "human"], ids=repr)
def test_metadata_must_be_a_dictionary(metadata: Any) -> None:
    class Odd(Env[Any, Any]):
        observation_space = action_space = Whole()

    Odd.metadata = metadata
    with pytest.raises(TypeError, match=r"metadata of Odd to be a dictionary, got .*; set metadata = ") as caught:
        SyncVectorEnv([Odd] * 2)
    assert caught.value.__notes__ == ["It comes from env_fns[0]."]


@pytest.mark.parametrize("name, text", NAMES, ids=ids(NAMES))
def test_invalid_attribute_name_is_rejected(envs: Any, name: Any, text: str) -> None:
    calls: Any = (
        lambda: envs.call(name),
        lambda: envs.get_attr(name),
        lambda: envs.set_attr(name, 1),
        lambda: envs.call_masked(np.ones(N, np.bool_), name),
    )
    for call in calls:
        with pytest.raises(
            TypeError, match=f"^Expected name to be a string with the name of an attribute or method, got {text}"
        ):
            call()
    goes_on(envs)


@pytest.mark.parametrize("name", ["np_random.seed", ".", "number."])
def test_dotted_attributes_cannot_be_set(envs: Any, name: str) -> None:
    with pytest.raises(ValueError, match=r"^Expected name to be the name of an attribute without dots") as raised:
        envs.set_attr(name, 1)
    assert f"got {name!r}" in str(raised.value)


@pytest.mark.parametrize("values", [[], [1], (1, 2, 3, 4)], ids=range(3))
def test_wrong_number_of_values_is_rejected(envs: Any, values: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^Expected values to contain one value for each of the 3 environments"
    ) as raised:
        envs.set_attr("number", values)
    assert f"got {len(values)}: {values!r}" in str(raised.value)
    assert envs.get_attr("number") == (0, 0, 0)
