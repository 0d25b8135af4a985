"""Tests of the rules about extreme actions, about infos and action masks, and about the ends of episodes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from walks import Choice, Interval, Walk, cases, loud, run

from gymkernel import Wrapper
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.probes.single_actions import edges

if TYPE_CHECKING:
    from gymkernel_tool_check.checks import Report


class Moves(Walk):
    """A random walk with three discrete actions."""

    actions: Any = Choice(3)

    def prepare(self) -> None:
        self.action_space = self.actions

    def act(self, action: Any) -> None:
        super().act((np.zeros(2), np.ones(2), -np.ones(2))[action])


class TooMany(Moves):
    actions = Choice(4)


class NoCorner(Walk):
    def act(self, action: Any) -> None:
        if (np.abs(action) == 1).all():
            raise ValueError("too far")
        super().act(action)


class NanAtZero(Walk):
    def reward(self) -> Any:
        return self.gain

    def act(self, action: Any) -> None:
        self.gain = float(np.float64(0.1) / 1) if np.linalg.norm(action) else np.nan
        super().act(action)


class InfiniteCorner(Walk):
    def act(self, action: Any) -> None:
        super().act(action)
        self.place = np.where(action == 1, np.inf, self.place)


class WantsNumpy(Moves):
    def act(self, action: Any) -> None:
        super().act(action.item())


class WantsPython(Moves):
    def act(self, action: Any) -> None:
        if type(action) is not int:
            raise TypeError("an int, please")
        super().act(action)


class ByText(Moves):
    def act(self, action: Any) -> None:
        super().act({"0": 0, "1": 1, "2": 2}.get(repr(action), 0))


class Clipped(Walk):
    def prepare(self) -> None:
        self.action_space = Interval(-2, 2)

    def act(self, action: Any) -> None:
        super().act(np.clip(action, -1, 1))


class ClippedOne(Walk):
    def act(self, action: Any) -> None:
        super().act([action[0], min(action[1], 0.3)])


class LegacyKey(Walk):
    def info(self) -> Any:
        return {"TimeLimit.truncated": False}


class LimitTerminates(Walk):
    max_episode_steps = 9


class Frozen(Walk):
    def act(self, action: Any) -> None:
        super().act(action)
        if self.time == 7 and self.place[0] > 0:
            raise RuntimeError("frozen")


class FarOut(Walk):
    length = 200

    def act(self, action: Any) -> None:
        super().act(action)
        if self.place[0] > 60:
            raise IndexError("off the map")


class Restarts(Walk):
    def step(self, action: Any) -> Any:
        _, reward, terminated, truncated, info = super().step(action)
        return (self.reset()[0] if terminated else self.observe()), reward, terminated, truncated, info


class RestartsEarly(Walk):
    def act(self, action: Any) -> None:
        super().act(action)
        if self.time == 4:
            time = self.time
            self.reset()
            self.time = time


class Shifted(Choice):
    """A space of n consecutive integers, beginning with `start`."""

    def __init__(self, n: int, start: int) -> None:
        super().__init__(n)
        self.start = start

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.int64(self.start + int(self.np_random.integers(self.n)))

    def contains(self, x: Any) -> bool:
        return isinstance(x, int | np.integer) and self.start <= int(x) < self.start + self.n


@pytest.mark.parametrize("n, start", [(2**40, -(2**39)), (2**62, 0), (2**33, 2**31 - 2), (2**62, -(2**63)), (3, 2**40)])
def test_wide_integer_actions_can_have_any_fitting_type(n: int, start: int) -> None:
    class Wide(Walk):
        last = 0.0

        def prepare(self) -> None:
            self.action_space = Shifted(n, start)

        def act(self, action: Any) -> None:
            self.last = float(action)

        def reward(self) -> Any:
            return self.last

    assert not check(Wide, select=["GK30"], steps=20, measure=False).findings


class Lambdas(Walk):
    def info(self) -> Any:
        return {"undo": lambda: None}


class Locks(Walk):
    def info(self) -> Any:
        import threading

        return {"lock": threading.Lock()} if self.time == self.length else {}


class Grows(Walk):
    def info(self) -> Any:
        return {"path": np.zeros(self.time)}


class Words(Walk):
    def info(self) -> Any:
        return {"deep": {"left": "nothing" if self.time == self.length else self.length - self.time}}


class Underscore(Walk):
    def info(self) -> Any:
        return {"x": 1, "_x": 2}


class Masked(Moves):
    def info(self) -> Any:
        return {"action_mask": self.mask()}

    def mask(self) -> Any:
        return np.array([1, 0, 1], np.int8)


class ShortMask(Masked):
    def mask(self) -> Any:
        return np.array([1, 1], np.int8)


class ZeroMask(Masked):
    def mask(self) -> Any:
        return np.full(3, self.time != 4, np.int8)


class WeightMask(Masked):
    def mask(self) -> Any:
        return np.array([0.5, 0.5, 0.0])


BROKEN: dict[str, list[Any]] = {
    "GK301": [TooMany, NoCorner],
    "GK302": [NanAtZero, InfiniteCorner],
    "GK303": [WantsNumpy, WantsPython, ByText],
    "GK304": [Clipped, ClippedOne],
    "GK316": [LegacyKey, LimitTerminates],
    "GK317": [Frozen, FarOut],
    "GK318": [Restarts, RestartsEarly],
    "GK319": [Lambdas, Locks],
    "GK320": [Grows, Words, Underscore],
    "GK321": [ShortMask, ZeroMask, WeightMask],
}


@functools.cache
def checked(env: Any, *select: str) -> Report:
    return check(env, steps=60, measure=False, select=select, ignore=["GK6", "GK8", "GK9"])


@pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_defect_is_reported_with_its_rule(code: str, env: Any, alone: bool) -> None:
    report = checked(env, code) if alone else checked(env)

    assert loud(report) == {code}, [str(finding) for finding in report.findings]


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_program_of_a_finding_shows_the_defect(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    report = checked(env, code)

    raised = run(report, code, env)

    assert capsys.readouterr().out if raised is None else raised in report.findings[0].message


class Half(Walk):
    """An environment in which every action has half of its usual effect."""

    def act(self, action: Any) -> None:
        super().act(action / 2)


class Sign(Walk):
    def act(self, action: Any) -> None:
        super().act(np.sign(action))


class Rounds(Walk):
    def act(self, action: Any) -> None:
        super().act(np.round(action))


class Walls(Walk):
    def act(self, action: Any) -> None:
        super().act(action)
        self.place = np.clip(self.place, -0.2, 0.2)


class Horizon(Walk):
    """An environment in which the number of steps is part of the task and of the observation."""

    max_episode_steps = 9

    def observe(self) -> Any:
        return np.array([self.place[0], self.time], np.float32)


class Dies(Walk):
    max_episode_steps = 9

    def terminated(self) -> Any:
        return bool(np.abs(self.place).max() > 2) or self.time >= 30


class Fields(Walk):
    def info(self) -> Any:
        return {"equal": np.zeros(3), "list": [0] * self.time, "none": None, "last": {"x": self.time}, 3: "x"}


class Sometimes(Walk):
    def info(self) -> Any:
        return {"success": True} if self.time == self.length else {}


class Strict(Masked):
    def act(self, action: Any) -> None:
        if action == 1:
            raise ValueError("illegal")
        super().act(action)


class LastMaskIsZero(Masked):
    def mask(self) -> Any:
        return np.full(3, self.time < self.length, np.int8)


class ByMethod(Moves):
    def action_masks(self) -> Any:
        return np.array([True, False, True])

    def act(self, action: Any) -> None:
        if action == 1:
            raise ValueError("illegal")
        super().act(action)


class ResetsAPart(Walk):
    def act(self, action: Any) -> None:
        super().act(action)
        if self.time == 3:
            self.start()


LEGAL = [Walk, Moves, Half, Sign, Rounds, Walls, Horizon, Dies, Fields, Sometimes, Masked, Strict, LastMaskIsZero]
LEGAL += [ByMethod, ResetsAPart]


@pytest.mark.parametrize("rules", ["GK3", pytest.param("GK", marks=pytest.mark.slow)])
@pytest.mark.parametrize("env", LEGAL)
def test_similar_legal_targets_have_no_findings(env: Any, rules: str) -> None:
    report = checked(env, rules)

    assert not loud(report), [str(finding) for finding in report.findings]


def test_numpy_booleans_are_noted() -> None:
    class Flags(Walk):
        def terminated(self) -> Any:
            return np.bool_(self.time >= self.length)

    report = check(Flags, select=["GK314"])

    assert [(finding.code, finding.severity) for finding in report.findings] == [("GK314", "info")]


def test_action_parts_are_tried_at_their_bounds() -> None:
    found = list(edges(Interval(-2, 3)))

    assert {(-2.0, -2.0), (3.0, 3.0), (-2.0, 3.0), (0.0, 3.0), (0.0, 0.0)} <= {tuple(map(float, x)) for x in found}


@pytest.mark.parametrize("n, least", [(1, 1), (5, 5), (1000, 3)])
def test_all_values_of_a_small_discrete_space_are_tried(n: int, least: int) -> None:
    found = [int(x) for x in edges(Choice(n))]

    assert {0, n - 1} <= set(found)
    assert len(set(found)) >= least


def test_watching_does_not_change_the_environment() -> None:
    inner = Restarts()

    class Remembers(Wrapper[Any, Any, Any, Any]):
        """A wrapper that stores the wrapped environment's `reset` method and calls the stored method."""

        method: Any = None

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            self.method = self.method or self.env.reset
            return self.method(seed=seed, options=options)

    env = Remembers(inner)
    found = loud(check(env, steps=60, select=["GK318"], measure=False))

    assert found == {"GK318"}
    assert "reset" not in vars(inner)
    assert env.method == inner.reset
