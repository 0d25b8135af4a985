"""The noise comes from numpy.random, which the environments' seeds do not affect."""

import numpy as np

from gymkernel.vector import VectorRewardWrapper


class Wrong(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards + np.random.normal()


class Right(VectorRewardWrapper):
    def reset(self, *, seed=None, options=None):
        self.noise = np.random.default_rng(seed if isinstance(seed, int) else 0)
        return super().reset(seed=seed, options=options)

    def rewards(self, rewards):
        return rewards + self.noise.normal()
