"""The message that should name a space fails itself, because the attribute has another name."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __repr__(self):
        return f"Die({self.sides})"


class Right(Discrete):
    def __repr__(self):
        return f"Die({self.n})"
