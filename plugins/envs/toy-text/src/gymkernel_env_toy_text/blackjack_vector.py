"""The vector version of Blackjack, which uses NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_toy_text.blackjack import BlackjackEnv
from gymkernel_env_toy_text.blackjack_rules import COURTS, SUITS, deck
from gymkernel_env_toy_text.vector import Columns, ToyVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_vector.native import Indexes

__all__ = ["BlackjackVectorEnv"]

VALUES = np.array(deck, np.int8)
MOST = 24
"""An upper bound on the number of cards in a hand. The longest possible hand consists of 22 aces."""


class Hands:
    """One hand (the player's or the dealer's) per environment: its cards, their sum, and whether one is an ace.

    Args:
        num_envs: the number of hands.
    """

    def __init__(self, num_envs: int) -> None:
        self.cards = np.zeros((num_envs, MOST), np.int8)
        self.count = np.zeros(num_envs, np.intp)
        self._points = np.zeros(num_envs, np.int64)
        self._ace = np.zeros(num_envs, np.bool_)

    def begin(self, where: Indexes, cards: NDArray[np.int8]) -> None:
        """Discard the hands in the given environments, and deal two new cards to each of these hands."""
        self.cards[where, :2], self.count[where] = cards, 2
        self._points[where], self._ace[where] = cards.sum(axis=1), (cards == 1).any(axis=1)

    def take(self, where: Indexes, cards: NDArray[np.int8]) -> None:
        """Deal one card to the hand in each of the given environments."""
        self.cards[where, self.count[where]] = cards
        self.count[where] += 1
        self._points[where] += cards
        self._ace[where] |= cards == 1

    def totals(self, where: Indexes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the sum of each given hand, and whether the hand contains a usable ace."""
        points = self._points[where]
        usable = self._ace[where] & (points <= 11)
        return points + 10 * usable, usable

    def naturals(self, where: Indexes) -> NDArray[np.bool_]:
        """Return a mask of the given hands that consist of an ace and a card that counts as 10."""
        naturals: NDArray[np.bool_] = (self.count[where] == 2) & (self._points[where] == 11) & self._ace[where]
        return naturals

    def to_list(self, i: int) -> list[int]:
        """Return the values of the cards in one hand as a list."""
        cards: list[int] = self.cards[i, : self.count[i]].tolist()
        return cards


class BlackjackVectorEnv(ToyVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `BlackjackEnv` at once.

    The arguments and exceptions are the same as for `ToyVectorEnv`. The arguments `natural`, `sab` and `render_mode`
    are the same as for `BlackjackEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("Blackjack-v1", num_envs=3)
    >>> observations, infos = envs.reset(seed=5)
    >>> observations
    (array([21, 12, 19]), array([ 9,  6, 10]), array([1, 0, 0]))
    >>> envs.step(np.array([0, 1, 1]))[1]
    array([ 1.,  0., -1.])
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        natural: bool = False,
        sab: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._single = BlackjackEnv(render_mode, natural, sab)
        super().__init__(self._single, num_envs, max_episode_steps, autoreset_mode)
        self.natural, self.sab = natural, sab
        self._player, self._dealer = Hands(num_envs), Hands(num_envs)
        self._suit = np.zeros(num_envs, np.intp)
        self._court = np.zeros(num_envs, np.intp)
        self._stuck = np.zeros(num_envs, np.bool_)

    def _deal(self, hands: Hands, where: Indexes) -> None:
        hands.take(where, VALUES[self._streams.integers(13, where)])

    def _begin(self, starting: Indexes) -> Columns:
        numbers = self._streams.rows((13, 13, 13, 13, 4), starting)
        cards = VALUES[numbers[:, :4]]
        self._dealer.begin(starting, cards[:, :2])
        self._player.begin(starting, cards[:, 2:])
        self._suit[starting], self._stuck[starting] = numbers[:, 4], False
        court = starting[cards[:, 0] == 10]
        if court.size:
            self._court[court] = self._streams.integers(3, court)
        return {}

    def _act(self, chosen: Indexes, acting: Indexes | None) -> tuple[NDArray[np.float64], NDArray[np.bool_], Columns]:
        acting = self._everyone if acting is None else acting
        rewards, terminated = np.zeros(acting.size), chosen == 0
        (hits,), (sticks,) = chosen.nonzero(), terminated.nonzero()
        if hits.size:
            hitting = acting[hits]
            self._deal(self._player, hitting)
            beyond = hits[self._player.totals(hitting)[0] > 21]
            rewards[beyond], terminated[beyond] = -1.0, True
        if sticks.size:
            rewards[sticks] = self._play_dealers(acting[sticks])
        return rewards, terminated, {}

    def _play_dealers(self, where: Indexes) -> NDArray[np.float64]:
        """Play the dealers' hands, and return the rewards."""
        self._stuck[where] = True
        playing = where
        while (playing := playing[self._dealer.totals(playing)[0] < 17]).size:
            self._deal(self._dealer, playing)
        player_sum, dealer_sum = self._player.totals(where)[0], self._dealer.totals(where)[0]
        rewards: NDArray[np.float64] = np.sign(
            np.where(player_sum > 21, 0, player_sum) - np.where(dealer_sum > 21, 0, dealer_sum)
        ).astype(np.float64)
        if self.sab:
            rewards[self._player.naturals(where) & ~self._dealer.naturals(where)] = 1.0
        elif self.natural:
            rewards[self._player.naturals(where) & (rewards == 1.0)] = 1.5
        return rewards

    def _observations(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        points, usable = self._player.totals(self._everyone)
        return points, self._dealer.cards[:, 0].astype(np.int64), usable.astype(np.int64)

    def _observation(self, i: int) -> tuple[int, int, int]:
        (points,), (usable,) = self._player.totals(np.array([i]))
        return int(points), int(self._dealer.cards[i, 0]), int(usable)

    def _render_one(self, i: int) -> Any:
        single, first = self._single, int(self._dealer.cards[i, 0])
        single.player, single.dealer = self._player.to_list(i), self._dealer.to_list(i)
        single.dealer_top_card_suit = SUITS[self._suit[i]]
        single.dealer_top_card_value_str = {1: "A", 10: COURTS[self._court[i]]}.get(first, str(first))
        single._stuck = bool(self._stuck[i])  # noqa: SLF001 - the model belongs to this object
        return single.render()
