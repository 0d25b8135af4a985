"""Test that the registry contains Gymnasium's specs, whose entry points give gymkernel's classes."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GYMNASIUMS_IDS = """
    from gymnasium.envs.registration import register
    home = "gymnasium.envs.classic_control"
    register(id="Pendulum-v1", entry_point=f"{home}.pendulum:PendulumEnv", max_episode_steps=200)
    register(id="CartPole-v1", entry_point="gymnasium.envs.nowhere:CartPole")
"""


@pytest.mark.usefixtures("library")
def test_a_spec_contains_what_gymnasium_registers(library: Path, outputs: Callable[[str], list[str]]) -> None:
    (library / "envs" / "__init__.py").write_text(textwrap.dedent(GYMNASIUMS_IDS), encoding="utf-8")
    assert outputs("""
        import gymnasium as gym
        spec = gym.spec("Pendulum-v1")
        print(spec.entry_point, spec.vector_entry_point, gym.make(spec).spec == spec)
        print(type(gym.make("Pendulum-v1").unwrapped) is gym.envs.classic_control.pendulum.PendulumEnv)
        print(type(gym.make_vec("Pendulum-v1", 2)).__name__)
        print(type(gym.make_vec("Pendulum-v1", 2, "vector_entry_point")).__name__)
        print(gym.make("CartPole-v1").unwrapped)  # a plugin keeps its entry point if it lacks Gymnasium's module
        gym.register("Pendulum-v1", gym.envs.classic_control.CartPoleEnv)
        try:
            gym.make_vec("Pendulum-v1", 2, "vector_entry_point")
        except gym.error.Error as exc:
            print("the program's own environment has no vector form")
    """) == [
        "gymnasium.envs.classic_control.pendulum:PendulumEnv None True",
        "True",
        "SyncVectorEnv",
        "PendulumVectorEnv",
        "<CartPoleEnv<CartPole-v1>>",
        "the program's own environment has no vector form",
    ]
