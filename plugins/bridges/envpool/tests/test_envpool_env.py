"""Tests of `EnvPoolEnv` and of the ids that begin with `envpool/`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import NameNotFound, ResetNeeded
from gymkernel_bridge_envpool import EnvPoolEnv

pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered")  # Gymnasium warns about the pools of the tests


def test_step_after_the_end_of_an_episode_is_an_error() -> None:
    env = EnvPoolEnv("CartPole-v1")
    with pytest.raises(ResetNeeded, match="reset before this step"):
        env.step(0)
    env.reset(seed=1)
    while not env.step(1)[2]:
        pass

    with pytest.raises(ResetNeeded, match="reset before this step"):
        env.step(1)


def test_observations_and_actions_of_discrete_spaces_are_elements() -> None:
    env = gym.make("envpool/FrozenLake-v1")
    observation, info = env.reset(seed=1)

    assert observation in env.observation_space
    assert env.step(np.int64(1))[0] in env.observation_space
    assert info["elapsed_step"] == 0


def test_dictionary_observations_are_elements() -> None:
    env = gym.make("envpool/CheetahRun-v1")
    observation, _ = env.reset(seed=1)

    assert observation in env.observation_space
    assert observation.keys() == {"position", "velocity"}


def test_frame_is_rendered() -> None:
    env = gym.make("envpool/CartPole-v1", render_mode="rgb_array")
    env.reset(seed=1)

    assert env.render().shape == (400, 600, 3)


def test_unsupported_render_mode_is_an_error() -> None:
    with pytest.raises(ValueError, match="render_mode to be \"rgb_array\" or None, got 'ansi'"):
        EnvPoolEnv("CartPole-v1", render_mode="ansi")


@pytest.mark.parametrize(
    "env_id, near", [("envpool/Pongg-v5", "envpool/Pong-v5"), ("envpool/CartPole-v7", "envpool/CartPole-v1")]
)
def test_unknown_id_suggests_similar_ids(env_id: str, near: str) -> None:
    with pytest.raises(NameNotFound, match=rf"envpool has no environment .*; did you mean .*{near}"):
        gym.make(env_id)


def test_version_may_be_omitted() -> None:
    with pytest.warns(UserWarning, match="latest versioned environment `envpool/CartPole-v1`"):
        env = gym.make("envpool/CartPole")

    assert env.spec is not None
    assert env.spec.id == "envpool/CartPole-v1"


def test_other_ids_do_not_import_envpool() -> None:
    code = (
        "import gymkernel, sys\n"
        "try: gymkernel.spec('nowhere/CartPole-v1')\n"
        "except gymkernel.error.Error: pass\n"
        "print('gymkernel_bridge_envpool.resolve' in sys.modules, 'envpool' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", "False"]
