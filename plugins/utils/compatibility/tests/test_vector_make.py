"""Tests of the arguments that `gymkernel.vector.make` passes to `make_vec`."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel.vector import make
from gymkernel_util_compatibility import vector_make


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Replace `make_vec`, and return a list to which each call adds its arguments."""
    calls: list[Any] = []
    monkeypatch.setattr(vector_make, "make_vec", lambda *args, **kwargs: calls.append((args, kwargs)))
    return calls


def test_vector_env_is_asynchronous_or_not(asked: list[Any]) -> None:
    make("Maze-v0", size=4)
    make("Maze-v0", 3, False)

    assert asked == [(("Maze-v0", 1, "async"), {"wrappers": [], "size": 4}), (("Maze-v0", 3, "sync"), {"wrappers": []})]


@pytest.mark.parametrize(
    "given, each",
    [(int, [int]), ([int], [int]), ((int, str), [int, str]), (iter([int]), [int]), (None, [])],
    ids=["one", "list", "tuple", "iterator", "none"],
)
def test_one_wrapper_or_several_are_accepted(given: Any, each: list[Any], asked: list[Any]) -> None:
    make("Maze-v0", wrappers=given)

    assert asked[0][1]["wrappers"] == each


def test_checker_can_be_enabled(asked: list[Any]) -> None:
    make("Maze-v0", disable_env_checker=True)
    make("Maze-v0")

    assert [kwargs.get("disable_env_checker") for _, kwargs in asked] == [True, None]
