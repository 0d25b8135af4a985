"""Ids of gymkernel's plugins in Gymnasium."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec as TheirSpec

import gymkernel as gym
from gymkernel_bridge_gymnasium import KernelEnv, KernelVectorEnv, register_ids
from gymkernel_bridge_gymnasium.specs import KernelSpec

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pole() -> Iterator[str]:
    """The id of a short CartPole that is registered here, and by no plugin."""
    gym.register("Pole-v0", gym.spec("CartPole-v1").entry_point, max_episode_steps=3)
    register_ids()
    yield "gymkernel/Pole-v0"
    del gym.registry["Pole-v0"]
    register_ids()


def python(code: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_gymnasium_makes_an_environment_of_ours_by_module_and_id() -> None:
    env = gymnasium.make("gymkernel_bridge_gymnasium:CartPole-v1")

    assert isinstance(env.unwrapped, KernelEnv)
    assert isinstance(env.unwrapped.kernel_env.unwrapped, gym.Env)


def test_gymnasiums_own_environment_keeps_its_name() -> None:
    gymnasium.make("gymkernel_bridge_gymnasium:CartPole-v1")
    gymnasium.make_vec("gymkernel_bridge_gymnasium:CartPole-v1", 2)

    assert not isinstance(gymnasium.make("CartPole-v1").unwrapped, KernelEnv)
    assert not isinstance(gym.make("gymnasium/CartPole-v1").unwrapped, KernelEnv)


@pytest.mark.parametrize("first", ["", "import gymnasium; ", "import gymkernel; gymkernel.make('CartPole-v1'); "])
def test_an_import_registers_and_loads_no_plugin(first: str) -> None:
    seen = python(
        f"{first}import gymkernel_bridge_gymnasium, gymnasium, sys; "
        "print('gymkernel/CartPole-v1' in gymnasium.registry, 'gymkernel_env_classic_control' in sys.modules)"
    )

    assert seen == f"True {'make' in first}"


def test_making_our_environments_does_not_import_gymnasium() -> None:
    assert python("import gymkernel, sys; gymkernel.make('CartPole-v1'); print('gymnasium' in sys.modules)") == "False"


def test_the_limit_is_gymnasiums_and_the_checkers_are_ours() -> None:
    env = gymnasium.make("gymkernel_bridge_gymnasium:CartPole-v1")

    layers = str(env)

    assert [layers.count(name) for name in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")] == [1, 1, 1]
    assert env.spec is not None
    assert env.spec.max_episode_steps == 500


def test_the_spec_makes_the_same_again_from_json_and_from_a_pickle() -> None:
    spec = gymnasium.make("gymkernel_bridge_gymnasium:CartPole-v1").spec
    assert spec is not None

    for again in (TheirSpec.from_json(spec.to_json()), pickle.loads(pickle.dumps(spec))):
        assert str(gymnasium.make(again)) == str(gymnasium.make("gymkernel_bridge_gymnasium:CartPole-v1"))
        assert again.max_episode_steps == 500


def test_an_environment_put_in_by_hand_has_a_spec_that_makes_it() -> None:
    env = KernelEnv(gym.make("CartPole-v1", sutton_barto_reward=True))

    assert isinstance(env.spec, KernelSpec)
    again = gymnasium.make(env.spec)

    assert again.get_wrapper_attr("_sutton_barto_reward")
    assert again.spec is not None
    assert again.spec.max_episode_steps == 500


def test_a_vector_environment_is_our_own_vectorised_form() -> None:
    envs = gymnasium.make_vec("gymkernel_bridge_gymnasium:CartPole-v1", 3)

    assert isinstance(envs, KernelVectorEnv)
    assert type(envs.kernel_env).__name__ == "CartPoleVectorEnv"
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_own_backends_step_our_environments(mode: str) -> None:
    envs = gymnasium.make_vec("gymkernel_bridge_gymnasium:CartPole-v1", 2, vectorization_mode=mode)
    seen = envs.reset(seed=3)[0]
    envs.close()

    assert np.array_equal(seen[0], gym.make("CartPole-v1").reset(seed=3)[0])


@pytest.mark.parametrize("env_id", ["gymkernel_bridge_gymnasium:CartPole-v1", "gymkernel/Pole-v0"])
@pytest.mark.usefixtures("pole")
def test_a_spawned_worker_makes_what_plugins_provide_and_what_was_registered(env_id: str) -> None:
    context = {"context": "spawn"}

    envs = gymnasium.make_vec(env_id, 2, vectorization_mode="async", vector_kwargs=context)
    observations = envs.reset(seed=3)[0]
    envs.close()

    assert observations in envs.observation_space


def test_a_vector_environment_is_of_the_backend_that_is_named(pole: str) -> None:
    envs: Any = gymnasium.make_vec(
        pole, 2, backend="sync", backend_kwargs={"autoreset_mode": "SameStep"}, sutton_barto_reward=True
    )
    envs.reset(seed=1)

    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    steps = [envs.step(np.ones(2, np.int64)) for _ in range(3)]
    assert [truncations.tolist() for _, _, _, truncations, _ in steps] == [[False, False], [False, False], [True, True]]
    assert steps[0][1].tolist() == [0, 0]
