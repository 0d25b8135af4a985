"""The layout uses single precision, so half of the digits are lost."""

import numpy as np

from gymkernel import Space
from gymkernel.space import Field


class Wrong(Space):
    def sample(self, mask=None, probability=None):
        angle = self.np_random.uniform(0, 2 * np.pi)
        return np.array([np.cos(angle), np.sin(angle)])

    def contains(self, x):
        return isinstance(x, np.ndarray) and x.shape == (2,) and bool(abs(np.linalg.norm(x) - 1) < 1e-9)

    def layout(self):
        return (Field.of(np.float32, (2,)),)


class Right(Wrong):
    def layout(self):
        return (Field.of(np.float64, (2,)),)
