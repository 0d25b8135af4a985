"""Tests of conversions between arrays of NumPy, torch, JAX and the array API's strict reference implementation."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import array_api_strict
import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from gymnasium.wrappers import array_conversion as theirs

import gymkernel as gym
from gymkernel.vector import AutoresetMode
from gymkernel.wrappers import ArrayConversion, JaxToNumpy, JaxToTorch, NumpyToTorch
from gymkernel.wrappers.array_conversion import array_conversion, module_namespace
from gymkernel.wrappers.vector import ArrayConversion as OfMany
from gymkernel.wrappers.vector import NumpyToTorch as ManyToTorch

LIBRARIES = {"numpy": np, "torch": torch, "jax.numpy": jnp, "array_api_strict": array_api_strict}
KINDS: dict[str, Any] = {
    "numpy": np.ndarray,
    "torch": torch.Tensor,
    "jax.numpy": jax.Array,
    "array_api_strict": type(array_api_strict.asarray(0)),
}
DTYPES = ("bool", "int8", "uint8", "int32", "float32")
sources = pytest.mark.parametrize("source", LIBRARIES)
targets = pytest.mark.parametrize("target", LIBRARIES)


def made(library: str, numbers: Any, dtype: str) -> Any:
    xp = LIBRARIES[library]
    return xp.asarray(numbers, dtype=getattr(xp, "bool_" if (library, dtype) == ("jax.numpy", "bool") else dtype))


def numbers(array: Any) -> Any:
    return np.asarray(array.tolist() if hasattr(array, "tolist") else np.from_dlpack(array))


@sources
@targets
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [[[0, 1, 1], [1, 0, 1]], [], 1], ids=["matrix", "empty", "number"])
def test_values_and_dtype_are_kept(source: str, target: str, dtype: str, values: Any) -> None:
    array = made(source, values, dtype)

    converted = array_conversion(array, module_namespace(target))

    assert isinstance(converted, KINDS[target])
    assert str(converted.dtype).rpartition(".")[2] == dtype
    assert np.array_equal(numbers(converted), numbers(array))


@sources
@targets
def test_arrays_survive_a_round_trip(source: str, target: str) -> None:
    value = {"a": made(source, [1, 2], "int32"), "b": (made(source, [0.5], "float32"), None, "text")}

    there = array_conversion(value, module_namespace(target))
    again = array_conversion(there, module_namespace(source))

    assert isinstance(again["a"], KINDS[source])
    assert numbers(again["b"][0]).tolist() == [0.5]
    assert again["b"][1:] == (None, "text")


@targets
def test_read_only_arrays_are_copied(target: str) -> None:
    frozen = np.arange(3, dtype=np.int32)
    frozen.flags.writeable = False

    converted = array_conversion(frozen, module_namespace(target))
    if target == "torch":
        converted += 1

    assert frozen.tolist() == [0, 1, 2]


@targets
@pytest.mark.parametrize(
    "array",
    [np.arange(6, dtype=np.int32)[::-1], np.arange(6, dtype=np.int32).reshape(2, 3).T, np.arange(6, dtype=">i4")],
    ids=["backwards", "transposed", "foreign byte order"],
)
def test_arrays_of_any_memory_layout_are_converted(target: str, array: Any) -> None:
    assert numbers(array_conversion(array, module_namespace(target))).tolist() == array.tolist()


@pytest.mark.parametrize("target", ["numpy", "jax.numpy"])
def test_tensors_with_gradients_are_detached(target: str) -> None:
    tensor = torch.ones(2, requires_grad=True)

    assert numbers(array_conversion(tensor, module_namespace(target))).tolist() == [1, 1]


def test_dtypes_without_dlpack_are_copied_through_the_host() -> None:
    assert numbers(array_conversion(jnp.arange(3, dtype=jnp.bfloat16), module_namespace("numpy"))).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "pair", [("numpy", "torch"), ("torch", "numpy"), ("jax.numpy", "numpy"), ("jax.numpy", "torch")], ids="-".join
)
def test_memory_is_shared_if_possible(pair: tuple[str, str]) -> None:
    array = made(pair[0], np.zeros(1000), "float32")

    assert address(array_conversion(array, module_namespace(pair[1]))) == address(array)


def address(array: Any) -> int:
    if isinstance(array, torch.Tensor):
        return int(array.data_ptr())
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.unsafe_buffer_pointer())


class Inside(gym.Env[Any, Any]):
    """An environment that computes with one library's arrays and records its inputs."""

    def __init__(self, library: str) -> None:
        self.library, self.seen = library, []  # type: ignore[var-annotated]
        self.observation_space = gym.spaces.Box(-9.0, 9.0, (2,))
        self.action_space = gym.spaces.Box(-9.0, 9.0, (2,))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return made(self.library, [1.0, 2.0], "float32"), {"x": 1.5, "name": "abc", "nested": {"y": [1]}}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.seen.append(action)
        return action + action, 1.0, False, False, {"action": action}


