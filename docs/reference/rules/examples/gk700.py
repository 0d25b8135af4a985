"""The constructor needs arguments, so the class must provide spaces to test with `test_instances`."""

from gymkernel import Space


class Wrong(Space):
    def __init__(self, sides):
        super().__init__((), int)
        self.sides = sides

    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(self.sides))

    def contains(self, x):
        return isinstance(x, int) and 0 <= x < self.sides


class Right(Wrong):
    @classmethod
    def test_instances(cls):
        yield cls(2)
        yield cls(20)
