# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.ops import flatdim as flatdim
from gymkernel.ops import flatten as flatten
from gymkernel.ops import flatten_space as flatten_space
from gymkernel.ops import unflatten as unflatten
from gymkernel.space import Field as Field
from gymkernel.space import Layout as Layout
from gymkernel.space import Space as Space
from gymkernel.spaces import utils as utils

if TYPE_CHECKING:
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

__all__ = [
    "Box",
    "Dict",
    "Discrete",
    "Field",
    "Graph",
    "GraphInstance",
    "Layout",
    "MultiBinary",
    "MultiDiscrete",
    "OneOf",
    "Sequence",
    "Space",
    "Text",
    "Tuple",
    "flatdim",
    "flatten",
    "flatten_space",
    "unflatten",
    "utils",
]
