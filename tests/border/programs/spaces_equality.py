"""Compare spaces of both libraries, alone and nested, and use them as keys where they are hashable."""

import gymnasium
import numpy as np

import gymkernel


def build(spaces):
    inner = {"x": spaces.Box(-1, 1, (2,), np.float32), "y": spaces.MultiDiscrete([2, 3])}
    return [
        spaces.Discrete(3, start=-1),
        spaces.Box(0, 255, (4, 4), np.uint8),
        spaces.MultiBinary(3),
        spaces.MultiDiscrete([[2, 3], [4, 5]]),
        spaces.Text(4, charset="abc"),
        spaces.Dict(inner),
        spaces.Tuple([spaces.Dict(inner), spaces.Discrete(2)]),
        spaces.Sequence(spaces.Dict(inner), stack=True),
        spaces.Graph(spaces.Box(-1, 1, (2,)), spaces.Discrete(4)),
        spaces.OneOf([spaces.Dict(inner), spaces.MultiBinary(2)]),
    ]


ours, theirs = build(gymkernel.spaces), build(gymnasium.spaces)
for i, a in enumerate(ours):
    for j, b in enumerate(theirs):
        assert (a == b) is (i == j), (a, b)
        assert (b == a) is (i == j), (a, b)
        assert (a != b) is (i != j) and (b != a) is (i != j)
assert theirs.index(ours[3]) == ours.index(theirs[3]) == 3
assert gymkernel.spaces.Discrete(3) != 3 and not gymkernel.spaces.Discrete(3) == "Discrete(3)"
for space in ours + theirs:
    try:
        table = {space: 1}
    except TypeError:
        assert type(space).__hash__ is None
    else:
        assert table[space] == 1
