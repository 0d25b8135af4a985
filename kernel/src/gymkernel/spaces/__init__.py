"""All installed spaces. Accessing `gymkernel.spaces.Box` loads the plugin that provides the space."""

from gymkernel.ops import flatdim, flatten, flatten_space, unflatten
from gymkernel.plugins import facade
from gymkernel.space import Field, Layout, Space
from gymkernel.spaces import utils

__getattr__, __dir__ = facade(__name__, "spaces", globals())
