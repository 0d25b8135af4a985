"""The wrapper's action space contains one action more than the wrapped environment supports."""

from gymkernel import ActionWrapper
from gymkernel.spaces import Discrete
from gymkernel.utils import RecordConstructorArgs


class Wrong(ActionWrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        ActionWrapper.__init__(self, env)
        if not isinstance(env.action_space, Discrete):
            raise TypeError("Wrong expects a Discrete as action space")
        self.action_space = Discrete(int(env.action_space.n) + 1)

    def action(self, action):
        return action


class Right(Wrong):
    def action(self, action):
        return min(action, self.env.action_space.n - 1)
