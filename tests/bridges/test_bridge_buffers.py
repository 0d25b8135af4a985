"""Gymnasium's spaces in the memory that backends share."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from gymkernel.vector.utils import Buffer


def test_arrays_of_a_space_go_into_a_buffer() -> None:
    buffer = Buffer(spaces.Dict(a=spaces.Box(0, 9, (2,)), b=spaces.Discrete(5)), 2)
    for i in range(2):
        buffer.write(i, {"a": np.full(2, i, np.float32), "b": np.int64(i + 1)})

    batch = buffer.read()

    assert buffer.dense
    assert batch["b"].tolist() == [1, 2]
