"""The rules of Blackjack, which define the cards and the values of hands."""

from __future__ import annotations

__all__ = ["COURTS", "SUITS", "cmp", "deck", "is_bust", "is_natural", "score", "sum_hand", "total", "usable_ace"]

deck = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
"""The values of the cards in a suit, in the order ace, 2 to 10, jack, queen, king."""
SUITS = ("C", "D", "H", "S")
COURTS = ("J", "Q", "K")


def total(hand: list[int]) -> tuple[int, int]:
    """Return the sum of a hand, and 1 if the hand contains an ace that counts as 11 (a usable ace), or otherwise 0.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.

    >>> total([1, 6]), total([1, 6, 9])
    ((17, 1), (16, 0))
    """
    points = sum(hand)
    return (points + 10, 1) if points <= 11 and 1 in hand else (points, 0)


def cmp(a: float, b: float) -> float:
    """Return 1 if `a` is greater than `b`, -1 if `b` is greater than `a`, or 0 if they are equal.

    Args:
        a: the player's score.
        b: the dealer's score.

    >>> cmp(20, 18), cmp(17, 17)
    (1.0, 0.0)
    """
    return float(a > b) - float(a < b)


def usable_ace(hand: list[int]) -> int:
    """Return 1 if a hand contains an ace that can count as 11 without the sum exceeding 21, or otherwise 0.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.
    """
    return total(hand)[1]


def sum_hand(hand: list[int]) -> int:
    """Return the sum of a hand, in which an ace counts as 11 if possible.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.

    >>> sum_hand([1, 6]), sum_hand([1, 6, 9])
    (17, 16)
    """
    return total(hand)[0]


def is_bust(hand: list[int]) -> bool:
    """Return whether a hand exceeds 21.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.
    """
    return sum_hand(hand) > 21


def score(hand: list[int]) -> int:
    """Return the score of a hand, which is its sum, or 0 if the sum exceeds 21.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.

    >>> score([10, 9]), score([10, 9, 3])
    (19, 0)
    """
    points = sum_hand(hand)
    return points if points <= 21 else 0


def is_natural(hand: list[int]) -> bool:
    """Return whether a hand consists of an ace and a card that counts as 10.

    Args:
        hand: the values of the cards, from 1 (an ace) to 10.
    """
    return len(hand) == 2 and sum(hand) == 11 and 1 in hand
