"""Check that each of our spaces is an instance of Gymnasium's class of the same name and of no other."""

import gymnasium
import numpy as np

import gymkernel
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

made = {
    "Box": Box(-1, 1, (2,)),
    "Discrete": Discrete(3),
    "MultiBinary": MultiBinary((2, 2)),
    "MultiDiscrete": MultiDiscrete([2, 3]),
    "Text": Text(5),
    "Tuple": Tuple((Discrete(2), Box(0, 1, (1,)))),
    "Dict": Dict(a=Discrete(2), b=Dict(c=Text(3))),
    "Sequence": Sequence(Discrete(2)),
    "Graph": Graph(Box(0, 1, (2,)), Discrete(3)),
    "OneOf": OneOf((Discrete(2), Box(0, 1, (1,)))),
}
for name, space in made.items():
    assert isinstance(space, gymnasium.Space) and isinstance(space, gymnasium.spaces.Space)
    for other in made:
        assert isinstance(space, getattr(gymnasium.spaces, other)) is (name == other), (name, other)
        assert isinstance(space, getattr(gymkernel.spaces, other)) is (name == other), (name, other)
for thing in (3, "Box", None, object(), np.zeros(2), gymkernel, gymkernel.make("CartPole-v1")):
    assert not isinstance(thing, gymnasium.Space)
    assert not isinstance(thing, gymkernel.Space)
