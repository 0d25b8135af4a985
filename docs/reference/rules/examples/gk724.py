"""The repr reads an attribute that does not exist, so an error message that shows the space fails itself."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __repr__(self):
        return f"Die({self.sides})"


class Right(Discrete):
    def __repr__(self):
        return f"Die({self.n})"
