"""Tests of which action each key triggers in `play`, and of what the actions do."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel.envs.registration import make


@pytest.mark.parametrize("env_id", ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4", "Blackjack-v1"])
def test_every_action_has_a_key_and_a_meaning(env_id: str) -> None:
    env: Any = make(env_id, disable_env_checker=True).unwrapped
    keys = env.get_keys_to_action()
    assert sorted(keys.values()) == list(range(env.action_space.n))
    assert len(set(env.get_action_meanings())) == env.action_space.n


def test_arrow_keys_move_in_their_direction() -> None:
    env: Any = make("CliffWalking-v1", disable_env_checker=True).unwrapped
    up = 1073741906
    start, _ = env.reset(seed=1)
    place, *_ = env.step(env.get_keys_to_action()[(up,)])
    assert place == start - 12
    assert env.get_action_meanings()[env.get_keys_to_action()[(up,)]] == "move up"
