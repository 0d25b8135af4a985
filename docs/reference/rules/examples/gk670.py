"""A sum that is made where options say so, and used in any case."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    def reset(self, *, seed=None, options=None):
        if options is None:
            self.steps = 0
        return super().reset(seed=seed, options=options)

    def step(self, actions):
        self.steps += 1
        return super().step(actions)


class Right(Wrong):
    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return super().reset(seed=seed, options=options)
