"""Tests that each wrapper is an instance of those base classes of Gymnasium's wrapper that programs use."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import pytest

import gymkernel

KINDS = {
    "": ["Wrapper", "ActionWrapper", "ObservationWrapper", "RewardWrapper"],
    "vector": ["VectorWrapper", "VectorActionWrapper", "VectorObservationWrapper", "VectorRewardWrapper"],
    "utils": ["RecordConstructorArgs"],
}
BASES = [(place, name) for place, names in KINDS.items() for name in names]


def wrappers_of(library: Any, vector: bool) -> Any:
    return library.wrappers.vector if vector else library.wrappers


def wrapper(library: Any, name: str, vector: bool) -> type:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = getattr(wrappers_of(library, vector), name)
        except (ImportError, library.error.DependencyNotInstalled) as exc:
            pytest.skip(f"{library.__name__}: {exc}")
    assert isinstance(found, type)
    return found


@pytest.mark.parametrize(
    "name, vector",
    [(name, vector) for vector in (False, True) for name in wrappers_of(gymnasium, vector).__all__ if name != "vector"],
)
def test_wrapper_has_the_same_bases_as_in_gymnasium(name: str, vector: bool) -> None:
    theirs, ours = (wrapper(library, name, vector) for library in (gymnasium, gymkernel))

    def has(library: Any, cls: type, place: str, base: str) -> bool:
        return issubclass(cls, getattr(getattr(library, place) if place else library, base))

    missing = [base for place, base in BASES if has(gymnasium, theirs, place, base) > has(gymkernel, ours, place, base)]
    assert missing == []


CASES: dict[str, dict[str, Any]] = {
    "OrderEnforcing": {},
    "TimeLimit": {"max_episode_steps": 3},
    "RepeatAction": {"num_repeats": 2},
}


@pytest.mark.parametrize("name", CASES)
def test_saved_arguments_equal_gymnasiums(name: str) -> None:
    saved = []
    for library in (gymkernel, gymnasium):
        env: Any = getattr(library.wrappers, name)(library.make("CartPole-v1").unwrapped, **CASES[name])
        assert isinstance(env, library.utils.RecordConstructorArgs)
        saved.append({**env._saved_kwargs})
    assert saved[0].items() >= saved[1].items()


def test_user_wrapper_can_save_its_own_arguments() -> None:
    for library in (gymkernel, gymnasium):

        class Own(library.wrappers.ClipReward, library.utils.RecordConstructorArgs):  # type: ignore[misc,name-defined]
            def __init__(self, env: Any, bound: float) -> None:
                library.utils.RecordConstructorArgs.__init__(self, bound=bound)  # noqa: B023 - the function is called immediately
                super().__init__(env, -bound, bound)

        env = Own(library.make("CartPole-v1"), 0.5)
        assert isinstance(env, library.utils.RecordConstructorArgs)
        assert env._saved_kwargs == {"bound": 0.5}
        assert env.spec.additional_wrappers[-1].kwargs == {"bound": 0.5}
