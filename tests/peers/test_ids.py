"""Tests of which ids are valid and can be registered together, and what looking them up returns, warns or raises."""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.peers.both import LIBRARIES, outcome

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Iterator

words = st.sampled_from(["Walk", "Wa", "walk", "W.k", "Walk-v", "Walk-v1", "a:b"])
versions = st.sampled_from(["", "-v0", "-v1", "-v2", "-v10", "-v01", "-v00", "-v", "-v1.5", "-V1", "-v-1"])
namespaces = st.sampled_from(["", "", "lab/", "lap/", "l-b:1/"])
ids = st.builds("".join, st.tuples(namespaces, words.filter(lambda word: ":" not in word), versions))
known = st.builds("CartPole{}".format, versions)
texts = st.one_of(ids, st.text("aW-v01:/. é\n", max_size=8), st.builds("{}{}{}".format, namespaces, words, versions))


@given(texts)
@settings(max_examples=500, deadline=None)
@example("CartPole-v01")
@example("Walk-v1\n")
def test_valid_ids(text: str) -> None:
    parsed = [outcome(library.envs.registration.parse_env_id, text) for library in LIBRARIES]
    if parsed[1] == "it raises" and parsed[0] != "it raises":
        assert "/" in parsed[0][0]  # gymkernel also accepts nested namespaces
    else:
        assert parsed[0] == parsed[1]
        if parsed[0] != "it raises":
            made = [library.envs.registration.get_env_id(*parsed[0]) for library in LIBRARIES]
            assert made[0] == made[1]


def entry_point(library: Any) -> Any:
    class Still(library.Env):  # type: ignore[misc]
        observation_space = action_space = library.spaces.Discrete(2)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return np.int64(0), {}

    return Still


ENTRY_POINTS = {library: entry_point(library) for library in LIBRARIES}


@contextlib.contextmanager
def registries() -> Iterator[None]:
    before = [list(library.registry) for library in LIBRARIES]
    try:
        yield
    finally:
        for library, kept in zip(LIBRARIES, before, strict=True):
            for item in set(library.registry) - set(kept):
                del library.registry[item]


def tell(call: Any, *arguments: Any, **options: Any) -> tuple[Any, list[str]]:
    """Return the result of a call and the warnings that it causes, or the name of the exception that it raises."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = call(*arguments, **options)
        except Exception as exc:  # noqa: BLE001 - the test compares the names of exceptions
            return type(exc).__name__, []
    return found, [item.category.__name__ for item in seen]


def register(library: Any, env_id: str, *, forced: bool) -> tuple[Any, list[str]]:
    """Register an id with `register` or, if `forced` is true, directly in the registry, which accepts every id."""
    options = {"entry_point": ENTRY_POINTS[library], "order_enforce": False, "disable_env_checker": True}
    if not forced:
        return tell(library.register, env_id, **options)
    spec = library.envs.registration.EnvSpec(env_id, **options)
    library.registry[spec.id] = spec
    return None, []


def look_up(library: Any, env_id: str) -> list[Any]:
    registration = library.envs.registration
    parsed = outcome(registration.parse_env_id, env_id)
    newest = None if parsed == "it raises" else registration.find_highest_version(*parsed[:2])
    made = tell(lambda: library.make(env_id).spec.id)
    # For `module:id`, gymkernel's `spec` imports the module, as `make` does, but Gymnasium's treats it as a namespace.
    spec = None if ":" in env_id else tell(lambda: registration.spec(env_id).id)
    return [made, spec, env_id in library.registry, newest]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(ids, st.booleans()), max_size=5), st.lists(st.one_of(ids, known), min_size=1, max_size=6))
@example(
    [], ["CartPole-v01", "CartPole-v00", "CartPole-v001", "CartPole-v7", "CartPole", "Cartpole-v1", "CartPole-v1.5"]
)
@example([("Walk-v1", True), ("Walk", True)], ["Walk", "Walk-v0", "Walk-v1", "Walk-v2", "Walk-v01", "Wal", "lab/Walk"])
@example([("Walk", False)], ["Walk", "Walk-v0", "Walk-v00"])
@example(
    [("lab/Walk-v2", False), ("lab/Walk", False), ("lab/Walk-v01", False)], ["lab/Walk", "lab/Walk-v1", "lap/Walk"]
)
@example([("Walk-v1", False), ("Walk-v1-v0", False)], ["Walk", "lap/Walk"])
@example([("Walk-v1", False), ("Walk-v00", True)], ["Walk-v0"])
@example([("Walk-v01", True)], ["Walk", "Walk-v1"])
def test_registration_and_lookup(registered: list[tuple[str, bool]], asked: list[str]) -> None:
    with registries():
        for env_id, forced in registered:
            if not forced or outcome(gymnasium.envs.registration.parse_env_id, env_id) != "it raises":
                ours, theirs = (register(library, env_id, forced=forced) for library in LIBRARIES)
                assert ours == theirs, env_id
        for env_id in [*asked, *(item for item, _ in registered)]:
            here, there = (look_up(library, env_id) for library in LIBRARIES)
            assert here == there, env_id


def test_spec_imports_a_module_like_make() -> None:
    found = [tell(lambda lib=lib: lib.spec(f"{lib.__name__}.envs.registration:CartPole-v1").id)[0] for lib in LIBRARIES]
    made = [
        tell(lambda lib=lib: lib.make(f"{lib.__name__}.envs.registration:CartPole-v1").spec.id)[0] for lib in LIBRARIES
    ]

    assert found == ["CartPole-v1", "NameNotFound"]
    assert made == ["CartPole-v1"] * 2


def test_misspelled_id_is_not_called_deprecated() -> None:
    with pytest.raises(gymkernel.error.Error, match=r"CartPole-v01 is not registered; CartPole-v1 is") as caught:
        gymkernel.make("CartPole-v01")
    assert not isinstance(caught.value, gymkernel.error.DeprecatedEnv)
