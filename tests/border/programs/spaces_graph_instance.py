"""Check that graph elements are instances of both libraries' classes."""

import gymnasium
import numpy as np

import gymkernel

ours = gymkernel.spaces.Graph(gymkernel.spaces.Box(0, 1, (2,)), gymkernel.spaces.Discrete(3), seed=1)
theirs = gymnasium.spaces.Graph(gymnasium.spaces.Box(0, 1, (2,)), gymnasium.spaces.Discrete(3), seed=1)
for kind in (gymnasium.spaces.GraphInstance, gymkernel.spaces.GraphInstance):
    element = kind(np.ones((2, 2), np.float32), np.array([0, 2]), np.array([[0, 1], [1, 0]], np.int32))
    assert element in ours
    assert element in theirs
element = ours.sample(num_nodes=4, num_edges=3)
assert isinstance(element, gymnasium.spaces.GraphInstance)
assert isinstance(element, gymkernel.spaces.GraphInstance)
nodes, edges, links = element
assert nodes.shape == (4, 2) and links.shape == (3, 2)
assert element in theirs
assert theirs.sample() in ours
assert gymnasium.spaces.utils.flatten(ours, element).nodes.shape == (4, 2)
