"""Check the types of a third-party space and of operations on it. This file is only read by mypy and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
from numpy.typing import NDArray

from gymkernel import ops
from gymkernel.space import Field, Space
from gymkernel.spaces import Box, Discrete, MultiDiscrete, Tuple

if TYPE_CHECKING:
    from gymkernel.protocols import SpaceLike
    from gymkernel.space import Layout


class Angle(Space[NDArray[np.float64]]):
    def sample(self, mask: None = None, probability: None = None) -> NDArray[np.float64]:
        return self.np_random.uniform(-np.pi, np.pi, size=1)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray)

    def layout(self) -> Layout:
        return (Field.of(float, (1,)),)


class Wrong(Space[int]):
    def sample(self, mask: None = None, probability: None = None) -> str:  # type: ignore[override]
        return ""


@ops.flatdim.register(Angle)
def flatdim(space: Angle) -> int:
    """Check that a registered function keeps its type."""
    return 1


assert_type(flatdim(Angle()), int)
assert_type(Angle(seed=3).sample(), NDArray[np.float64])
assert_type(Angle().np_random, np.random.Generator)
assert_type(3 in Angle(), bool)
assert_type(ops.flatdim(Angle()), int)

# A space whose elements have some class is also a space of the base class.
any_space: Space[Any] = Angle()
wider: Space[object] = Angle()
same: Space[NDArray[np.float64]] = Angle()
other: Space[str] = Angle()  # type: ignore[assignment]
behaves: SpaceLike[NDArray[np.float64]] = Angle()

box: Space[NDArray[Any]] = Box(0, 1)
keys: Space[NDArray[Any]] = MultiDiscrete([3, 2])
pair: Space[tuple[Any, ...]] = Tuple([Box(0, 1), Discrete(3)])
number: Space[np.int64] = Discrete(3)
word: Space[str] = Box(0, 1)  # type: ignore[assignment]

# The dtype of a space determines the type of its samples.
assert_type(Discrete(3).sample(), np.int64)
assert_type(Discrete(3, dtype=np.uint8).sample(), np.uint8)
assert_type(Box(0, 1).sample(), NDArray[np.float32])
assert_type(Box(0, 1, (2,), dtype=np.float32).sample(), NDArray[np.float32])
assert_type(Box(0, 255, (2,), np.uint8).sample(), NDArray[np.uint8])
assert_type(Box(0, 1, dtype="f8").sample(), NDArray[Any])
