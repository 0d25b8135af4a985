"""Tests of `ArrayConversion` with NumPy. The tests in `tests/arrays` use other libraries."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.wrappers import ArrayConversion
from gymkernel.wrappers import array_conversion as module


class Zeros(Env[Any, Any]):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(2), {"seed": seed, "options": options}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        return np.zeros(2) + action, np.array(2.5), np.array(True), np.bool_(False), {}


def test_wrapper_is_at_gymnasiums_module_path() -> None:
    assert module.ArrayConversion is ArrayConversion


def test_step_returns_plain_numbers() -> None:
    assert ArrayConversion(Zeros(), np, "numpy").step(3.0)[1:] == (2.5, True, False, {})


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_converts(duplicate: Any) -> None:
    twin = duplicate(ArrayConversion(Zeros(), np, np))

    assert twin.step(1.0)[0].tolist() == [1, 1]


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    kwargs = json.loads(json.dumps(ArrayConversion(Zeros(), np, np)._saved_kwargs))

    assert kwargs == {"env_xp": "numpy", "target_xp": "numpy", "env_device": None, "target_device": None}
    assert ArrayConversion(Zeros(), **kwargs).reset(seed=3)[1]["options"] is None


def test_module_without_arrays_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^Expected an array API module"):
        ArrayConversion(Zeros(), np, "json")
