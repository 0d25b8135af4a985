"""The wrapper scales the batch of actions in place, so it changes the agent's array."""

from gymkernel.vector import VectorActionWrapper


class Wrong(VectorActionWrapper):
    def actions(self, actions):
        if actions.dtype.kind == "f":
            actions *= 0.5
        return actions


class Right(VectorActionWrapper):
    def actions(self, actions):
        return 0.5 * actions if actions.dtype.kind == "f" else actions
