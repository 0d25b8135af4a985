"""Call gymkernel.spaces.utils on Gymnasium's spaces, alone and inside our Dict."""

import gymnasium
import numpy as np

import gymkernel
from gymkernel.spaces.utils import flatdim, flatten, flatten_space, unflatten

theirs = gymnasium.spaces.Dict(
    a=gymnasium.spaces.Discrete(3), b=gymnasium.spaces.Box(0, 1, (2,)), c=gymnasium.spaces.MultiBinary(2)
)
assert flatdim(theirs) == 7
mixed = gymkernel.spaces.Dict(left=theirs, right=gymkernel.spaces.Tuple([gymnasium.spaces.Discrete(2)]))
other = gymnasium.spaces.Dict(left=theirs, right=gymnasium.spaces.Tuple([gymkernel.spaces.Discrete(2)]))
assert mixed == other and other == mixed
for space in (mixed, other):
    element = space.sample()
    flat = flatten(space, element)
    assert flat.shape == (9,)
    assert flat in flatten_space(space)
    assert unflatten(space, flat) in space
    assert np.array_equal(gymnasium.spaces.utils.flatten(space, element), flat)
