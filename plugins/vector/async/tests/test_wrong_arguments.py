"""Test that errors name the invalid arguments of `AsyncVectorEnv`, and that no process is started."""

from __future__ import annotations

import gc
import multiprocessing
from fractions import Fraction
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import Error, NoAsyncCallError
from gymkernel_vector_async import AsyncState, AsyncVectorEnv, WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAN, INF = float("nan"), float("inf")
N = 4
ACTIONS = np.arange(N)
COUNT = "a whole number of at least 1"
SECONDS = "a number of seconds"


def refused(name: str, expected: str, error: type[Exception], *values: Any) -> list[Any]:
    """Return invalid values of an argument with their error messages. By default, only the first three are tested."""
    return [
        pytest.param(
            name, value, error, expected, id=f"{name}-{error.__name__}-{k}", marks=pytest.mark.slow if k > 2 else ()
        )
        for k, value in enumerate(values)
    ]


NO_COUNTS: list[Any] = [
    1.5,
    2.0,
    "2",
    True,
    False,
    NAN,
    INF,
    [1],
    {},
    np.float64(2),
    np.True_,
    np.array([2]),
    np.array(2.0),
]
NO_FLAGS: list[Any] = [None, "no", "False", 2, -1, 1.0, NAN, [], np.array(True)]
NO_TIMES: list[Any] = ["1", True, np.True_, [1], {}, 1j, np.array([1.0, 2.0])]
CONSTRUCTOR = [
    *refused("num_workers", f"{COUNT}, or 'auto' or None", TypeError, *NO_COUNTS, "Auto", b"auto"),
    *refused("num_workers", f"{COUNT}, or 'auto' or None", ValueError, 0, -1, np.int64(0)),
    *refused("max_concurrency", f"{COUNT}, or None", TypeError, *NO_COUNTS, "auto"),
    *refused("max_concurrency", f"{COUNT}, or None", ValueError, 0, -1),
    *refused("ring", COUNT, TypeError, *NO_COUNTS, None),
    *refused("ring", COUNT, ValueError, 0, -1),
    pytest.param("ring", 10**30, ValueError, "at most 1,000,000 buffers", id="ring-too-many"),
    *refused("max_restarts", "a whole number of at least 0, or None", TypeError, *NO_COUNTS),
    *refused("max_restarts", "a whole number of at least 0, or None", ValueError, -1),
    *refused("timeout", f"{SECONDS} above 0, or None", TypeError, *NO_TIMES),
    *refused("timeout", f"{SECONDS} above 0, or None", ValueError, 0, 0.0, -1, NAN, -INF, np.float64(0)),
    *refused(
        "on_error", "'raise' or 'restart'", ValueError, None, "Restart", "", 0, True, ["raise"], np.array(["raise"])
    ),
    *refused("shared_memory", "True or False", TypeError, *NO_FLAGS),
    *refused("copy", "True or False", TypeError, *NO_FLAGS),
    *refused("daemon", "True or False", TypeError, *NO_FLAGS),
    *refused("parent_steps", "True or False", TypeError, *NO_FLAGS),
    *refused("check_observations", "True or False", TypeError, *NO_FLAGS),
    *refused("context", "one of .*'spawn'.*, or None", ValueError, "", "threads", "FORK"),
    *refused("context", "a multiprocessing context, .* or None", TypeError, 0, True, 5.0, b"fork", [], len),
    *refused(
        "observation_mode", "'same', 'different' or", ValueError, None, "Same", "", 0, ["same"], np.array(["same"])
    ),
    *refused("observation_mode", "a tuple", TypeError, (), (1,), ("same", "same")),
    *refused("autoreset_mode", "one of 'NextStep'", ValueError, None, "never", "NEXT_STEP", 0, True, [], {}),
]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each process that is started from now on is appended."""
    found: list[Any] = []
    start = BaseProcess.start

    def noted(self: Any) -> None:
        found.append(self)
        start(self)

    monkeypatch.setattr(BaseProcess, "start", noted)
    return found


@pytest.mark.parametrize("name, value, error, expected", CONSTRUCTOR)
def test_invalid_constructor_arguments_start_no_process(
    toys: Any, started: list[Any], name: str, value: Any, error: type[Exception], expected: str
) -> None:
    gc.collect()
    before = toys.descriptors()

    with pytest.raises(error, match=f"^Expected {name} to be {expected}") as raised:
        AsyncVectorEnv(toys.makers(2), **{name: value})

    assert f"got {value!r}" in str(raised.value)
    assert not started
    del raised
    gc.collect()
    assert toys.descriptors() == before


NO_FUNCTIONS = {
    "None": (None, TypeError, "a list of functions .* got None; to create environments from an id"),
    "an id": ("CartPole-v1", TypeError, "a list of functions .* got 'CartPole-v1'; to create environments from an id"),
    "a function": (len, TypeError, "a list of functions .* got <built-in function len>"),
    "a number": (3, TypeError, "a list of functions .* got 3;"),
    "bytes": (b"ab", TypeError, "a list of functions .* got b'ab';"),
    "a dictionary": ({"maze": len}, TypeError, "a list of functions .* got {'maze'"),
    "an empty list": ([], ValueError, r"at least one function .* got none: \[\]"),
    "an empty iterator": (iter(()), ValueError, "at least one function .* got none"),
    "numbers": ([7, 8], TypeError, "a function that creates an environment, .* got 7 at index 0"),
    "None among them": ([len, None], TypeError, "a function that creates an environment, .* got None at index 1"),
    "lists in a list": ([[len]], TypeError, r"a function that creates .* got \[<built-in function len>\] at index 0"),
}


@pytest.mark.parametrize("env_fns, error, text", NO_FUNCTIONS.values(), ids=NO_FUNCTIONS)
def test_invalid_env_fns_start_no_process(started: list[Any], env_fns: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"env_fns to .*{text}"):
        AsyncVectorEnv(env_fns)

    assert not started


def test_custom_worker_is_rejected_with_a_remedy(toys: Any, started: list[Any]) -> None:
    with pytest.raises(
        ValueError, match=r"worker= is not supported, got <built-in function len>, because .* Wrap environments"
    ):
        AsyncVectorEnv(toys.makers(1), worker=len)  # type: ignore[arg-type]

    assert not started


def same(env: Any) -> list[Any]:
    return [lambda: env, lambda: env]


NO_ENVIRONMENTS = {
    "nothing": (lambda toys: [lambda: None], TypeError, "environment 0 .*to make an environment .*, got None"),
    "a space": (lambda toys: [toys.Word], TypeError, "environment 0 .*to make an environment .*, got "),
    "a class": (
        lambda toys: [toys.Counter, lambda: toys.Counter],
        TypeError,
        "environment 1 .*the class .*Counter; pass",
    ),
    "several": (
        lambda toys: [lambda: AsyncVectorEnv(toys.makers(1), parent_steps=True)],
        TypeError,
        "environment 0 .*got the vector environment AsyncVectorEnv",
    ),
    "one of all": (
        lambda toys: same(toys.Counter()),
        ValueError,
        "environment 1 .*make a new environment, got .* a second time",
    ),
    "with arguments": (
        lambda toys: [lambda number, length: toys.Counter(length, number)],
        TypeError,
        "environment 0 .*missing 2 required",
    ),
}


@pytest.mark.parametrize("make, error, text", NO_ENVIRONMENTS.values(), ids=NO_ENVIRONMENTS)
def test_non_environment_error_names_the_index(toys: Any, make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text) as raised:
        AsyncVectorEnv(make(toys), num_workers=1)

    assert isinstance(raised.value, WorkerError)


LEGAL: list[dict[str, Any]] = [
    {"num_workers": np.int64(2), "max_concurrency": np.uint8(2), "ring": np.int32(2), "max_restarts": np.int64(0)},
    {"num_workers": 10**30, "max_concurrency": 10**30, "max_restarts": None},
    {"timeout": 50, "copy": np.False_, "shared_memory": 0, "daemon": np.True_, "parent_steps": np.True_},
    {"timeout": np.float32(50), "check_observations": 1, "context": multiprocessing},
    {"timeout": INF, "on_error": np.str_("restart"), "context": multiprocessing.get_context("fork")},
    {"timeout": Fraction(99, 2), "autoreset_mode": np.str_("SameStep"), "context": "fork"},
    {"timeout": 1e30},
    {"timeout": None},
]


KINDS: list[Any] = [list, tuple, iter, lambda functions: np.array(functions, object)]


@pytest.mark.parametrize(
    "arguments, kind",
    [
        pytest.param(arguments, kind, id=f"{k}-{m}", marks=[] if m == k % len(KINDS) else pytest.mark.slow)
        for k, arguments in enumerate(LEGAL)
        for m, kind in enumerate(KINDS)
    ],
)
def test_equivalent_arguments_are_accepted(toys: Any, arguments: dict[str, Any], kind: Any) -> None:
    made: Any = AsyncVectorEnv(kind(toys.makers(2)), **{"num_workers": 1, **arguments})
    with made as envs:
        envs.reset(seed=(np.int64(1), np.uint8(2)))
        assert envs.step((3, 4))[1].tolist() == [3, 4]
        assert envs.num_envs == len(envs.env_fns) == 2


@pytest.fixture(scope="module")
def shared_envs(toys: Any) -> Iterator[Any]:
    with AsyncVectorEnv(toys.makers(N, 99), num_workers=1) as made:
        yield made


@pytest.fixture
def envs(shared_envs: Any) -> Any:
    """Return environments that have been reset. The tests share them, because each test leaves them usable."""
    assert shared_envs._state is AsyncState.DEFAULT
    shared_envs.reset(seed=1)
    return shared_envs


INTEGER = "seed to be an integer >= 0, got"
SEEDS = [
    (-1, Error, f"{INTEGER} -1"),
    (1.5, Error, f"{INTEGER} 1.5"),
    (NAN, Error, f"{INTEGER} nan"),
    ("x", ValueError, "one seed for each of the 4 environments, got 1: 'x'"),
    ("1234", Error, f"{INTEGER} '1'"),
    (b"1234", Error, f"{INTEGER} b'1234'"),
    ({1, 2, 3, 4}, Error, rf"{INTEGER} \{{1, 2, 3, 4\}}"),
    (dict.fromkeys(range(N)), Error, rf"{INTEGER} \{{0: None"),
    (iter([1, 2, 3, 4]), Error, f"{INTEGER} <list_iterator"),
    (np.True_, Error, f"{INTEGER} np.True_"),
    (np.float64(3), Error, f"{INTEGER} np.float64"),
    (np.arange(4.0), Error, f"{INTEGER} np.float64"),
    (np.arange(8).reshape(4, 2), Error, rf"{INTEGER} array\(\[0, 1\]\)"),
    ([1, 2, 3, "x"], Error, f"{INTEGER} 'x'"),
    ([1, 2, 3, -1], Error, f"{INTEGER} -1"),
    ([], ValueError, r"one seed for each of the 4 environments, got 0: \[\]"),
    ([1, 2], ValueError, r"one seed for each of the 4 environments, got 2: \[1, 2\]"),
    (range(5), ValueError, r"one seed for each of the 4 environments, got 5: range\(0, 5\)"),
]
MASK = r'options\["reset_mask"\]'
OPTIONS = [
    ("x", TypeError, "options to be a dictionary or None, got 'x'"),
    (1, TypeError, "options to be a dictionary or None, got 1"),
    ([], TypeError, r"options to be a dictionary or None, got \[\]"),
    (np.ones(N, np.bool_), TypeError, r"options to be a dictionary or None, got array\(\[ True"),
    ({"reset_mask": None}, TypeError, f"{MASK} to be a NumPy array of dtype bool, got None"),
    ({"reset_mask": [True] * N}, TypeError, rf"{MASK} to be a NumPy array of dtype bool, got \[True, True"),
    ({"reset_mask": np.ones(N)}, TypeError, rf"{MASK} to be a NumPy array of dtype bool, got array\(\[1., 1"),
    ({"reset_mask": np.arange(N)}, TypeError, rf"{MASK} to be a NumPy array of dtype bool, got array\(\[0, 1"),
    ({"reset_mask": np.True_}, TypeError, f"{MASK} to be a NumPy array of dtype bool, got np.True_"),
    ({"reset_mask": np.ones(3, np.bool_)}, ValueError, rf"{MASK} to have shape \(4,\) .*, got array\(\[ True,"),
    ({"reset_mask": np.ones((N, 1), np.bool_)}, ValueError, rf"{MASK} to have shape \(4,\) .*, got array\(\[\[ True"),
    (
        {"reset_mask": np.zeros(N, np.bool_)},
        ValueError,
        rf"{MASK} to have shape \(4,\) and a True value, got array\(\[False",
    ),
]
MASKS = [
    (None, "None"),
    (True, "True"),
    ("x", "'x'"),
    ([True] * N, r"\[True, True, True, True\]"),
    (np.ones(N), r"array\(\[1., 1"),
    (np.arange(N), r"array\(\[0, 1"),
    (np.ones(3, np.bool_), r"array\(\[ True,  True,  True\]\)"),
    (np.ones(5, np.bool_), r"array\(\[ True"),
    (np.ones((N, 1), np.bool_), r"array\(\[\[ True"),
    (np.array([True] * N, object), r"array\(\[True, .*object"),
]
BATCHES = [
    (None, TypeError, "actions for 4 environments from .*, got None"),
    (1, TypeError, "actions for 4 environments from .*, got 1"),
    (np.int64(7), TypeError, "actions for 4 environments from .*, got np.int64"),
    (np.array(7), TypeError, r"actions for 4 environments from .*, got array\(7\)"),
    ([], ValueError, r"4 actions, one for each environment, got 0: \[\]"),
    ([1, 2, 3], ValueError, r"4 actions, one for each environment, got 3: \[1, 2, 3\]"),
    (np.arange(3), ValueError, r"4 actions, one for each environment, got 3: array\(\[0, 1, 2\]\)"),
    (np.arange(5), ValueError, r"4 actions, one for each environment, got 5: array\(\[0, 1"),
    (np.arange(4)[None], ValueError, r"4 actions, one for each environment, got 1: array\(\[\[0, 1"),
]
INDICES = "env_ids to be a list of environment indices, got"
DIFFERENT = "env_ids to contain different indices from 0 to 3, got"
ENV_IDS = [
    ([], rf"{INDICES} \[\]"),
    ([0.0], rf"{INDICES} \[0.0\]"),
    ("01", f"{INDICES} '01'"),
    ([None], rf"{INDICES} \[None\]"),
    ([1, "x"], rf"{INDICES} \[1, 'x'\]"),
    ([0, [1]], rf"{INDICES} \[0, \[1\]\]"),
    ([[0], [1]], rf"{INDICES} \[\[0\], \[1\]\]"),
    ({0, 1}, rf"{INDICES} \{{0, 1\}}"),
    (iter([0, 1]), f"{INDICES} <list_iterator"),
    (slice(0, 2), rf"{INDICES} slice\(0, 2"),
    (1.0, f"{INDICES} 1.0"),
    (np.arange(2.0), rf"{INDICES} array\(\[0., 1"),
    ([10**30], rf"{INDICES} \[10000"),
    (True, rf"{INDICES} True; np.flatnonzero\(mask\)"),
    ([True, False, True, False], rf"{INDICES} \[True, .*; np.flatnonzero\(mask\)"),
    (np.ones(N, np.bool_), rf"{INDICES} array\(\[ True, .*; np.flatnonzero\(mask\)"),
    ([4], rf"{DIFFERENT} \[4\]"),
    ([-1], rf"{DIFFERENT} \[-1\]"),
    ([0, 0], rf"{DIFFERENT} \[0, 0\]"),
    (range(5), rf"{DIFFERENT} \[0, 1, 2, 3, 4\]"),
]
NAMES = [(None, "None"), (1, "1"), (True, "True"), (b"number", "b'number'"), (["number"], r"\['number'\]")]
WAITING_TIMES = [
    *((value, TypeError) for value in NO_TIMES),
    *((value, ValueError) for value in (-1, -0.5, NAN, -INF, np.float64(-1))),
]


def ids(table: list[Any]) -> list[str]:
    """Return test ids that are the same in every process, unlike a `repr` that contains an address."""
    return [f"{k}-{type(row[0]).__name__}" for k, row in enumerate(table)]


def goes_on(envs: Any) -> None:
    """Check that a vector environment still works: it can be reset and stepped."""
    observations, rewards, *_ = envs.step(ACTIONS)
    assert rewards.tolist() == [0, 1, 2, 3]
    assert observations.tolist() == [[i, 1, i + 1] for i in range(N)]


@pytest.mark.parametrize("seed, error, text", SEEDS, ids=ids(SEEDS))
def test_invalid_seed_is_rejected(envs: Any, seed: Any, error: type[Exception], text: str) -> None:
    for reset in (envs.reset, envs.reset_async):
        with pytest.raises(error, match=f"^Expected (the )?{text}"):
            reset(seed=seed)
    goes_on(envs)


@pytest.mark.parametrize("options, error, text", OPTIONS, ids=ids(OPTIONS))
def test_invalid_options_are_rejected(envs: Any, options: Any, error: type[Exception], text: str) -> None:
    for reset in (envs.reset, envs.reset_async):
        with pytest.raises(error, match=f"^Expected {text}"):
            reset(options=options)
    goes_on(envs)


@pytest.mark.parametrize("mask, text", MASKS, ids=ids(MASKS))
def test_invalid_mask_is_rejected(envs: Any, mask: Any, text: str) -> None:
    for method, arguments in ((envs.step_masked, (ACTIONS, mask)), (envs.call_masked, (mask, "pid"))):
        with pytest.raises(
            ValueError, match=rf"^Expected the mask to be a NumPy array of dtype bool and shape \(4,\), got {text}"
        ):
            method(*arguments)
    goes_on(envs)


@pytest.mark.parametrize("actions, error, text", BATCHES, ids=ids(BATCHES))
def test_wrong_number_of_actions_is_rejected(envs: Any, actions: Any, error: type[Exception], text: str) -> None:
    for act in (
        envs.step,
        envs.step_async,
        envs.send,
        lambda given: envs.step_masked(given, np.array([True] * 2 + [False] * 2)),
    ):
        with pytest.raises(error, match=f"^Expected {text}"):
            act(actions)
    goes_on(envs)


def test_step_masked_keeps_the_dtype_of_actions(toys: Any) -> None:
    class Picky(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            if not isinstance(action, int | np.integer):
                raise TypeError(f"Expected a whole number, got {action!r}")
            return super().step(action)

    mask = np.array([True, False])
    with AsyncVectorEnv([Picky, Picky], num_workers=1) as envs:
        envs.reset()
        assert envs.step_masked([3, "x"], mask)[1].tolist() == [3, 0]
        with pytest.raises(TypeError, match=r"environment 0 in step .*Expected a whole number, got 3.7"):
            envs.step_masked([3.7, 4.0], mask)
        envs.reset()
        assert envs.step_masked((5, 6), mask)[1].tolist() == [5, 0]


@pytest.mark.parametrize("env_ids, text", ENV_IDS, ids=ids(ENV_IDS))
def test_invalid_indices_are_rejected(envs: Any, env_ids: Any, text: str) -> None:
    with pytest.raises(ValueError, match=f"^Expected {text}"):
        envs.send(ACTIONS[:1], env_ids)
    goes_on(envs)


@pytest.mark.parametrize("batch_size", [*NO_COUNTS, *(0, -1, 5)], ids=range(len(NO_COUNTS) + 3))
def test_invalid_number_of_results_loses_nothing(envs: Any, batch_size: Any) -> None:
    envs.send(ACTIONS)
    with pytest.raises((TypeError, NoAsyncCallError)) as raised:
        envs.recv(batch_size)
    assert "batch_size" in str(raised.value)
    assert f"{batch_size!r}" in str(raised.value)
    assert sorted(envs.recv(np.int64(N))[5]) == [0, 1, 2, 3]


@pytest.mark.parametrize("timeout, error", WAITING_TIMES, ids=ids(WAITING_TIMES))
def test_invalid_timeout_loses_no_results(envs: Any, timeout: Any, error: type[Exception]) -> None:
    def refused(wait: Any) -> None:
        with pytest.raises(
            error, match=r"^Expected timeout to be a number of seconds of at least 0, or None, got"
        ) as raised:
            wait(timeout=timeout)
        assert f"got {timeout!r}" in str(raised.value)

    envs.step_async(ACTIONS)
    refused(envs.step_wait)
    assert envs.step_wait(timeout=np.float32(50))[1].tolist() == [0, 1, 2, 3]
    envs.call_async("add", 1)
    refused(envs.call_wait)
    assert envs.call_wait(timeout=INF) == (1, 2, 3, 4)
    envs.reset_async(1)
    refused(envs.reset_wait)
    assert envs.reset_wait(timeout=1e30)[0][:, 2].tolist() == [1, 2, 3, 4]
    envs.send(ACTIONS)
    refused(envs.recv)
    assert sorted(envs.recv(timeout=50)[5]) == [0, 1, 2, 3]
    refused(envs.close)
    assert envs._state is AsyncState.DEFAULT
    assert not envs.closed
    assert envs.call("add", 2) == (2, 3, 4, 5)


@pytest.mark.parametrize("timeout", [*NO_TIMES, 0, -1, NAN], ids=range(len(NO_TIMES) + 3))
def test_invalid_timeout_attribute_is_rejected(envs: Any, timeout: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^Expected timeout to be a number of seconds above 0") as raised:
        envs.timeout = timeout
    assert f"got {timeout!r}" in str(raised.value)
    assert envs.timeout is None
    goes_on(envs)


@pytest.mark.parametrize("terminate", NO_FLAGS, ids=range(len(NO_FLAGS)))
def test_invalid_close_arguments_close_nothing(envs: Any, terminate: Any) -> None:
    with pytest.raises(TypeError, match=r"^Expected terminate to be True or False") as raised:
        envs.close(terminate=terminate)
    assert f"got {terminate!r}" in str(raised.value)
    goes_on(envs)


@pytest.mark.parametrize("name, text", NAMES, ids=ids(NAMES))
def test_invalid_attribute_name_is_rejected(envs: Any, name: Any, text: str) -> None:
    calls: Any = (
        lambda: envs.call(name),
        lambda: envs.call_async(name),
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
    with pytest.raises(ValueError, match=r"^Expected name to be the name of an attribute without dots, got") as raised:
        envs.set_attr(name, 1)
    assert f"got {name!r}" in str(raised.value)


@pytest.mark.parametrize("values", [[], [1], (1, 2, 3, 4, 5)], ids=range(3))
def test_wrong_number_of_values_is_rejected(envs: Any, values: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^Expected values to contain one value for each of the 4 environments"
    ) as raised:
        envs.set_attr("number", values)
    assert f"got {len(values)}: {values!r}" in str(raised.value)
    goes_on(envs)


def test_unpicklable_argument_error_says_what_it_was_for(envs: Any) -> None:
    with pytest.raises(TypeError, match=r"cannot pickle 'generator' object") as raised:
        envs.set_attr("number", (i for i in range(N)))
    assert raised.value.__notes__ == [
        "set_attr sends the arguments of 'number' to other processes, so they must be picklable."
    ]
    goes_on(envs)


def test_valid_arguments_are_accepted(toys: Any) -> None:
    created: Any = AsyncVectorEnv(toys.makers(N, 99), num_workers=1)
    with created as envs:
        envs.reset(seed=1)
        for env_ids in (1, np.int64(1), np.array(1), (1,), range(1, 2), np.array([1], np.uint8), [np.int64(1)]):
            envs.send([5], env_ids)
            assert envs.recv(np.int32(1), np.float32(50))[5].tolist() == [1]
        for seed in (
            np.int64(3),
            np.array(3),
            (3, 4, 5, 6),
            np.arange(3, 7),
            range(3, 7),
            np.array([3, 4, 5, 6], object),
        ):
            assert envs.reset(seed=seed)[0][:, 2].tolist() == [3, 4, 5, 6]
        envs.set_attr("number", (5, 6, 7, 8))
        assert envs.get_attr("number") == (5, 6, 7, 8)
        envs.set_attr("number", np.arange(4))
        assert [item.tolist() for item in envs.get_attr("number")] == [[0, 1, 2, 3]] * N
