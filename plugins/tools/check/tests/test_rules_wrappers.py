"""Tests of GK67x and GK68x: the rules report wrappers that break them, but not similar wrappers that are correct."""

from __future__ import annotations

import functools
import random
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper
from gymkernel.utils import RecordConstructorArgs
from gymkernel.vector import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.probes.probe_envs import ProbeEnv
from gymkernel_tool_check.probes.wrapping import guess_arguments

if TYPE_CHECKING:
    from gymkernel import Env
    from gymkernel_tool_check.checks import Report


class Recorded(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A wrapper without arguments that records itself in specs."""

    def __init__(self, env: Any) -> None:
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)


# --- GK680: the wrapper works


class NeedsField(Recorded):
    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], {"lives": self.env.unwrapped.lives}  # type: ignore[attr-defined]


class CountsFromNothing(Recorded):
    def step(self, action: Any) -> Any:
        self.count += 1
        return super().step(action)

    count: int

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if options is None:
            self.count = 0
        return super().reset(seed=seed, options=options)


class RefusesWhatItCannot(Recorded):
    """A wrapper whose constructor rejects unsuitable environments."""

    def __init__(self, env: Any) -> None:
        if not isinstance(getattr(env.action_space, "low", None), np.ndarray):
            raise TypeError("RefusesWhatItCannot expects an action space with bounds")
        super().__init__(env)
        self.scale = env.action_space.high


# --- GK681: seeds and options


class ForgetsSeed(Recorded):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(options=options)


class ForgetsOptions(Recorded):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(seed=seed)


class AddsOption(Recorded):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(seed=seed, options={**(options or {}), "mine": True})


# --- GK682: the wrapper's own spaces


class Scaled(ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """A wrapper that multiplies observations by ten."""

    def __init__(self, env: Any) -> None:
        RecordConstructorArgs.__init__(self)
        ObservationWrapper.__init__(self, env)
        if not isinstance(getattr(env.observation_space, "low", None), np.ndarray):
            raise TypeError("Scaled expects bounds")
        self.declare()

    def declare(self) -> None:
        space = self.env.observation_space
        self.observation_space = Box(
            10 * space.low.min(),  # type: ignore[attr-defined]
            10 * space.high.max(),  # type: ignore[attr-defined]
            space.low.shape,  # type: ignore[attr-defined]
            np.float64,
        )

    def observation(self, observation: Any) -> Any:
        return np.asarray(observation, np.float64) * 10


class ForgetsSpace(Scaled):
    def declare(self) -> None:
        pass


class RewardIsArray(RewardWrapper[Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any) -> None:
        RecordConstructorArgs.__init__(self)
        RewardWrapper.__init__(self, env)

    def reward(self, reward: Any) -> Any:
        return np.array([reward])


class OldStep(Recorded):
    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated or truncated, info


# --- GK683: actions


class Shifted(ActionWrapper[Any, Any, Any], RecordConstructorArgs):
    """A wrapper with an additional action that it does not translate."""

    def __init__(self, env: Any) -> None:
        RecordConstructorArgs.__init__(self)
        if not hasattr(env.action_space, "n"):
            raise TypeError("Shifted expects choices")
        ActionWrapper.__init__(self, env)
        self.action_space = Discrete(env.action_space.n + 1)

    def action(self, action: Any) -> Any:
        return action


class Doubled(Shifted):
    def action(self, action: Any) -> Any:
        return 2 * action


class Mapped(Shifted):
    def action(self, action: Any) -> Any:
        return min(action, self.action_space.n - 2)  # type: ignore[attr-defined]


# --- GK684, GK685: the wrapped environment


class HidesGenerator(Recorded):
    np_random = np.random.default_rng(0)


class ForgetsRenderMode(Recorded):
    render_mode = None


class SaysAnotherMode(Recorded):
    render_mode = "human"


class RendersItself(Recorded):
    """A wrapper that renders the wrapped environment."""

    metadata: Any = {"render_modes": ["rgb_array", "human"], "render_fps": 30}  # noqa: RUF012 - declared as in the base class
    render_mode = "human"

    def render(self) -> Any:
        self.env.render()


class ClosesAlone(Recorded):
    def close(self) -> None:
        pass


class ClosesOnce(Recorded):
    log: Any = ()

    def close(self) -> None:
        del self.log
        super().close()

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.log = []


# --- GK686: arguments


class RecordsNothing(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any, factor: int) -> None:
        RecordConstructorArgs.__init__(self)
        Wrapper.__init__(self, env)
        self.factor = factor


class RecordsAnother(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any, factor: int) -> None:
        RecordConstructorArgs.__init__(self, factor=factor + 1)
        Wrapper.__init__(self, env)


class RecordsDefault(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A wrapper that always records the default value of its argument."""

    def __init__(self, env: Any, bonus: float = 2.0) -> None:
        RecordConstructorArgs.__init__(self, bonus=2.0)
        Wrapper.__init__(self, env)
        self.bonus = bonus


class RecordsSwapped(RewardWrapper[Any, Any], RecordConstructorArgs):
    """A wrapper that records two arguments under each other's names."""

    def __init__(self, env: Any, low: str = "0", high: str = "1") -> None:
        RecordConstructorArgs.__init__(self, low=high, high=low)
        RewardWrapper.__init__(self, env)
        self.low, self.high = float(low), float(high)

    def reward(self, reward: Any) -> Any:
        return max(self.low, float(reward)) - self.high


class RecordsOtherName(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A wrapper with two arguments for the same value, of which it records one."""

    def __init__(self, env: Any, length: int = 3, size: int | None = None) -> None:
        RecordConstructorArgs.__init__(self, size=length if size is None else size)
        Wrapper.__init__(self, env)


class RecordsFactor(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any, factor: int) -> None:
        RecordConstructorArgs.__init__(self, factor=factor)
        Wrapper.__init__(self, env)


# --- GK687: values that the wrapper must not modify


class ClipsInPlace(Recorded):
    def step(self, action: Any) -> Any:
        if isinstance(action, np.ndarray) and action.shape:
            np.multiply(action, 0.5, out=action)
        return super().step(action)


class CentresInPlace(Recorded):
    def step(self, action: Any) -> Any:
        returned = super().step(action)
        if isinstance(returned[0], np.ndarray):
            returned[0][...] = returned[0][::-1]
        return returned


class KeepsOneArray(Recorded):
    last: Any = None

    def step(self, action: Any) -> Any:
        observation, *rest = super().step(action)
        if isinstance(observation, np.ndarray):
            self.last = np.zeros_like(observation) if self.last is None else self.last
            self.last[...] = observation
            observation = self.last
        return (observation, *rest)


class TakesOption(Recorded):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if options:
            level = options.pop("level")
            return self.env.reset(seed=seed, options={"level": level})
        return self.env.reset(seed=seed, options=options)


class WritesIntoInfo(Recorded):
    """A wrapper that adds a key to the info, which is allowed."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        info["scaled"] = True
        return observation, reward, terminated, truncated, info


# --- GK688, GK689


class HoldsLambda(Recorded):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.filter = lambda observation: observation


class LosesCount(Recorded):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.count = 0

    def step(self, action: Any) -> Any:
        self.count += 1
        observation, _, *rest = super().step(action)
        return (observation, float(self.count), *rest)

    def __getstate__(self) -> Any:
        return {**self.__dict__, "count": 0}


class NoisyReward(Recorded):
    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return (observation, float(reward) + random.random(), *rest)  # noqa: S311


class UnseededNoise(Recorded):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.noise = np.random.default_rng()

    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return (observation, float(reward) + self.noise.normal(), *rest)


class SeededNoise(Recorded):
    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return (observation, float(reward) + self.np_random.normal(), *rest)


class RunningMean(Recorded):
    """A wrapper that computes statistics over several episodes."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.rewards: deque[float] = deque(maxlen=100)

    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        self.rewards.append(float(reward))
        return (observation, float(reward) - float(np.mean(self.rewards)), *rest)


class NeedsMotor(Wrapper[Any, Any, Any, Any]):
    """A wrapper for environments that are not among the checker's test environments."""

    def __init__(self, env: Any) -> None:
        if not hasattr(env, "motor"):
            raise TypeError("expected an environment with a motor")
        super().__init__(env)


class WithSpecimens(Recorded):
    """A wrapper that defines `test_instances`, which returns instances for the checker to test."""

    def __init__(self, env: Any, plan: Any) -> None:
        super().__init__(env)
        RecordConstructorArgs.__init__(self, plan=plan)
        self.plan = plan

    @classmethod
    def test_instances(cls, env: Env[Any, Any]) -> Any:
        yield NeedsNothing(env)


class NeedsNothing(Recorded):
    pass


# --- vector wrappers


class VectorForgetsSeed(VectorWrapper[Any, Any, Any, Any, Any]):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(options=options)


class VectorForgetsSpace(VectorObservationWrapper[Any, Any, Any, Any]):
    def observations(self, observations: Any) -> Any:
        return [observations]


class VectorMeanReward(VectorRewardWrapper[Any, Any, Any]):
    def rewards(self, rewards: Any) -> Any:
        return rewards.mean()


class VectorDoubles(VectorActionWrapper[Any, Any, Any, Any]):
    def actions(self, actions: Any) -> Any:
        return actions * 3


class VectorOtherNumber(VectorWrapper[Any, Any, Any, Any, Any]):
    num_envs = 1


class VectorClosesAlone(VectorWrapper[Any, Any, Any, Any, Any]):
    def close(self, **kwargs: Any) -> None:
        pass


class VectorScalesInPlace(VectorWrapper[Any, Any, Any, Any, Any]):
    def step(self, actions: Any) -> Any:
        if actions.dtype.kind == "f":
            actions *= 0.5
        return self.env.step(actions)


class VectorNoise(VectorRewardWrapper[Any, Any, Any]):
    def rewards(self, rewards: Any) -> Any:
        return rewards + np.random.rand()  # noqa: NPY002


class VectorNeedsField(VectorWrapper[Any, Any, Any, Any, Any]):
    count: int

    def step(self, actions: Any) -> Any:
        self.count += 1
        return self.env.step(actions)


class VectorActsByColumns(VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector wrapper that does not support discrete actions."""

    def step(self, actions: Any) -> Any:
        self.first = actions[:, 0].copy()
        return self.env.step(actions)


class VectorForgetsOptions(VectorWrapper[Any, Any, Any, Any, Any]):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(seed=seed)


class VectorCountsFromOne(VectorActionWrapper[Any, Any, Any, Any]):
    def actions(self, actions: Any) -> Any:
        return actions + 1


class VectorLosesMode(VectorWrapper[Any, Any, Any, Any, Any]):
    metadata: Any = {"render_modes": []}  # noqa: RUF012 - declared as in the base class


class VectorClosesOnce(VectorWrapper[Any, Any, Any, Any, Any]):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.log: list[Any] = []

    def close(self, **kwargs: Any) -> None:
        del self.log
        super().close(**kwargs)


class VectorKeepsOneArray(VectorWrapper[Any, Any, Any, Any, Any]):
    last: Any = None

    def step(self, actions: Any) -> Any:
        observations, *rest = self.env.step(actions)
        if isinstance(observations, np.ndarray):
            self.last = np.zeros_like(observations) if self.last is None else self.last
            self.last[...] = observations
            observations = self.last
        return (observations, *rest)


class VectorUnseededNoise(VectorRewardWrapper[Any, Any, Any]):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.noise = np.random.default_rng()

    def rewards(self, rewards: Any) -> Any:
        return rewards + self.noise.normal(size=rewards.shape)


class VectorCopies(VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector wrapper that halves actions without modifying them in place, and adds an option."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return self.env.reset(seed=seed, options={**(options or {}), "mine": True})

    def step(self, actions: Any) -> Any:
        return self.env.step(actions / 2 if actions.dtype.kind == "f" else actions)


class VectorScaled(VectorRewardWrapper[Any, Any, Any]):
    def rewards(self, rewards: Any) -> Any:
        return rewards / 2


BROKEN: dict[str, list[Any]] = {
    "GK670": [VectorNeedsField, VectorActsByColumns],
    "GK671": [VectorForgetsSeed, VectorForgetsOptions],
    "GK672": [VectorForgetsSpace, VectorMeanReward],
    "GK673": [VectorDoubles, VectorCountsFromOne],
    "GK674": [VectorOtherNumber, VectorLosesMode],
    "GK675": [VectorClosesAlone, VectorClosesOnce],
    "GK677": [VectorScalesInPlace, VectorKeepsOneArray],
    "GK679": [VectorNoise, VectorUnseededNoise],
    "GK680": [NeedsField, CountsFromNothing],
    "GK681": [ForgetsSeed, ForgetsOptions],
    "GK682": [ForgetsSpace, RewardIsArray, OldStep],
    "GK683": [Shifted, Doubled],
    "GK684": [HidesGenerator, ForgetsRenderMode, SaysAnotherMode],
    "GK685": [ClosesAlone, ClosesOnce],
    "GK686": [RecordsNothing, RecordsAnother, RecordsDefault, RecordsSwapped],
    "GK687": [ClipsInPlace, CentresInPlace, KeepsOneArray, TakesOption],
    "GK688": [HoldsLambda, LosesCount],
    "GK689": [NoisyReward, UnseededNoise],
}
LEGAL: list[Any] = [
    RefusesWhatItCannot,
    AddsOption,
    Scaled,
    Mapped,
    RecordsFactor,
    RecordsOtherName,
    WritesIntoInfo,
    SeededNoise,
]
LEGAL += [
    RunningMean,
    NeedsMotor,
    WithSpecimens,
    NeedsNothing,
    RendersItself,
    VectorScaled,
    VectorCopies,
    VectorWrapper,
]
CASES = [pytest.param(code, cls, id=f"{code}-{cls.__name__}") for code, several in BROKEN.items() for cls in several]


@functools.cache
def checked(cls: Any) -> Report:
    return check(cls)


@pytest.mark.parametrize("code, cls", CASES)
def test_rule_reports_the_defect(code: str, cls: Any) -> None:
    assert {finding.code for finding in checked(cls).findings} == {code}, list(map(str, checked(cls).findings))


@pytest.mark.parametrize("code, cls", CASES)
def test_program_of_a_finding_shows_the_defect(code: str, cls: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(cls).findings:
        try:
            exec(compile(finding.reproducer, "reproducer", "exec"), {cls.__name__: cls})  # noqa: S102
        except Exception as exc:  # noqa: BLE001 - the failure message contains the exception
            assert type(exc).__name__ in finding.message  # noqa: PT017
        else:
            assert capsys.readouterr().out


@pytest.mark.parametrize("cls", LEGAL)
def test_legal_targets_have_no_findings(cls: Any) -> None:
    assert not checked(cls).findings, list(map(str, checked(cls).findings))


def test_inapplicable_wrapper_is_skipped_with_a_reason() -> None:
    reason = checked(NeedsMotor).skipped["GK682"]
    assert "expected an environment with a motor" in reason
    assert "test_instances(env)" in reason


class Factor(Recorded):
    def __init__(self, env: Any, factor: float) -> None:
        super().__init__(env)
        self.factor = factor


class InheritsItsConstructor(Factor):
    pass


@pytest.mark.parametrize("wrapper", [Factor, InheritsItsConstructor])
def test_required_arguments_are_guessed(wrapper: type[Factor]) -> None:
    assert guess_arguments(wrapper, ProbeEnv()) == {"factor": 0.5}
