"""Use every space: sampling with masks, flattening, batching, JSON, seeds."""

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

SPACES = [
    Box(-1.0, 2.0, (3, 2), np.float32),
    Box(np.array([0, -np.inf]), np.array([np.inf, 4.0]), dtype=np.float64),
    Discrete(5, start=-2),
    MultiBinary([2, 3]),
    MultiDiscrete([3, 5, 2], start=[1, 0, -1]),
    Text(8, charset="abc"),
    Dict(position=Box(-1, 1, (2,)), door=Dict(open=Discrete(2), colour=Discrete(3))),
    Tuple([Discrete(2), Box(0, 1, (2,))]),
    Sequence(Discrete(4)),
    Sequence(Box(0, 1, (2,)), stack=True),
    OneOf([Discrete(3), Box(0, 1, (1,))]),
    Graph(node_space=Box(-1, 1, (2,)), edge_space=Discrete(3)),
]
for space in SPACES:
    print(space, space.seed(7), space.is_np_flattenable)
    first, second = space.sample(), space.sample()
    print(first, second, first in space, "x" in space)
    print(space.from_jsonable(space.to_jsonable([first]))[0])
    try:
        print(flatdim(space), flatten_space(space), flatten(space, first))
        print(unflatten(space, flatten(space, second)))
    except (ValueError, NotImplementedError) as error:
        print(type(error).__name__)
    batched = batch_space(space, 2)
    together = concatenate(space, [first, second], create_empty_array(space, 2))
    if isinstance(space, Dict):  # the keys of its batch are in a different order
        batched.seed(3)
        print(sorted(batched), batched.sample()["position"], [x["door"]["open"] for x in iterate(batched, together)])
    else:
        print(batched, batched.seed(3))
        print(together, list(iterate(batched, together)) if not isinstance(space, Graph) else None)
masked = Discrete(4, seed=1)
print([masked.sample(mask=np.array([0, 1, 0, 1], dtype=np.int8)) for _ in range(6)])
print([masked.sample(probability=np.array([0.1, 0.2, 0.3, 0.4])) for _ in range(6)])
print(Dict(a=Discrete(2), b=Box(0, 1)) == Dict(b=Box(0, 1), a=Discrete(2)), Discrete(2) == Discrete(3), gym.spaces.Box(0, 1) == Box(0, 1))
