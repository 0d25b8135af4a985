from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import Discrete, Tuple
from gymkernel_env_toy_text import BLACKJACK, BlackjackEnv
from gymkernel_env_toy_text.blackjack import total


def dealt(player: list[int], dealer: list[int], **options: Any) -> BlackjackEnv:
    env = BlackjackEnv(**options)
    env.reset(seed=0)
    env.player, env.dealer = list(player), list(dealer)
    return env


def test_spaces_and_spec() -> None:
    assert BlackjackEnv().observation_space == Tuple((Discrete(32), Discrete(11), Discrete(2)))
    assert BlackjackEnv().action_space == Discrete(2)
    assert BLACKJACK.kwargs == {"sab": True, "natural": False}
    assert BLACKJACK.max_episode_steps is None
    assert gym.spec("Blackjack-v1") is BLACKJACK
    env: Any = gym.make("Blackjack-v1").unwrapped
    assert env.sab is True


@given(st.lists(st.integers(1, 10), min_size=1, max_size=12))
def test_ace_counts_as_eleven_if_possible(hand: list[int]) -> None:
    points, usable = total(hand)
    assert points == sum(hand) + 10 * usable
    assert usable == (1 in hand and sum(hand) + 10 <= 21)


@pytest.mark.parametrize(
    "player, dealer, reward",
    [
        ([10, 9], [10, 8], 1.0),
        ([10, 8], [10, 9], -1.0),
        ([10, 8], [10, 8], 0.0),
        ([1, 8], [10, 9], 0.0),
        ([10, 9], [6, 10, 10], 1.0),  # the dealer exceeds 21
    ],
)
def test_hand_closer_to_21_wins(player: list[int], dealer: list[int], reward: float) -> None:
    _, seen, terminated, truncated, info = dealt(player, dealer).step(0)
    assert (seen, terminated, truncated, info) == (reward, True, False, {})


@pytest.mark.parametrize(
    "options, dealer, reward",
    [
        ({"sab": True}, [10, 4, 7], 1.0),
        ({"sab": True}, [1, 10], 0.0),
        ({"sab": True, "natural": True}, [10, 8], 1.0),
        ({"natural": True}, [10, 8], 1.5),
        ({"natural": True}, [10, 4, 7], 0.0),
        ({}, [10, 8], 1.0),
        ({}, [10, 4, 7], 0.0),
    ],
)
def test_natural_blackjack_rewards(options: dict[str, bool], dealer: list[int], reward: float) -> None:
    assert dealt([1, 10], dealer, **options).step(0)[1] == reward


def test_twenty_one_with_three_cards_is_not_a_natural() -> None:
    assert dealt([5, 6, 10], [10, 4, 7], sab=True).step(0)[1] == 0.0


def test_bust_loses_immediately() -> None:
    env = dealt([10, 9], [10, 8])
    while True:
        (points, dealer, usable), reward, terminated, *_ = env.step(1)
        assert (reward, terminated) == ((-1.0, True) if points > 21 else (0.0, False))
        assert (dealer, usable) == (10, 0)
        if terminated:
            break
    assert points == sum(env.player)


def test_dealer_draws_up_to_17() -> None:
    for seed in range(200):
        env = BlackjackEnv()
        env.reset(seed=seed)
        env.step(0)
        assert total(env.dealer)[0] >= 17
        assert len(env.dealer) == 2 or total(env.dealer[:-1])[0] < 17


def test_ten_valued_cards_are_four_in_thirteen() -> None:
    env = BlackjackEnv()
    env.reset(seed=0)
    shown = [env.reset()[0][1] for _ in range(2000)]
    assert np.bincount(shown, minlength=11)[1:] / 2000 == pytest.approx([1 / 13] * 9 + [4 / 13], abs=0.03)


@pytest.mark.parametrize("action", [0, np.int64(0), np.array(0), False])
def test_integer_types_are_valid_actions(action: Any) -> None:
    assert dealt([10, 9], [10, 8]).step(action)[1] == 1.0


@pytest.mark.parametrize("action", [2, -1, 1.0, None, "1", np.array([1])])
def test_invalid_actions_are_rejected(action: Any) -> None:
    env = dealt([10, 9], [10, 8])
    with pytest.raises(InvalidAction, match="Expected the action 0"):
        env.step(action)
    assert env.player == [10, 9]


def test_step_before_reset_is_rejected() -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        BlackjackEnv().step(0)
    with pytest.raises(ResetNeeded, match="reset"):
        BlackjackEnv(render_mode="rgb_array").render()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(copied: Any) -> None:
    env = dealt([2, 2], [10, 4])
    env.step(1)
    twin = copied(env)
    assert env.step(0) == twin.step(0)
    assert env.reset() == twin.reset()


def test_unsupported_render_modes_are_rejected() -> None:
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        BlackjackEnv(render_mode="ansi")
    with pytest.warns(UserWarning, match="render_mode"):
        assert dealt([10, 9], [10, 8]).render() is None
