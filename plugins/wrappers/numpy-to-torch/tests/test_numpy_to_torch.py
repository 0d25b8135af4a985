"""Tests of `NumpyToTorch`. The tests in `tests/arrays` cover all conversions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gymkernel import Env
from gymkernel.wrappers import NumpyToTorch
from gymkernel.wrappers.numpy_to_torch import numpy_to_torch, torch_to_numpy


class Running(Env[np.ndarray, np.ndarray]):
    """An environment that adds all actions to an array and returns the same array from every step."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.sums = np.zeros(2)
        return self.sums, {}

    def step(self, action: np.ndarray) -> Any:
        assert isinstance(action, np.ndarray)
        self.sums += action
        return self.sums, self.sums.sum(), False, False, {}


def test_torch_policy_sees_only_tensors() -> None:
    env = NumpyToTorch(Running(), device="cpu")
    observation, _ = env.reset()

    observation, reward, *_ = env.step(torch.ones_like(observation))

    assert torch.equal(observation, torch.ones(2, dtype=torch.float64))
    assert reward == 2.0


def test_memory_is_shared_both_ways() -> None:
    array = np.zeros(3)

    tensor = numpy_to_torch(array)

    assert tensor.data_ptr() == array.ctypes.data
    assert torch_to_numpy(tensor).ctypes.data == array.ctypes.data


def test_tensors_with_gradients_are_detached() -> None:
    assert torch_to_numpy({"a": torch.ones(2, requires_grad=True)})["a"].tolist() == [1, 1]
