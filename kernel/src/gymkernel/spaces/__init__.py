"""The installed spaces, by name: `gymkernel.spaces.Box` loads the plugin that provides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.ops import flatdim, flatten, flatten_space, unflatten
from gymkernel.plugins import facade
from gymkernel.space import Field, Layout, Space
from gymkernel.spaces import utils

if TYPE_CHECKING:
    # stamped by tools/sync.py
    from gymkernel.spaces import box as box
    from gymkernel.spaces import dict as dict
    from gymkernel.spaces import discrete as discrete
    from gymkernel.spaces import graph as graph
    from gymkernel.spaces import multi_binary as multi_binary
    from gymkernel.spaces import multi_discrete as multi_discrete
    from gymkernel.spaces import oneof as oneof
    from gymkernel.spaces import sequence as sequence
    from gymkernel.spaces import space as space
    from gymkernel.spaces import text as text
    from gymkernel.spaces import tuple as tuple
    from gymkernel_space_box import Box as Box
    from gymkernel_space_dict import Dict as Dict
    from gymkernel_space_discrete import Discrete as Discrete
    from gymkernel_space_graph import Graph as Graph
    from gymkernel_space_graph import GraphInstance as GraphInstance
    from gymkernel_space_multi_binary import MultiBinary as MultiBinary
    from gymkernel_space_multi_discrete import MultiDiscrete as MultiDiscrete
    from gymkernel_space_one_of import OneOf as OneOf
    from gymkernel_space_sequence import Sequence as Sequence
    from gymkernel_space_text import Text as Text
    from gymkernel_space_tuple import Tuple as Tuple
    # end of stamp

    __all__ = ["Field", "Layout", "Space", "flatdim", "flatten", "flatten_space", "unflatten", "utils"]
else:
    __getattr__, __dir__ = facade(__name__, "spaces", globals())
