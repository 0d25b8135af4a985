"""Tests of the conversion wrappers that are named after two libraries, and of their conversion functions."""

from __future__ import annotations

import json
import pickle
from enum import Enum
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from gymkernel import Env
from gymkernel.vector import VectorEnv
from gymkernel.wrappers import JaxToNumpy, JaxToTorch, NumpyToTorch
from gymkernel.wrappers import vector as of_many
from gymkernel.wrappers.jax_to_numpy import jax_to_numpy, numpy_to_jax
from gymkernel.wrappers.jax_to_torch import jax_to_torch, torch_to_jax
from gymkernel.wrappers.numpy_to_torch import numpy_to_torch, torch_to_numpy


class Library(Enum):
    NUMPY, TORCH, JAX = "numpy", "torch", "jax"

    @property
    def array(self) -> Any:
        return {"numpy": np.ndarray, "torch": torch.Tensor, "jax": jax.Array}[self.value]

    @property
    def asarray(self) -> Any:
        """Convert numbers to an array of the given library."""
        return {"numpy": np.asarray, "torch": torch.asarray, "jax": jnp.asarray}[self.value]


class Conversion(NamedTuple):
    """Two array libraries, and the wrappers and functions that convert between them."""

    inside: Library
    outside: Library
    wrapper: Any
    of_many: Any
    out: Any
    back: Any
    saved: dict[str, Any]


NUMPY, TORCH, JAX = Library
CONVERSIONS = {
    "JaxToNumpy": Conversion(JAX, NUMPY, JaxToNumpy, of_many.JaxToNumpy, jax_to_numpy, numpy_to_jax, {}),
    "JaxToTorch": Conversion(JAX, TORCH, JaxToTorch, of_many.JaxToTorch, jax_to_torch, torch_to_jax, {"device": None}),
    "NumpyToTorch": Conversion(
        NUMPY, TORCH, NumpyToTorch, of_many.NumpyToTorch, numpy_to_torch, torch_to_numpy, {"device": None}
    ),
}
conversions = pytest.mark.parametrize("given", CONVERSIONS.values(), ids=CONVERSIONS)


class Inside(Env[Any, Any]):
    """An environment that accepts and returns only arrays of one library."""

    render_mode = "rgb_array"

    def __init__(self, library: Library) -> None:
        self.library = library

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        assert options is None or isinstance(options["start"], self.library.array)
        self.sum = self.library.asarray(0.0 if options is None else options["start"])
        return self._seen(), {"name": "inside", "who": self}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        assert isinstance(action, self.library.array)
        self.sum = self.sum + action
        return self._seen(), self.sum, self.sum > 3, self.sum < -3, {"twice": 2 * self.sum}

    def _seen(self) -> dict[str, Any]:
        return {"sum": self.sum + self.library.asarray([1.0, 2.0])}

    def render(self) -> Any:
        return self.library.asarray([[[1, 2, 3]]])


class Many(VectorEnv[Any, Any, Any]):
    """A vector environment that consists of two `Inside` environments."""

    num_envs = 2

    def __init__(self, library: Library) -> None:
        self.library = library

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.sum = self.library.asarray([0.0, 1.0])
        return self.sum + 0, {}

    def step(self, actions: Any) -> Any:
        return self.step_masked(actions, self.library.asarray([True, True]))

    def step_masked(self, actions: Any, mask: Any) -> Any:
        assert isinstance(actions, self.library.array)
        assert isinstance(mask, self.library.array)
        self.sum = self.sum + actions * mask
        infos = {"x": self.sum + 0, "_x": np.array([True, False])}
        return self.sum + 0, self.sum + 0, self.sum > 3, self.sum < -3, infos

    def render(self) -> Any:
        return self.library.asarray([1]), self.library.asarray([2])


@conversions
def test_observations_infos_and_frames_are_converted(given: Conversion) -> None:
    env = given.wrapper(Inside(given.inside))

    observation, info = env.reset()

    assert isinstance(observation["sum"], given.outside.array)
    assert observation["sum"].tolist() == [1, 2]
    assert info["name"] == "inside"
    assert info["who"] is env.unwrapped
    assert isinstance(env.render(), given.outside.array)


@conversions
def test_actions_are_converted_and_steps_return_plain_numbers(given: Conversion) -> None:
    env = given.wrapper(Inside(given.inside))
    env.reset()

    observation, reward, terminated, truncated, info = env.step(given.outside.asarray(4.0))

    assert observation["sum"].tolist() == [5, 6]
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    assert (reward, terminated, truncated) == (4, True, False)
    assert isinstance(info["twice"], given.outside.array)
    assert float(info["twice"]) == 8


@conversions
def test_options_are_converted(given: Conversion) -> None:
    observation, _ = given.wrapper(Inside(given.inside)).reset(options={"start": given.outside.asarray(3.0)})

    assert observation["sum"].tolist() == [4, 5]


@conversions
def test_vector_results_are_converted(given: Conversion) -> None:
    envs = given.of_many(Many(given.inside))
    envs.reset()

    *values, infos = envs.step(given.outside.asarray([3.0, 0.0]))

    assert all(isinstance(value, given.outside.array) for value in (*values, infos["x"], infos["_x"]))
    assert [value.tolist() for value in values] == [[3, 1], [3, 1], [False, False], [False, False]]
    assert [frame.tolist() for frame in envs.render() or ()] == [[1], [2]]


@conversions
def test_masked_steps_are_converted(given: Conversion) -> None:
    envs = given.of_many(Many(given.inside))
    envs.reset()
    actions, mask = given.outside.asarray([3.0, 3.0]), given.outside.asarray([False, True])

    assert envs.step_masked(actions, mask)[0].tolist() == [0, 4]


@conversions
def test_conversion_functions_are_inverse(given: Conversion) -> None:
    value = {"a": (given.inside.asarray([0, 1, 2]), [given.inside.asarray([1.0, 1.0])]), "b": None, "c": "text"}

    there = given.out(value)
    again = given.back(there)

    assert isinstance(there["a"][0], given.outside.array)
    assert isinstance(again["a"][1][0], given.inside.array)
    assert again["a"][0].tolist() == [0, 1, 2]
    assert (there["b"], there["c"]) == (None, "text")


@conversions
def test_wrapper_can_be_pickled(given: Conversion) -> None:
    env = pickle.loads(pickle.dumps(given.wrapper(Inside(given.inside))))

    assert isinstance(env.reset()[0]["sum"], given.outside.array)


@conversions
def test_wrapper_is_recreated_from_spec_and_json(given: Conversion) -> None:
    kwargs = json.loads(json.dumps(given.wrapper(Inside(given.inside))._saved_kwargs))

    assert given.wrapper(Inside(given.inside), **kwargs)._saved_kwargs == kwargs == given.saved


@conversions
def test_unconvertible_action_is_rejected(given: Conversion) -> None:
    with pytest.raises(TypeError, match=r"^Cannot convert "):
        given.wrapper(Inside(given.inside)).step(object())


@pytest.mark.parametrize("name", ["JaxToTorch", "NumpyToTorch"])
@pytest.mark.parametrize("device", [None, "cpu", torch.device("cpu")])
def test_tensors_can_have_a_device(name: str, device: Any) -> None:
    given = CONVERSIONS[name]
    env = given.wrapper(Inside(given.inside), device=device)

    assert env.reset()[0]["sum"].device == torch.device("cpu")
    assert given.of_many(Many(given.inside), device=device).reset()[0].device == torch.device("cpu")
    json.dumps(env._saved_kwargs)
