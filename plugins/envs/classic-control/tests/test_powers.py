from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel_env_classic_control.powers import FEW, squares


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, FEW, FEW + 1, 50_000])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12])
def test_squares_equal_scalar_squares(dtype: type, n: int, scale: float) -> None:
    x: Any = (np.random.default_rng(n).uniform(-9, 9, n) * scale).astype(dtype)
    result = squares(x)
    assert result.dtype == dtype
    assert result.tolist() == [float(item**2) for item in x]


def test_half_precision_squares() -> None:
    x = np.random.default_rng(1).uniform(-9, 9, 300).astype(np.float16)
    assert squares(x).tolist() == [float(item**2) for item in x]


@given(st.lists(st.floats(-1e100, 1e100), min_size=FEW + 1, max_size=FEW + 9))
def test_squares_of_any_number(numbers: list[float]) -> None:
    assert squares(np.array(numbers)).tolist() == [number**2 for number in numbers]


def test_argument_is_not_modified() -> None:
    x = np.linspace(-1, 1, 1000)
    squares(x)
    assert (x == np.linspace(-1, 1, 1000)).all()
