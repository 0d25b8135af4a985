"""`sample_n(3)` returns one long row instead of three rows."""

import numpy as np

from gymkernel.spaces import Box


class Wrong(Box):
    def sample_n(self, n):
        return np.concatenate([self.sample() for _ in range(n)])


class Right(Box):
    pass
