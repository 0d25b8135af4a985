"""Tests that the helpers of environments, spaces and vector environments return the same results as Gymnasium's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymkernel

HANDS = st.lists(st.integers(1, 10), min_size=1, max_size=8)
NUMBERS = st.floats(-1e3, 1e3)


def both(path: str, name: str) -> tuple[Any, Any]:
    theirs, ours = (getattr(import_module(f"{library}.{path}"), name) for library in ("gymnasium", "gymkernel"))
    return theirs, ours


@pytest.mark.parametrize("name", ["usable_ace", "sum_hand", "is_bust", "score", "is_natural"])
@settings(deadline=None)
@given(hand=HANDS)
def test_blackjack_hands(name: str, hand: list[int]) -> None:
    theirs, ours = both("envs.toy_text.blackjack", name)
    assert ours(hand) == theirs(hand)


@settings(deadline=None)
@given(st.integers(0, 31), st.integers(0, 31))
def test_hands_are_compared(a: int, b: int) -> None:
    theirs, ours = both("envs.toy_text.blackjack", "cmp")
    assert ours(a, b) == theirs(a, b)


@pytest.mark.parametrize("name", ["draw_card", "draw_hand"])
def test_cards_are_drawn_alike(name: str) -> None:
    generators = [np.random.default_rng(3) for _ in range(2)]
    draws = [
        [draw(rng) for _ in range(50)]
        for draw, rng in zip(both("envs.toy_text.blackjack", name), generators, strict=True)
    ]
    assert draws[0] == draws[1]
    assert type(draws[1][0]) is type(draws[0][0])


def test_patched_card_is_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gymkernel.envs.toy_text.blackjack.draw_card", lambda np_random: 10)
    assert gymkernel.make("Blackjack-v1").reset(seed=1)[0] == (20, 10, 0)


def test_blackjack_rendering() -> None:
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((384, 376))
    _, draw_table = both("envs.toy_text.blackjack", "draw_table")
    pictures = []
    for arguments in [(15, 10, False, "KS"), (15, 10, True, "KS"), (16, 10, False, "KS"), (15, 3, False, "3H")]:
        draw_table(surface, *arguments)
        pictures.append(pygame.image.tobytes(surface, "RGB"))
    assert len(set(pictures)) == len(pictures)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.integers(0, 2**32))
def test_categorical_samples(weights: list[float], seed: int) -> None:
    probabilities = np.array(weights) / sum(weights)
    theirs, ours = both("envs.toy_text.utils", "categorical_sample")
    drawn = [draw(probabilities, np.random.default_rng(seed)) for draw in (theirs, ours)]
    assert drawn[0] == drawn[1]


@settings(deadline=None)
@given(NUMBERS, st.floats(-100, -1), st.floats(1, 100))
def test_acrobot_angles_and_bounds(x: float, m: float, top: float) -> None:
    for name in ("wrap", "bound"):
        theirs, ours = both("envs.classic_control.acrobot", name)
        assert ours(x, m, top) == theirs(x, m, top)
    theirs, ours = both("envs.classic_control.acrobot", "bound")
    assert ours(x, (m, top)) == theirs(x, (m, top))


@settings(deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=6), st.floats(0.01, 0.5), st.integers(2, 5))
def test_runge_kutta(start: list[float], step: float, times: int) -> None:
    theirs, ours = both("envs.classic_control.acrobot", "rk4")
    t = np.arange(times) * step
    ended = [method(lambda y: np.cos(y) - y, start, t) for method in (theirs, ours)]
    np.testing.assert_array_equal(*ended)


@settings(deadline=None)
@given(NUMBERS)
def test_pendulum_angles(x: float) -> None:
    theirs, ours = both("envs.classic_control.pendulum", "angle_normalize")
    assert ours(x) == theirs(x)
    np.testing.assert_array_equal(ours(np.array([x, -x])), theirs(np.array([x, -x])))


@pytest.mark.parametrize("options", [None, {}, {"low": -1}, {"high": "0.5"}, {"low": 0.25, "high": np.float32(0.5)}])
def test_reset_bounds(options: Any) -> None:
    theirs, ours = both("envs.classic_control.utils", "maybe_parse_reset_bounds")
    assert ours(options, -0.05, 0.05) == theirs(options, -0.05, 0.05)


@pytest.mark.parametrize("options", [{"low": "x"}, {"low": None}, {"low": 1}])
def test_invalid_reset_bounds(options: Any) -> None:
    for parse in both("envs.classic_control.utils", "maybe_parse_reset_bounds"):
        with pytest.raises(ValueError, match=r"number|float|bound|low"):
            parse(options, -0.05, 0.05)


@pytest.mark.parametrize(
    "value", [1, 1.5, True, np.float32(1), np.int8(1), np.True_, "1", None, np.ones(1), 1j], ids=repr
)
def test_box_numbers(value: Any) -> None:
    theirs, ours = both("spaces.box", "is_float_integer")
    assert ours(value) == theirs(value)


@pytest.mark.parametrize(
    "array", [np.ones((2, 2)), np.arange(3), np.zeros(0), np.full(2, np.inf, np.float32)], ids=repr
)
def test_bounds_as_text(array: Any) -> None:
    theirs, ours = both("spaces.box", "array_short_repr")
    assert ours(array) == theirs(array)


@pytest.mark.parametrize(
    "parts",
    [
        (None, "CartPole", 1),
        (None, "CartPole", None),
        (None, "CartPole", 9),
        (None, "CardPole", 1),
        ("far", "Maze", 0),
        (None, "Nothing", None),
        (None, "MountainCar", 1),
    ],
    ids=repr,
)
def test_versions_are_checked(parts: tuple[Any, ...]) -> None:
    raised = []
    for check in both("envs.registration", "_check_version_exists"):
        try:
            raised.append(check(*parts))
        except (gymnasium.error.Error, gymkernel.error.Error) as exc:
            raised.append(type(exc).__name__)
    assert raised[0] == raised[1]


def test_async_state() -> None:
    state = import_module("gymkernel.vector.async_vector_env").AsyncState
    envs: Any
    with gymkernel.make_vec("CartPole-v1", 1, "async") as envs:
        seen = [envs._state]
        envs.reset_async(seed=1)
        seen.append(envs._state)
        envs.reset_wait()
        envs.step_async(np.zeros(1, np.int64))
        seen.append(envs._state)
        envs.step_wait()
        envs.call_async("get_wrapper_attr", "gravity")
        seen.append(envs._state)
        envs.call_wait()
        seen.append(envs._state)
    assert seen == [state.DEFAULT, state.WAITING_RESET, state.WAITING_STEP, state.WAITING_CALL, state.DEFAULT]
