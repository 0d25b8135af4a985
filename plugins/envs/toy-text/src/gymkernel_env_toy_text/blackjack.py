"""The single-environment version of Blackjack."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel_env_toy_text.blackjack_rules import (
    COURTS,
    SUITS,
    cmp,
    deck,
    is_bust,
    is_natural,
    score,
    sum_hand,
    total,
    usable_ace,
)
from gymkernel_env_toy_text.single import ToyEnv
from gymkernel_space_discrete import Discrete
from gymkernel_space_tuple import Tuple

if TYPE_CHECKING:
    import numpy as np

    from gymkernel_env_toy_text.screen import Painter

__all__ = ["COURTS", "SUITS", "BlackjackEnv", "cmp", "deck", "draw_card", "draw_hand", "draw_table", "is_bust"]
__all__ += ["is_natural", "score", "sum_hand", "total", "usable_ace"]


def draw_card(np_random: np.random.Generator) -> int:
    """Draw a card from an infinite deck.

    Args:
        np_random: the random number generator, which generates one number.

    Returns:
        The value of the card, from 1 (an ace) to 10 (a ten, jack, queen or king).
    """
    return deck[np_random.integers(13)]


def draw_hand(np_random: np.random.Generator) -> list[int]:
    """Draw two cards.

    Args:
        np_random: the random number generator, which generates two numbers.

    >>> import numpy as np
    >>> draw_hand(np.random.default_rng(4))
    [10, 10]
    """
    return [draw_card(np_random), draw_card(np_random)]


class BlackjackEnv(ToyEnv[tuple[int, int, int]]):
    """An environment in which a player tries to get closer to 21 than the dealer without exceeding 21.

    Cards come from an infinite deck. Number cards count as their number, and jacks, queens and kings count as 10. An
    ace counts as 11 if the hand then does not exceed 21, in which case the ace is called usable. Otherwise, the ace
    counts as 1. The player sees one of the dealer's two cards, and either takes a card (hits) or stops (sticks). A
    player with more than 21 loses immediately. After the player sticks, the dealer takes cards until the sum is at
    least 17. The hand closer to 21 wins, and a dealer with more than 21 loses. (Sutton and Barto, "Reinforcement
    Learning: An Introduction", 2nd edition, 2018, example 5.1.)

    Action, `Discrete(2)`: 0 sticks, 1 hits.

    Observation, a tuple of `Discrete(32)`, `Discrete(11)` and `Discrete(2)`: the sum of the player's hand, the dealer's
    open card (1 is an ace), and whether the player has a usable ace.

    Reward: 1 for a win, -1 for a loss, and 0 for a draw or a step that does not end the episode. A natural is a hand of
    two cards, an ace and a card that counts as 10. With `sab`, a natural beats any other hand. With `natural` but
    without `sab`, a natural that wins pays 1.5.

    Info: always empty.

    An episode ends when the player sticks or exceeds 21. There is no step limit. Rendered images show the dealer's
    other cards after the player has stuck.

    Args:
        render_mode: "human" (a window), "rgb_array" or None.
        natural: whether a winning natural pays 1.5. The argument is ignored if `sab` is True.
        sab: whether to use the rules from Sutton and Barto, as in Blackjack-v1.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("Blackjack-v1")
    >>> env.reset(seed=5)
    ((21, 9, 1), {})
    >>> env.step(0)
    ((21, 9, 1), 1.0, True, False, {})
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 4}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, render_mode: str | None = None, natural: bool = False, sab: bool = False) -> None:
        super().__init__(render_mode)
        self.natural, self.sab = natural, sab
        self.action_space = Discrete(2)
        self.observation_space = Tuple((Discrete(32), Discrete(11), Discrete(2)))
        self.player: list[int] = []
        """The values of the player's cards. An ace is 1."""
        self.dealer: list[int] = []
        """The values of the dealer's cards. The first card is face up."""
        self.dealer_top_card_suit = self.dealer_top_card_value_str = ""
        self._stuck = False

    def step(self, action: int | np.integer[Any]) -> tuple[tuple[int, int, int], float, bool, bool, dict[str, Any]]:
        """Stick (action 0) or hit (action 1)."""
        try:
            chosen = index(action)
        except TypeError:
            chosen = -1
        if chosen not in {0, 1}:
            raise InvalidAction(f"Expected the action 0 (stick) or 1 (hit), got {action!r} ({type(action).__name__})")
        player = self.player
        if not player:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observation")
        if chosen:
            player.append(draw_card(self.np_random))
            points, usable = total(player)
            terminated = points > 21
            reward = -1.0 if terminated else 0.0
        else:
            points, usable = total(player)
            terminated, reward = True, self._play_dealer()
        if self._shown:
            self.render()
        return (points, self.dealer[0], usable), reward, terminated, False, {}

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action for each key in `play`: S sticks, and H hits."""
        return {(ord("s"),): 0, (ord("h"),): 1}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        return ["stick", "hit"]

    def _play_dealer(self) -> float:
        """Play the dealer's hand, and return the reward."""
        self._stuck = True
        dealer = self.dealer
        while total(dealer)[0] < 17:
            dealer.append(draw_card(self.np_random))
        reward = cmp(score(self.player), score(dealer))
        if is_natural(self.player):
            if self.sab and not is_natural(dealer):
                return 1.0
            if self.natural and not self.sab and reward == 1.0:
                return 1.5
        return reward

    def _start_episode(self) -> tuple[tuple[int, int, int], dict[str, Any]]:
        """Deal two cards to the dealer and two cards to the player."""
        self.dealer = draw_hand(self.np_random)
        self.player = draw_hand(self.np_random)
        self._stuck = False
        first = self.dealer[0]
        self.dealer_top_card_suit = SUITS[self.np_random.integers(4)]
        if first == 10:
            self.dealer_top_card_value_str = COURTS[self.np_random.integers(3)]
        else:
            self.dealer_top_card_value_str = "A" if first == 1 else str(first)
        points, usable = total(self.player)
        return (points, first, usable), {}

    @property
    def _has_state(self) -> bool:
        return bool(self.player)

    def _painter(self) -> Painter:
        from gymkernel_env_toy_text.blackjack_render import BlackjackPainter

        return BlackjackPainter()

    def _scene(self) -> tuple[Any, ...]:
        return self.player, self.dealer, self.dealer_top_card_value_str + self.dealer_top_card_suit, self._stuck


def draw_table(surface: Any, player_sum: int, dealer_card_value: int, usable_ace: bool, dealer_card: str) -> None:
    """Draw a table that shows only the dealer's face-up card and the player's sum.

    Args:
        surface: a pygame surface of at least 384 x 376 pixels.
        player_sum: the sum of the player's hand.
        dealer_card_value: the value of the dealer's face-up card.
        usable_ace: whether an ace has the value 11 in the player's hand.
        dealer_card: the rank and suit of the dealer's face-up card, such as "KS".

    Raises:
        DependencyNotInstalled: if pygame-ce is not installed.
    """
    from gymkernel_env_toy_text.blackjack_render import BlackjackPainter
    from gymkernel_env_toy_text.screen import brush_on

    painter, brush = BlackjackPainter(), brush_on(surface)
    middle = painter.size[1] / 2
    painter.board(brush)
    sprites = painter.sprites(brush)
    painter.place_hand(brush, sprites, [dealer_card, "back"], 46)
    painter.place_sum(brush, sprites, int(dealer_card_value), 14)
    painter.place_sum(brush, sprites, int(player_sum), middle + 6)
    if usable_ace:
        brush.put(sprites["usable"], 140, middle + 10)
