"""Tests that objects of other APIs are rejected with an error that names a converter, and that the converter works.

The tests need more packages than the families: `tox run -e other-apis`. tests/conformance/test_foreign_objects.py
covers every function that accepts an object, with a small object of each kind.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.conformance.foreign_objects import PLACES, wrappers

import gymkernel as gk
from gymkernel.utils.env_checker import check_env
from gymkernel.utils.gymnasium import from_gymnasium, to_gymnasium
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable

os.environ.setdefault("MUJOCO_GL", "disabled")
for _library in ("gym", "crafter", "dm_control", "envpool", "pettingzoo", "shimmy", "supersuit"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(_library, reason="the tox environment other-apis installs these libraries")

pytestmark = pytest.mark.filterwarnings("ignore")  # third-party code emits warnings


def lazily(module: str, name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    """Return a function that is pickled by value, because a worker does not import this module."""
    return lambda: getattr(import_module(module), name)(*args, **kwargs)


gym26 = lazily("gym", "make", "CartPole-v1", disable_env_checker=True)
crafter = lazily("crafter", "Env")
dm_control = lazily("dm_control.suite", "load", "cartpole", "balance")
sequential = lazily("pettingzoo.classic.rps_v2", "env")
parallel = lazily("pettingzoo.classic.rps_v2", "parallel_env")
pool_of_dm_env = lazily("envpool", "make", "CartPole-v1", "dm", num_envs=2)
pool = lazily("envpool", "make", "CartPole-v1", "gymnasium", num_envs=2)

KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "crafter": (crafter, "gymkernel.utils.gym.from_gym"),
    "dm_control": (dm_control, "gymkernel.utils.dm_env.from_dm_env"),
    "AEC": (sequential, "gymkernel-bridge-pettingzoo"),
    "parallel": (parallel, "gymkernel-bridge-pettingzoo"),
    "EnvPool": (pool_of_dm_env, "gymkernel-bridge-envpool"),
}
WAYS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    **PLACES,
    **wrappers(),
    "a vector wrapper": lambda make: gk.wrappers.vector.RecordEpisodeStatistics(make()),
    "from_gymnasium": lambda make: from_gymnasium(make()),
    "to_gymnasium": lambda make: to_gymnasium(make()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_every_function_rejects_every_foreign_kind(way: str, kind: str) -> None:
    make, remedy = KINDS[kind]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class depends on the function, and the test checks the message
        WAYS[way](make)

    assert remedy in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


@pytest.mark.parametrize("kind", ["dm_control", "AEC", "parallel"])
def test_checker_names_the_foreign_kind(kind: str) -> None:
    make, remedy = KINDS[kind]
    with pytest.raises(Exception, match="GK002") as caught:
        check_env(make())

    assert remedy in str(caught.value)


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_gym_vector_environment_error_names_the_converter(vector: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"OpenAI Gym space.*gymkernel.utils.gym.from_gym") as caught:
        vector([gym26] * 2)

    assert "pip install gymkernel-space" not in str(caught.value)


@pytest.mark.parametrize("convert", [from_gymnasium, to_gymnasium])
def test_bridge_error_names_the_gym_converter(convert: Any) -> None:
    with pytest.raises(TypeError, match=r"gym.spaces.box.Box; it is an OpenAI Gym space.*utils.gym.from_gym"):
        convert(gym26())


@pytest.mark.parametrize("wrappers", [gk.wrappers, gk.wrappers.vector], ids=["single", "vector"])
def test_gym_vector_environment_is_rejected(wrappers: Any) -> None:
    envs = import_module("gym").vector.make("CartPole-v1", 2, asynchronous=False)
    with pytest.raises(TypeError, match=r"an OpenAI Gym vector environment.*pip install gymkernel-bridge-gym"):
        wrappers.RecordEpisodeStatistics(envs)


def test_gym_26_environment_works_in_wrappers() -> None:
    env = gk.wrappers.RecordEpisodeStatistics(gk.wrappers.TimeLimit(gym26(), 3))
    env.reset(seed=1)

    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


def test_gymnasium_pool_is_not_a_single_environment() -> None:
    with pytest.raises(TypeError, match="got the vector environment CartPoleGymnasiumEnvPool"):
        SyncVectorEnv([pool] * 2)
    with pytest.raises(TypeError, match="is a vector environment, not a single environment"):
        gk.wrappers.PassiveEnvChecker(pool())


@pytest.mark.parametrize(
    "convert",
    [
        lambda: import_module("gymkernel.utils.dm_env").from_dm_env(dm_control()),
    ],
    ids=["dm_control"],
)
def test_named_converter_converts_the_object(convert: Any) -> None:
    envs = SyncVectorEnv([convert] * 2)
    envs.reset(seed=1)

    assert envs.step(envs.action_space.sample())[1].shape == (2,)
    envs.close()


def test_supersuit_converts_a_parallel_environment() -> None:
    envs = import_module("supersuit").pettingzoo_env_to_vec_env_v1(parallel())
    envs.reset()

    assert envs.step(np.zeros(2, np.int64))[1].shape == (2,)


def test_gymnasium_pool_is_converted_with_batched_spaces() -> None:
    envs = from_gymnasium(pool())
    observations, _ = envs.reset()

    assert observations in envs.observation_space
    assert observations[0] in envs.single_observation_space
    assert envs.action_space.shape == (2,)
    assert envs.step(np.zeros(2, np.int32))[1].shape == (2,)
    envs.close()
