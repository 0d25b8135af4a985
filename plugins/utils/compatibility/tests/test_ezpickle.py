"""Tests of `EzPickle`, which recreates objects from their constructor arguments."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel.utils import EzPickle

if TYPE_CHECKING:
    from collections.abc import Callable


class Simulator(EzPickle):
    def __init__(self, name: str, *, rate: int = 50) -> None:
        super().__init__(name, rate=rate)
        self.name = name
        self.handle: Callable[[], int] = lambda: rate


class TestEzPickle:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_copy_is_rebuilt_from_the_arguments(self, duplicate: Any) -> None:
        twin = duplicate(Simulator("arm", rate=100))

        assert (twin.name, twin.handle()) == ("arm", 100)

    def test_copy_can_be_copied(self) -> None:
        twin = copy.deepcopy(copy.deepcopy(Simulator("arm", rate=3)))

        assert twin.handle() == 3
