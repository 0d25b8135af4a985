"""The installed wrappers, by name: `gymkernel.wrappers.TimeLimit` loads the plugin that provides it."""

from gymkernel.plugins import facade
from gymkernel.wrapper import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper
from gymkernel.wrappers import vector

__getattr__, __dir__ = facade(__name__, "wrappers", globals())
