"""Tests of `check_environments_match`: every difference is reported, and each comparison can be skipped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.utils.env_match import check_environments_match


class Line(Space[Any]):
    def __init__(self, length: float = 9.0) -> None:
        self.length = length
        super().__init__((1,), float)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.uniform(-1, 1, 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.length == other.length

    __hash__ = None  # type: ignore[assignment]


class Walk(Env[Any, Any]):
    """An environment whose attributes can be replaced by keyword arguments."""

    def __init__(self, **changes: Any) -> None:
        self.render_mode = "ansi"
        self.length, self.prize, self.cut, self.noise = 5, 1.0, 99, 0.0
        self.first: dict[str, Any] = {"start": 1}
        self.info: dict[str, Any] = {"a": 1}
        self.picture = "a walk"
        self.observation_space, self.action_space = Line(), Line()
        vars(self).update(changes)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place, self.time = self.np_random.normal(size=1), 0
        return self.place, dict(self.first)

    def step(self, action: Any) -> Any:
        self.time += 1
        self.place = self.place + action + self.noise * (self.time == 3)
        action *= 0  # must not change the action that the other environment receives
        return self.place, self.prize, self.time >= self.length, self.time >= self.cut, dict(self.info)

    def render(self) -> Any:
        return self.picture


@pytest.mark.parametrize(
    "change, skip, message",
    [
        ({"noise": 0.1}, "skip_obs", "the observations differ at step 3: element [0] was"),
        ({"observation_space": Line(3)}, "skip_obs", "the observation spaces differ"),
        ({"prize": 2.0}, "skip_rew", "the rewards differ at step 1: it was 1.0, then 2.0"),
        ({"length": 6}, "skip_terminal", "the values of terminated differ at step 5: it was True, then False"),
        ({"cut": 2}, "skip_truncated", "the values of truncated differ at step 2: it was False, then True"),
        ({"picture": "a run"}, "skip_render", "the frames differ at step 1: it was 'a walk', then 'a run'"),
    ],
)
def test_difference_is_reported_and_can_be_ignored(change: dict[str, Any], skip: str, message: str) -> None:
    left_out: dict[str, Any] = {skip: True}
    with pytest.raises(AssertionError) as caught:
        check_environments_match(Walk(), Walk(**change), num_steps=12)
    assert str(caught.value).startswith(message)
    check_environments_match(Walk(), Walk(**change), num_steps=12, **left_out)


def test_equal_environments_match_over_many_episodes() -> None:
    check_environments_match(Walk(), Walk(), num_steps=50, seed=3)
    check_environments_match(Walk(), Walk(), num_steps=0)


def test_different_action_spaces_cannot_be_compared() -> None:
    with pytest.raises(AssertionError, match="action spaces differ"):
        check_environments_match(Walk(), Walk(action_space=Line(3)), num_steps=1)


def test_zero_steps_compare_only_the_reset() -> None:
    with pytest.raises(AssertionError, match="the infos differ at the reset"):
        check_environments_match(Walk(), Walk(first={"start": 2}), num_steps=0)


def test_human_rendering_is_not_compared() -> None:
    check_environments_match(Walk(), Walk(picture="other", render_mode="human"), num_steps=3)


INFOS: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    ({"a": 1}, {"a": 1}, {"equivalence", "superset", "keys-equivalence", "keys-superset"}),
    ({"a": 1}, {"a": 1, "b": 2}, {"superset", "keys-superset"}),
    ({"a": 1}, {"a": 2}, {"keys-equivalence", "keys-superset"}),
    ({"a": 2}, {"a": 1, "b": 2}, {"keys-superset"}),
    ({"a": 1, "b": 2}, {"a": 1}, set()),
]


@pytest.mark.parametrize("a, b, passing", INFOS)
def test_info_comparison_follows_the_option(a: dict[str, Any], b: dict[str, Any], passing: set[str]) -> None:
    comparisons: list[Any] = ["equivalence", "superset", "keys-equivalence", "keys-superset"]
    for comparison in comparisons:
        one, other = Walk(info=a), Walk(info=b)
        if comparison in passing:
            check_environments_match(one, other, 3, info_comparison=comparison)
        else:
            with pytest.raises(AssertionError, match="info"):
                check_environments_match(one, other, 3, info_comparison=comparison)
    check_environments_match(Walk(info=a), Walk(info=b), 3, info_comparison="skip")


def test_unknown_comparison_is_rejected() -> None:
    with pytest.raises(ValueError, match="one of equivalence, superset"):
        check_environments_match(Walk(), Walk(), 1, info_comparison="same")  # type: ignore[arg-type]
