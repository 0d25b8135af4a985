"""All installed wrappers. Accessing `gymkernel.wrappers.TimeLimit` loads the plugin that provides the wrapper."""

from gymkernel.plugins import facade
from gymkernel.wrapper import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper
from gymkernel.wrappers import vector

__getattr__, __dir__ = facade(__name__, "wrappers", globals())
