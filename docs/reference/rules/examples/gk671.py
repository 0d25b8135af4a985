"""The wrapper does not pass the seed to the wrapped environment, so every run starts differently."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(options=options)


class Right(VectorWrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)
