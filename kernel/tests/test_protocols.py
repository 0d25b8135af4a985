"""Tests of the protocols, which only type checkers use."""

from __future__ import annotations

from typing import Any, Generic

import pytest

from gymkernel import protocols
from gymkernel.protocols import ActType, EnvLike, Generics, ObsType, SpaceLike, VectorEnvLike


@pytest.mark.parametrize("protocol", [SpaceLike, EnvLike, VectorEnvLike])
def test_protocols_cannot_be_checked_at_run_time(protocol: Any) -> None:
    with pytest.raises(TypeError, match="runtime_checkable"):
        isinstance(object(), protocol)


def test_every_public_name_exists() -> None:
    assert all(hasattr(protocols, name) for name in protocols.__all__)


class Pair(Generics, Generic[ObsType, ActType]):
    """A class with two type parameters."""


def test_missing_types_become_any() -> None:
    assert Pair[int].__args__ == (int, Any)  # type: ignore[attr-defined]
    assert Pair[int, str].__args__ == (int, str)  # type: ignore[attr-defined]


def test_subclass_can_fix_some_types() -> None:
    class Half(Pair[ObsType, int]):
        pass

    assert Half[str].__args__ == (str,)  # type: ignore[attr-defined]
    assert isinstance(Half(), Pair)


def test_too_many_types_raise() -> None:
    with pytest.raises(TypeError, match="Too many"):
        Pair[int, int, int]  # type: ignore[misc]


def test_class_without_types_takes_no_arguments() -> None:
    class Whole(Pair[int, int]):
        pass

    with pytest.raises(TypeError, match="not a generic class"):
        Whole[int]  # type: ignore[misc]
