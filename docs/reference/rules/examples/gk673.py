"""Three times an action is no action."""

from gymkernel.vector import VectorActionWrapper


class Wrong(VectorActionWrapper):
    def actions(self, actions):
        return 3 * actions


class Right(VectorActionWrapper):
    def actions(self, actions):
        return actions
