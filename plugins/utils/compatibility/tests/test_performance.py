"""Tests of the benchmark functions with a fake clock."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.utils.performance import benchmark_init, benchmark_render, benchmark_step, benchmark_vector_step
from gymkernel.vector import AutoresetMode


class Clock:
    """A clock that advances only when an environment does something."""

    now = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "time", lambda: made.now)
    return made


class Coin(Space[int]):
    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return int(self.np_random.integers(2))


class Work(Env[int, int]):
    """An environment with two steps per episode. A step takes 10 ms, a reset 30 ms and a frame 20 ms."""

    def __init__(self, clock: Clock, render_mode: str | None = "rgb_array") -> None:
        self.clock, self.render_mode = clock, render_mode
        self.action_space = Coin()
        self.steps, self.actions, self.closed = 0, [], False  # type: ignore[var-annotated]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.steps = 0
        self.clock.now += 0.03
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        self.actions.append(action)
        self.clock.now += 0.01
        return 0, 0.0, self.steps == 2, False, {}

    def render(self) -> Any:
        self.clock.now += 0.02

    def close(self) -> None:
        self.closed = True


class Works:
    """A vector environment of three environments. The episodes of the first environment have two steps."""

    def __init__(self, clock: Clock, mode: AutoresetMode) -> None:
        self.clock, self.num_envs, self.metadata = clock, 3, {"autoreset_mode": mode}
        self.action_space = Coin()
        self.steps, self.masks = 0, []  # type: ignore[var-annotated]

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if options:
            self.masks.append(options["reset_mask"].tolist())
        else:
            self.steps = 0
        return None, {}

    def step(self, actions: Any) -> Any:
        self.steps += 1
        self.clock.now += 0.01
        done = np.array([self.steps % 2 == 0, False, False])
        return None, np.zeros(3), done, np.zeros(3, np.bool_), {}


def test_steps_are_counted_and_resets_take_time(clock: Clock) -> None:
    assert benchmark_step(Work(clock), 0.1) == pytest.approx(4 / 0.1)


def test_seed_determines_the_actions(clock: Clock) -> None:
    one, other = Work(clock), Work(clock)
    benchmark_step(one, 1, seed=4)
    benchmark_step(other, 1, seed=4)
    assert one.actions == other.actions


@pytest.mark.parametrize("mode, acted", [("NextStep", 3 * 4 - 1), ("SameStep", 3 * 4), ("Disabled", 3 * 4)])
def test_resetting_step_is_not_counted(clock: Clock, mode: str, acted: int) -> None:
    envs = Works(clock, AutoresetMode(mode))
    assert benchmark_vector_step(envs, 0.0395) == pytest.approx(acted / 0.04)
    assert envs.masks == ([[True, False, False]] * 2 if mode == "Disabled" else [])


def test_init_benchmark_creates_resets_and_closes(clock: Clock) -> None:
    made: list[Work] = []

    def make() -> Work:
        made.append(Work(clock))
        return made[-1]

    assert benchmark_init(make, 0.3) == pytest.approx(1 / 0.03)
    assert len(made) >= 10
    assert all(env.closed for env in made)


def test_frames_are_counted(clock: Clock) -> None:
    assert benchmark_render(Work(clock), 0.2) == pytest.approx(50)


@pytest.mark.parametrize("mode", [None, "human"])
def test_human_mode_gives_no_frame(clock: Clock, mode: str | None) -> None:
    with pytest.raises(ValueError, match=f"got render_mode={mode!r}"):
        benchmark_render(Work(clock, mode))


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_negative_time_and_nan_are_rejected(clock: Clock, seconds: float) -> None:
    with pytest.raises(ValueError, match=r"^Expected target_duration to be at least 0 seconds"):
        benchmark_step(Work(clock), seconds)


def test_zero_duration_measures_one_step(clock: Clock) -> None:
    assert benchmark_step(Work(clock), 0) == pytest.approx(100)
    assert benchmark_vector_step(Works(clock, AutoresetMode.NEXT_STEP), 0) == pytest.approx(300)
    assert benchmark_init(lambda: Work(clock), 0) == pytest.approx(1 / 0.03)
    assert benchmark_render(Work(clock), 0) == pytest.approx(50)


def test_clock_is_read_again_until_it_advances(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([5.0, 5.0, 5.0, 7.0])
    monkeypatch.setattr(time, "time", lambda: next(times))

    assert benchmark_step(Work(Clock()), 0) == pytest.approx(3 / 2)
