"""Test that spaces pickled under `gymkernel run` refer only to Gymnasium's names, which exist on both sides."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SPACES = {
    "box": "Box(np.array([0.0, -1.0]), np.array([1.0, np.inf])), Box(0, 255, (2, 3), np.uint8)",
    "dict": "Dict({'b': Discrete(2), 'a': Dict(x=Discrete(3))}), Dict([('b', Discrete(2)), ('a', Discrete(3))])",
    "discrete": "Discrete(3), Discrete(5, start=-2), Discrete(3, dtype=np.int32)",
    "graph": "Graph(Discrete(2), Box(0, 1, (2,))), Graph(Box(0, 1, (2,)), None)",
    "multi_binary": "MultiBinary(3), MultiBinary([2, 3])",
    "multi_discrete": "MultiDiscrete([2, 3]), MultiDiscrete([[2], [3]], start=[[1], [-1]])",
    "one_of": "OneOf([Discrete(2), Box(0, 1, (2,))])",
    "sequence": "Sequence(Discrete(2)), Sequence(Box(0, 1, (2,)), stack=True)",
    "text": "Text(3), Text(max_length=5, min_length=0, charset='zab')",
    "tuple": "Tuple([Discrete(2), Box(0, 1, ())])",
}
"""Expressions that create spaces, keyed by the name of the plugin."""
PROGRAM = """
    import copy, pickle, pickletools
    import numpy as np
    from gymnasium.spaces import *
    for space in [{spaces}]:
        space.seed(4)
        space.note = [1]
        for original in (space, copy.deepcopy(space)):
            for protocol in (0, 2, 5):
                data = pickle.dumps(original, protocol)
                words = " ".join(str(argument) for _, argument, _ in pickletools.genops(data))
                assert "gymnasium.spaces" in words and "gymkernel" not in words, words
                loaded = pickle.loads(data)
                assert type(loaded) is type(space) and loaded == space and loaded.note == [1], loaded
                assert repr(loaded.sample()) == repr(copy.deepcopy(space).sample()), loaded
        assert copy.copy(space) == space and copy.copy(space).note is space.note
    print("done")
"""


@pytest.mark.usefixtures("library")
def test_spaces_are_pickled_under_gymnasiums_names(outputs: Callable[[str], list[str]]) -> None:
    assert outputs(PROGRAM.format(spaces=", ".join(SPACES.values()))) == ["done"]


@pytest.mark.skipif(
    importlib.util.find_spec("gymnasium") is not None, reason="this test needs an interpreter without Gymnasium"
)
def test_without_gymnasium_a_space_is_pickled_under_gymkernels_name(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import pickle
        from gymnasium.spaces import Discrete
        data = pickle.dumps(Discrete(3))
        print(b"gymkernel_space_discrete" in data, b"gymnasium" in data, pickle.loads(data))
    """) == ["True False Discrete(3)"]


@pytest.mark.usefixtures("library")
def test_a_subclass_is_pickled_under_its_own_name(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import pickle
        from gymnasium.spaces import Discrete
        class Dice(Discrete):
            pass
        data = pickle.dumps(Dice(6))
        print(b"Dice" in data, type(pickle.loads(data)) is Dice, pickle.loads(data) == Dice(6))
    """) == ["True True True"]
