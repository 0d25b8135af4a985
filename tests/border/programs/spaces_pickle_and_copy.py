"""Pickle and copy our nested spaces, which stay instances of both classes."""

import copy
import pickle

import cloudpickle
import gymnasium

import gymkernel
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, OneOf, Sequence, Text, Tuple

space = Dict(
    picture=Box(0, 255, (3, 3, 1), "uint8"),
    rest=Tuple([Discrete(3), MultiBinary(4), Sequence(Text(3)), OneOf([Discrete(2), Box(-1, 1, (1,))])]),
    net=Graph(Box(0, 1, (2,)), None),
    seed=3,
)
expected = copy.deepcopy(space).sample()
for remake in (copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s)), lambda s: cloudpickle.loads(cloudpickle.dumps(s))):
    again = remake(space)
    assert again == space and space == again
    assert isinstance(again, gymnasium.spaces.Dict) and isinstance(again, gymkernel.spaces.Dict)
    assert isinstance(again["rest"], gymnasium.spaces.Tuple)
    assert again.contains(expected)
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    again = pickle.loads(pickle.dumps(space, protocol))
    assert repr(again.sample()) == repr(expected)
