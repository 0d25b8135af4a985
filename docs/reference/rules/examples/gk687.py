"""The wrapper scales the action in place, so it changes the agent's array."""

from gymkernel import ActionWrapper
from gymkernel.spaces import Box
from gymkernel.utils import RecordConstructorArgs


class Wrong(ActionWrapper, RecordConstructorArgs):
    def __init__(self, env):
        RecordConstructorArgs.__init__(self)
        ActionWrapper.__init__(self, env)
        if not isinstance(env.action_space, Box):
            raise TypeError("Wrong expects a Box as action space")

    def action(self, action):
        action *= 0.5
        return action


class Right(Wrong):
    def action(self, action):
        return 0.5 * action
