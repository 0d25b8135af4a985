"""`__repr__` reads an attribute that does not exist, so creating an error message about the space fails."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __repr__(self):
        return f"Die({self.sides})"


class Right(Discrete):
    def __repr__(self):
        return f"Die({self.n})"
