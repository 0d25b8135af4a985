"""Tests of registration, of `make`, and of the wrappers that `make` adds."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from tests.peers.both import LIBRARIES, outcome, same

ENTRY = "somewhere.else:Env"


def walker(library: Any) -> Any:
    """Define an environment class that inherits from the given library's base class."""

    class Walker(library.Env):  # type: ignore[misc]
        metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012 - Env declares it in the same way

        def __init__(self, size: int = 5, render_mode: str | None = None) -> None:
            self.observation_space = library.spaces.Discrete(size)
            self.action_space = library.spaces.Discrete(2)
            self.size, self.render_mode, self.at = size, render_mode, 0

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.at = int(self.np_random.integers(self.size))
            return self.at, {"options": options}

        def step(self, action: int) -> Any:
            self.at = (self.at + 2 * action - 1) % self.size
            return self.at, float(self.at), False, False, {}

        def render(self) -> Any:
            return np.full((2, 2, 3), self.at, np.uint8)

    return Walker


SPECS: list[dict[str, Any]] = [
    {},
    {"reward_threshold": 5.0, "max_episode_steps": 7},
    {"nondeterministic": True, "order_enforce": False, "disable_env_checker": True},
    {"kwargs": {"size": 3, "nested": {"a": [1, 2]}}},
    {"vector_entry_point": "somewhere.else:VectorEnv"},
]


@pytest.mark.parametrize("env_id", ["Walk-v3", "lab/Walk-v0", "Walk", "lab/deep.Walk_2-v10"])
@pytest.mark.parametrize("options", SPECS, ids=repr)
def test_registered_specs(env_id: str, options: dict[str, Any]) -> None:
    ours, theirs = (library.envs.registration.EnvSpec(env_id, ENTRY, **options) for library in LIBRARIES)
    for name in ("namespace", "name", "version", *vars(theirs)):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert json.loads(ours.to_json()) == json.loads(theirs.to_json())
    for spec, other in ((ours, theirs), (theirs, ours)):
        assert type(spec).from_json(other.to_json()) == spec


def test_specs_with_wrappers_work_in_both() -> None:
    texts = []
    for library in LIBRARIES:
        registration = library.envs.registration
        wrapper = registration.WrapperSpec("Some", "somewhere:Some", {"limit": 3})
        texts.append(registration.EnvSpec("Walk-v0", ENTRY, additional_wrappers=(wrapper,)).to_json())
    assert json.loads(texts[0]) == json.loads(texts[1])
    for library, text in zip(LIBRARIES, reversed(texts), strict=True):
        spec = library.envs.registration.EnvSpec.from_json(text)
        assert spec.additional_wrappers[0].kwargs == {"limit": 3}


@pytest.mark.parametrize(
    "env_id", ["", "Walk-v", "/Walk-v0", "Walk-v0-v1", "-v0", "Walk v0", "mod:Walk-v0", "Wälk-v0", "Walk-v1.5"]
)
def test_id_grammar(env_id: str) -> None:
    parsed = [outcome(library.envs.registration.parse_env_id, env_id) for library in LIBRARIES]
    assert parsed[0] == parsed[1]


@pytest.fixture
def registered() -> Any:
    """Register one environment with several ids in both libraries."""
    ids = ["Walk-v0", "Walk-v2", "lab/Walk-v1", "Plain"]
    for library in LIBRARIES:
        for env_id in ids:
            library.register(env_id, entry_point=walker(library), max_episode_steps=4)
    yield ids
    for library in LIBRARIES:
        for env_id in ids:
            library.registry.pop(env_id)


MISSES = [
    "Walk-v0",
    "Walk-v1",
    "Walk-v3",
    "Walk",
    "Plain",
    "Plain-v0",
    "Wlak-v0",
    "lab/Walk-v0",
    "lap/Walk-v1",
    "lab/Wlk-v1",
]
MISSES += ["CartPole", "CartPole-v7", "Cartpole-v1", "Walk-v", "lab/Walk", "no_such_module_:Walk-v0"]


@pytest.mark.parametrize("env_id", MISSES)
def test_lookups_find_or_raise_alike(registered: list[str], env_id: str) -> None:
    found = []
    for library in LIBRARIES:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                found.append((library.make(env_id).spec.id, [w.category.__name__ for w in seen]))
            except Exception as exc:  # noqa: BLE001 - the test compares the names of exceptions
                found.append((type(exc).__name__, []))
    assert found[0] == found[1]


def test_layers_added_by_make(registered: list[str]) -> None:
    for options in (
        {},
        {"max_episode_steps": 9},
        {"max_episode_steps": -1},
        {"disable_env_checker": True},
        {"size": 3},
    ):
        shown = []
        for library in LIBRARIES:
            env = library.make("lab/Walk-v1", **options)
            spec = env.spec
            shown.append(
                (str(env), spec.id, spec.max_episode_steps, spec.order_enforce, spec.disable_env_checker, spec.kwargs)
            )
        assert shown[0] == shown[1]


