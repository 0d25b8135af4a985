"""Tests that environments from `make` and `make_vec` can be recreated from their specs, even from serialised specs."""

from __future__ import annotations

import copy
import itertools
import pickle
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.peers.both import LIBRARIES, same

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda library, spec: spec,
    "json": lambda library, spec: library.envs.registration.EnvSpec.from_json(spec.to_json()),
    "pickle": lambda library, spec: pickle.loads(pickle.dumps(spec)),
    "copy": lambda library, spec: copy.deepcopy(spec),
}

SINGLE: list[dict[str, Any]] = [
    {"max_episode_steps": 3},
    {"max_episode_steps": -1},
    {"disable_env_checker": True},
    {"disable_env_checker": False},
    {"render_mode": "rgb_array"},
    {"render_mode": "rgb_array_list"},
    {"sutton_barto_reward": True},
]
VECTOR: list[dict[str, Any]] = [
    *SINGLE[:4],
    SINGLE[-1],
    {"num_envs": 1},
    {"num_envs": 2},
    {"vectorization_mode": "sync"},
    {"vectorization_mode": "async"},
    {"vectorization_mode": "vector_entry_point"},
    {"vector_kwargs": {"copy": False}, "vectorization_mode": "sync"},
    {"wrappers": True, "vectorization_mode": "sync"},
]


def cases(options: list[dict[str, Any]]) -> pytest.MarkDecorator:
    """Parametrize a test with no option, each option, and each pair of compatible options, for every kind of spec."""
    two = [a | b for a, b in itertools.combinations(options, 2) if not a.keys() & b.keys()]
    listed = [
        (option, form) for option in [{}, *options] for form in FORMS if form != "json" or "wrappers" not in option
    ]
    return pytest.mark.parametrize("options, form", [*listed, *((item, "itself") for item in two)], ids=str)


def given(library: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a library, with the library's wrapper classes."""
    wrapper = partial(library.wrappers.TransformReward, func=float)
    return options | {"wrappers": [wrapper]} if "wrappers" in options else options


def seen_of_one(env: Any) -> list[Any]:
    """Return an environment's wrappers, its specs as text, and the results of a rollout."""
    layers, layer = [], env
    while layer is not env.unwrapped:
        layers.append(type(layer).__name__)
        layer = layer.env
    spec, inner = env.spec, env.unwrapped.spec
    said = [spec.id, spec.kwargs, spec.max_episode_steps, spec.order_enforce, spec.disable_env_checker, inner.kwargs]
    done = [env.reset(seed=3), *(env.step(k % 2) for k in range(4))]
    env.close()
    return [layers, said, [(wrapper.name, wrapper.kwargs) for wrapper in spec.additional_wrappers], done]


def seen_of_many(envs: Any) -> list[Any]:
    """Return the spec of a vector environment and the results of a rollout."""
    said = [type(envs).__name__, envs.num_envs, envs.spec.id, envs.spec.max_episode_steps, repr(envs)]
    said.append({name: bool(value) if name == "wrappers" else value for name, value in envs.spec.kwargs.items()})
    done = [envs.reset(seed=3)[0]]
    done += [envs.step(np.full(envs.num_envs, k % 2))[:4] for k in range(4)]
    envs.close()
    return [said, done]


def results(look: Callable[[Any, Any], Any]) -> list[Any]:
    """Return the result of each library, or the exception that it raises."""
    found = []
    for library in LIBRARIES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(look(library, library.envs.registration))
            except Exception as exc:  # noqa: BLE001 - the test compares only whether a call raises
                found.append(exc)
    return found


@cases(SINGLE)
def test_recreated_environment(options: dict[str, Any], form: str) -> None:
    def look(library: Any, registration: Any) -> Any:
        env = library.make("CartPole-v1", **options)
        again = library.make(FORMS[form](library, env.spec))
        assert again.spec == env.spec
        return [seen_of_one(env), seen_of_one(again)]

    ours, theirs = results(look)
    assert same(ours, theirs), (ours, theirs)
    assert same(*ours)


@cases(VECTOR)
def test_recreated_vector_environment(options: dict[str, Any], form: str) -> None:
    def look(library: Any, registration: Any) -> Any:
        envs = library.make_vec("CartPole-v1", **given(library, options))
        again = library.make_vec(FORMS[form](library, envs.spec))
        return [seen_of_many(envs), seen_of_many(again)]

    ours, theirs = results(look)
    own_form = options.get("vectorization_mode") in {None, "vector_entry_point"}
    if own_form and "disable_env_checker" in options:
        assert isinstance(
            theirs, TypeError
        )  # Gymnasium passes this argument to the vectorised environment, which rejects it
    elif own_form and options.get("max_episode_steps") == -1:
        assert theirs[0][1][1][3].all()  # Gymnasium truncates at every step, although -1 means "no limit" elsewhere
        assert not ours[0][1][1][3].any()
    else:
        assert same(ours, theirs), (ours, theirs)
    assert same(*ours)


@cases(VECTOR)
def test_single_environment_from_a_vector_spec(options: dict[str, Any], form: str) -> None:
    ours = LIBRARIES[0]
    envs = ours.make_vec("CartPole-v1", **given(ours, options))
    kwargs = {name: value for name, value in options.items() if any(name in item for item in SINGLE)}
    expected = ours.make("CartPole-v1", **kwargs)
    expected = ours.wrappers.TransformReward(expected, float) if "wrappers" in options else expected

    one = ours.make(FORMS[form](ours, envs.spec))
    limited = ours.make(FORMS[form](ours, envs.spec), max_episode_steps=2)
    envs.close()

    assert same(seen_of_one(one), seen_of_one(expected))
    assert limited.spec.max_episode_steps == 2
