"""The counter is created only if no options are passed, but step always uses it."""

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
