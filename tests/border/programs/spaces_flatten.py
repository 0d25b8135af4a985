"""Call gymnasium.spaces.utils on every kind of our spaces."""

import gymnasium
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten

from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, Sequence, Text, Tuple

fixed = [Box(-1, 1, (2, 3)), Discrete(4, start=2), MultiBinary((2, 2)), MultiDiscrete([2, 3]), Text(5)]
fixed += [Tuple(fixed[:3]), Dict(a=Discrete(3), b=Tuple([Box(0, 1, (1,)), Discrete(2)])), Tuple([Text(2), MultiBinary(3)])]
for space in fixed:
    space.seed(1)
    for _ in range(3):
        element = space.sample()
        flat = flatten(space, element)
        assert flat.shape == (flatdim(space),)
        assert flat in flatten_space(space), space
        assert unflatten(space, flat) in space
    assert isinstance(flatten_space(space), gymnasium.spaces.Space)
for space in (Sequence(Box(0, 1, (2,))), Graph(Box(0, 1, (2,)), Discrete(3))):
    element = space.sample()
    assert flatten(space, element) in flatten_space(space)
    assert unflatten(space, flatten(space, element)) in space