def test_spec_recreates_its_environment(registered: list[str]) -> None:
    answers = []
    for library in LIBRARIES:
        env = library.make("lab/Walk-v1", size=3, max_episode_steps=2)
        again = library.make(env.spec)
        answers.append((str(again), again.reset(seed=3), [again.step(1) for _ in range(2)], again.spec == env.spec))
    assert same(*answers)


def test_time_limit_and_order_enforcing(registered: list[str]) -> None:
    answers = []
    for library in LIBRARIES:
        env = library.make("lab/Walk-v1", disable_env_checker=True, render_mode="rgb_array")
        early = [type(exc).__name__ for exc in (raised(env.step, 0), raised(env.render))]
        env.reset(seed=5)
        steps = [env.step(1)[3] for _ in range(6)]
        env.reset()
        answers.append((early, steps, [env.step(1)[3] for _ in range(5)], env.render(), env.env.has_reset))
    assert same(*answers)
    assert answers[0][0] == ["ResetNeeded"] * 2


def raised(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except Exception as exc:  # noqa: BLE001 - the caller receives the exception
        return exc


@pytest.mark.parametrize("limit", [0, -2, 2.5, "3", None])
def test_invalid_time_limits(limit: Any) -> None:
    for library in LIBRARIES:
        env = walker(library)()
        if outcome(library.wrappers.TimeLimit, env, limit) != "it raises":
            assert library is LIBRARIES[1]  # Gymnasium notices some of these errors only at the first step


def test_attributes_through_layers(registered: list[str]) -> None:
    answers = []
    for library in LIBRARIES:
        env = library.make("lab/Walk-v1")
        env.reset(seed=1)
        set_it = [
            env.set_wrapper_attr("size", 9),
            env.set_wrapper_attr("fresh", 1),
            env.set_wrapper_attr("x", 1, force=False),
        ]
        answers.append(
            (
                set_it,
                env.get_wrapper_attr("size"),
                [hasattr(layer, "fresh") for layer in (env, env.env, env.unwrapped)],
                [env.has_wrapper_attr(name) for name in ("size", "at", "fresh", "_max_episode_steps", "absent")],
                outcome(env.get_wrapper_attr, "absent"),
                outcome(lambda: env.size),  # noqa: B023 - the function is called here
                outcome(lambda: env._np_random),  # noqa: B023 - the function is called here
                env.np_random_seed,
                env.class_name(),
                env.metadata,
                env.render_mode,
                env.observation_space,
            )
        )
    assert same(*answers)


def test_wrapping_a_class_or_none_is_rejected() -> None:
    for library in LIBRARIES:
        for inner in (walker(library), None, 3):
            with pytest.raises(Exception):  # noqa: B017, PT011 - the type of the exception may differ
                library.wrappers.OrderEnforcing(inner).reset()


def test_namespaces() -> None:
    for library in LIBRARIES:
        with library.envs.registration.namespace("farm"):
            library.register("Field-v0", entry_point=walker(library))
        assert library.make("farm/Field-v0").spec.namespace == "farm"
        assert library.registry.pop("farm/Field-v0").name == "Field"


REGISTRATIONS: list[tuple[str, dict[str, Any]]] = [
    ("Lone-v0", {}),
    ("Walk", {"entry_point": ENTRY}),
    ("Plain-v0", {"entry_point": ENTRY}),
    ("Bad id", {"entry_point": ENTRY}),
]


@pytest.mark.parametrize("env_id, options", REGISTRATIONS)
def test_invalid_registrations_are_rejected(registered: list[str], env_id: str, options: dict[str, Any]) -> None:
    for library in LIBRARIES:
        with pytest.raises(Exception):  # noqa: B017, PT011 - the type of the exception may differ
            library.register(env_id, **options)


def test_make_vec_records_its_arguments() -> None:
    answers = []
    for library in LIBRARIES:
        envs = library.make_vec("CartPole-v1", 3, "sync", vector_kwargs={"copy": False}, sutton_barto_reward=True)
        again = library.make_vec(envs.spec)
        answers.append((envs.spec.kwargs, repr(again), again.spec.kwargs, again.copy))
    assert same(*answers)


@pytest.mark.parametrize(
    "options", [{"vector_kwargs": {"copy": False}}, {"wrappers": [lambda env: env]}], ids=["kwargs", "wrappers"]
)
def test_unsupported_vector_entry_point_arguments(options: dict[str, Any]) -> None:
    for library in LIBRARIES:
        with pytest.raises(library.error.Error):
            library.make_vec("CartPole-v1", 2, "vector_entry_point", **options)
