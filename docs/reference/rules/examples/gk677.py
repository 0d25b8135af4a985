"""The batch of actions is the agent's, and is scaled where it stands."""

from gymkernel.vector import VectorActionWrapper


class Wrong(VectorActionWrapper):
    def actions(self, actions):
        if actions.dtype.kind == "f":
            actions *= 0.5
        return actions


class Right(VectorActionWrapper):
    def actions(self, actions):
        return 0.5 * actions if actions.dtype.kind == "f" else actions
