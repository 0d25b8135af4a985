"""Call gymnasium.vector.utils on every kind of our spaces."""

import gymnasium.utils.env_checker
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, create_shared_memory, iterate
from gymnasium.vector.utils import batch_differing_spaces, read_from_shared_memory, write_to_shared_memory

from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

fixed = [Box(-1, 1, (2, 3)), Discrete(4, start=2), MultiBinary((2, 2)), MultiDiscrete([2, 3]), Text(5)]
fixed += [Tuple(fixed[:3]), Dict(a=Discrete(3), b=Tuple([Box(0, 1, (1,)), Text(2)])), OneOf([Discrete(2), Box(0, 1, (3,))])]
for space in [*fixed, Sequence(Discrete(3)), Graph(Box(0, 1, (2,)), Discrete(3))]:
    many = batch_space(space, 3)
    assert isinstance(many, gymnasium.spaces.Space)
    items = [space.sample() for _ in range(3)]
    batch = concatenate(space, items, create_empty_array(space, 3))
    parts = list(iterate(many, batch))
    assert len(parts) == 3
    assert all(part in space for part in parts), space
    assert len(list(iterate(many, many.sample()))) == 3
for space in fixed:
    memory = create_shared_memory(space, n=2)
    item = space.sample()
    write_to_shared_memory(space, 1, item, memory)
    read = list(iterate(batch_space(space, 2), read_from_shared_memory(space, memory, n=2)))
    assert gymnasium.utils.env_checker.data_equivalence(read[1], item) or str(read[1]) == str(item)
assert batch_differing_spaces([Discrete(2), Discrete(2)]) == MultiDiscrete([2, 2])
