"""Tests of `JaxToNumpy`. The tests in `tests/arrays` cover all conversions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gymkernel import Env
from gymkernel.wrappers import JaxToNumpy
from gymkernel.wrappers.jax_to_numpy import jax_to_numpy, numpy_to_jax


class Doubling(Env[Any, Any]):
    """An environment whose step is compiled and returns only JAX arrays."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return jnp.zeros(2), {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        assert isinstance(action, jax.Array)
        twice = jax.jit(lambda array: 2 * array)(action)
        return twice, twice.sum(), twice.sum() > 5, False, {}


def test_jax_environment_looks_like_numpy() -> None:
    env = JaxToNumpy(Doubling())
    env.reset()

    observation, *rest = env.step(np.array([1.0, 2.0]))

    assert isinstance(observation, np.ndarray)
    assert observation.tolist() == [2, 4]
    assert rest == [6.0, True, False, {}]


def test_outputs_share_memory() -> None:
    array = jnp.zeros(1000)

    assert jax_to_numpy(array).ctypes.data == array.unsafe_buffer_pointer()


def test_numpy_arrays_become_jax_arrays() -> None:
    assert isinstance(numpy_to_jax({"a": np.zeros(3)})["a"], jax.Array)