@sources
@targets
def test_wrapper_converts_both_ways(source: str, target: str) -> None:
    env = ArrayConversion(Inside(source), source, target)
    observation, info = env.reset(seed=1)

    seen = env.step(made(target, [0.5, 1.0], "float32"))

    assert isinstance(observation, KINDS[target])
    assert isinstance(info["x"], KINDS[target])
    assert info["name"] == "abc"
    assert numbers(seen[0]).tolist() == [1, 2]
    assert seen[1:4] == (1.0, False, False)
    assert isinstance(env.unwrapped.seen[0], KINDS[source])  # type: ignore[attr-defined]
    assert isinstance(seen[4]["action"], KINDS[target])


@targets
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_converts(target: str, duplicate: Any) -> None:
    twin = duplicate(ArrayConversion(Inside("numpy"), np, target))

    assert isinstance(twin.reset()[0], KINDS[target])


@sources
@targets
def test_conversion_equals_gymnasiums(source: str, target: str) -> None:
    class Outside(gymnasium.Env):  # type: ignore[type-arg,unused-ignore]
        observation_space = action_space = gymnasium.spaces.Box(-9, 9, (2,))
        reset = Inside.reset
        step = Inside.step
        library, seen = source, []  # type: ignore[var-annotated]

    action = made(target, [0.5, 1.0], "float32")
    other = theirs.ArrayConversion(Outside(), LIBRARIES[source], LIBRARIES[target])
    expected = other.step(action)

    got = ArrayConversion(Inside(source), source, target).step(action)

    assert numbers(got[0]).tolist() == numbers(expected[0]).tolist()
    assert type(got[0]) is type(expected[0])
    assert got[1:4] == expected[1:4]


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
def test_vector_environment_converts_batches(mode: AutoresetMode) -> None:
    envs = ManyToTorch(gym.make_vec("CartPole-v1", 3, "sync", vector_kwargs={"autoreset_mode": mode}))
    plain = gym.make_vec("CartPole-v1", 3, "sync", vector_kwargs={"autoreset_mode": mode})
    observations, _ = envs.reset(seed=3)
    assert torch.equal(observations, torch.from_numpy(plain.reset(seed=3)[0]))

    for _ in range(40):
        values, expected = envs.step(torch.ones(3, dtype=torch.int64)), plain.step(np.ones(3, np.int64))
        assert all(
            torch.equal(value, torch.from_numpy(other)) for value, other in zip(values[:4], expected[:4], strict=True)
        )
        if "final_obs" in values[4]:
            last = values[4]["final_obs"][int(torch.nonzero(values[4]["_final_obs"])[0])]
            assert isinstance(last, torch.Tensor)
        if mode is AutoresetMode.DISABLED and (done := values[2] | values[3]).any():
            envs.reset(options={"reset_mask": done})
            plain.reset(options={"reset_mask": done.numpy()})


def test_both_forms_of_all_libraries_can_be_stacked() -> None:
    env = JaxToNumpy(Inside("jax.numpy"))
    tensors = NumpyToTorch(env)

    assert isinstance(JaxToTorch(Inside("jax.numpy")).reset()[0], torch.Tensor)
    assert isinstance(tensors.reset()[0], torch.Tensor)
    assert isinstance(tensors.step(torch.ones(2))[0], torch.Tensor)
    assert isinstance(env.unwrapped.seen[0], jax.Array)  # type: ignore[attr-defined]


def test_vector_environment_of_a_strict_library_is_converted() -> None:
    envs = OfMany(gym.make_vec("CartPole-v1", 2, "sync"), np, array_api_strict)

    observations, _ = envs.reset(seed=1)
    values = envs.step(array_api_strict.asarray([0, 1]))

    assert all(isinstance(value, KINDS["array_api_strict"]) for value in (observations, *values[:4]))


def test_spec_recreates_the_wrapper() -> None:
    env = NumpyToTorch(gym.make("CartPole-v1"), device="cpu")
    assert env.spec is not None

    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))

    assert isinstance(again, NumpyToTorch)
    assert torch.equal(again.reset(seed=1)[0], env.reset(seed=1)[0])
