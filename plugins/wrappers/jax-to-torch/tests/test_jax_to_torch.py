"""Tests of `JaxToTorch`. The tests in `tests/arrays` cover all conversions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import torch

from gymkernel.vector import VectorEnv
from gymkernel.wrappers.jax_to_torch import jax_to_torch, torch_to_jax
from gymkernel.wrappers.vector import JaxToTorch


class Halves(VectorEnv[jax.Array, jax.Array, jax.Array]):
    """A vector environment with two environments that returns only JAX arrays."""

    num_envs = 2

    def step(self, actions: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, dict[str, jax.Array]]:
        assert isinstance(actions, jax.Array)
        half = actions / 2
        return half, half, half > 1, half < 0, {"half": half}


def test_vector_environment_looks_like_torch() -> None:
    *values, infos = JaxToTorch(Halves()).step(torch.tensor([1.0, 4.0]))

    assert all(isinstance(value, torch.Tensor) for value in (*values, infos["half"]))
    assert [value.tolist() for value in values] == [[0.5, 2], [0.5, 2], [False, True], [False, False]]


def test_outputs_share_memory() -> None:
    array = jnp.zeros(3)

    assert jax_to_torch(array).data_ptr() == array.unsafe_buffer_pointer()


def test_tensors_become_jax_arrays() -> None:
    assert isinstance(torch_to_jax({"a": torch.zeros(3)})["a"], jax.Array)
