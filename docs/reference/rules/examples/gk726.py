"""The description omits the number of sides, so every die that is read from a file has six sides."""

METADATA = """\
Metadata-Version: 2.4
Name: acme-die
Version: 1.0
Summary: Dice
Requires-Python: >=3.11
License-Expression: MIT
Requires-Dist: gymkernel>=0.1,<1

# acme-die
"""
SOURCE = """\
from gymkernel import Space


class Die(Space):
    @classmethod
    def test_instances(cls):
        yield cls(6)
        yield cls(20)

    def __init__(self, sides=6):
        super().__init__((), int)
        self.sides = sides

    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(self.sides))

    def contains(self, x):
        return isinstance(x, int) and 0 <= x < self.sides

    def __eq__(self, other):
        return isinstance(other, Die) and self.sides == other.sides

    __hash__ = None

    def to_spec(self):
        return {}

    @classmethod
    def from_spec(cls, spec):
        return cls(**spec)
"""
FILES = {
    "acme_die-1.0.dist-info/METADATA": METADATA,
    "acme_die-1.0.dist-info/entry_points.txt": "[gymkernel.spaces]\nDie = acme_die:Die\n",
}
Wrong = {**FILES, "acme_die.py": SOURCE}
Right = {**FILES, "acme_die.py": SOURCE.replace("return {}", 'return {"sides": self.sides}')}
