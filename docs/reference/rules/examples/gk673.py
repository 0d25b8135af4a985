"""The wrapper multiplies the actions by three, so they are no longer valid."""

from gymkernel.vector import VectorActionWrapper


class Wrong(VectorActionWrapper):
    def actions(self, actions):
        return 3 * actions


class Right(VectorActionWrapper):
    def actions(self, actions):
        return actions
