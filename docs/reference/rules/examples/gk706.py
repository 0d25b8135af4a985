"""A default argument is created only once, so all spaces without a seed share one generator."""

import numpy as np

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __init__(self, n=6, seed=np.random.default_rng(0)):
        super().__init__(n, seed=seed)

    @classmethod
    def test_instances(cls):
        yield cls()


class Right(Wrong):
    def __init__(self, n=6, seed=None):
        super().__init__(n, seed=seed)
