"""Tests of the functions of `gymkernel.utils.passive_env_checker`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.utils.passive_env_checker import (
    check_action_space,
    check_obs,
    check_observation_space,
    check_space,
    data_shares_objects,
    env_data_reuse_passive_checker,
    env_render_passive_checker,
    env_reset_passive_checker,
    env_step_passive_checker,
)


class Interval(Space[Any]):
    """A space of arrays whose numbers are between two bounds."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        super().__init__(self.low.shape, float)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and bool(((x >= self.low) & (x <= self.high)).all())

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.low.copy()


class Choice(Space[Any]):
    def __init__(self, n: int) -> None:
        self.n = n
        super().__init__((), int)

    def contains(self, x: Any) -> bool:
        return x in range(self.n)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return 0


class Parts(Space[Any]):
    def __init__(self, spaces: Any) -> None:
        self.spaces = spaces
        super().__init__()

    def contains(self, x: Any) -> bool:
        return True

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return None


class Room(Env[Any, Any]):
    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as in `Env`

    def __init__(self) -> None:
        self.observation_space, self.action_space = Interval([0, 0], [1, 1]), Choice(2)
        self.observed: Any = np.full(2, 0.5)
        self.render_mode = "ansi"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return self.observed, {}

    def step(self, action: Any) -> Any:
        return self.observed, 0.0, False, False, {"action": action}

    def render(self) -> Any:
        return "a room"


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_valid_results_are_returned_unchanged() -> None:
    env = Room()

    assert env_reset_passive_checker(env, seed=3)[0] is env.observed
    assert env.np_random_seed == 3
    assert env_step_passive_checker(env, 1) == (env.observed, 0.0, False, False, {"action": 1})
    assert env_render_passive_checker(env) == "a room"


def test_value_outside_its_space_is_reported_with_a_reason() -> None:
    env = Room()
    env.observed = np.array([0.5, 2.0])

    for call in (lambda: env_reset_passive_checker(env), lambda: env_step_passive_checker(env, 0)):
        with pytest.warns(UserWarning, match=r"element \[1\] is 2.0, outside high=1.0"):
            call()
    with pytest.warns(UserWarning, match="the observation that reset returns is not in the observation space"):
        check_obs(env.observed, env.observation_space, "reset")


def test_malformed_results_raise() -> None:
    class Old(Room):
        def reset(self, **keywords: Any) -> Any:
            return self.observed

        def step(self, action: Any) -> Any:
            return self.observed, 0.0, False, {}

    with pytest.raises(TypeError, match="must return \\(observation, info\\)"):
        env_reset_passive_checker(Old())
    with pytest.raises(TypeError, match="got 4 values"):
        env_step_passive_checker(Old(), 0)


def test_missing_metadata_is_reported() -> None:
    env = Room()

    env.metadata = {"render_modes": ["ansi"]}
    with pytest.warns(UserWarning, match="have no render_fps"):
        env_render_passive_checker(env)
    env.metadata, env.render_mode = {}, None
    with pytest.warns(UserWarning, match="contain no render modes"):
        env_render_passive_checker(env)


@pytest.mark.parametrize("check", [check_observation_space, check_action_space])
def test_empty_spaces_are_rejected(check: Any) -> None:
    for space in (Choice(0), Parts({}), Parts((Choice(2), Choice(-1))), Interval([0, 2], [1, 1])):
        with pytest.raises(ValueError, match="space"):
            check(space)
    for nothing in (3, Choice):
        with pytest.raises(TypeError, match="must be a space"):
            check(nothing)
    with pytest.warns(UserWarning, match="low equals high"):
        check(Parts({"a": Interval([1], [1])}))
    check(Parts({"a": Interval([1, 1], [1, 2]), "b": Parts((Choice(3),))}))


def test_every_box_is_checked() -> None:
    seen: list[Any] = []
    boxes = [Interval([0], [1]), Interval([0, 0], [1, 1])]

    check_space(Parts({"a": boxes[0], "b": Parts((boxes[1], Choice(2)))}), "action", seen.append)

    assert seen == boxes


def test_writable_overlapping_memory_is_shared() -> None:
    x, name = np.zeros(3), "a name that is one object"
    sharing: list[Any] = [(x, x), (x, x[1:]), ({"a": [x]}, {"a": [x[:1]], "b": 1}), ((1, x), (2, x))]
    for a, b in sharing:
        assert data_shares_objects(a, b)
    same: Any = {"a": 1}
    assert data_shares_objects(same, same)
    apart: list[Any] = [
        (x[::2], x[1::2]),
        (x, x.copy()),
        ({"a": x}, {"b": x}),
        (name, name),
        ((1, 2), (1, 2)),
        (None, None),
    ]
    for a, b in apart:
        assert not data_shares_objects(a, b)


def test_reuse_is_reported_with_its_path() -> None:
    x = np.zeros(2)

    env_data_reuse_passive_checker((x, {}), (x.copy(), {}), "reset", "step")
    with pytest.warns(UserWarning, match="the observations of reset and of step share an object"):
        env_data_reuse_passive_checker((x, {}), (x, {}), "reset", "step")
    with pytest.warns(UserWarning, match="the infos of step 1 and of step 2"):
        env_data_reuse_passive_checker((x, {"a": x}), (x.copy(), {"a": x}), "step 1", "step 2")
