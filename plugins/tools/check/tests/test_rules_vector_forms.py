"""Tests of GK676: the rule reports only vector wrappers that behave differently from the single-environment wrapper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

pytest.importorskip("gymkernel_util_wrappers", reason="the bases of vector forms come with it")

from gymkernel import ActionWrapper, ObservationWrapper, RewardWrapper
from gymkernel.error import UnsupportedMode
from gymkernel.vector import (
    AutoresetMode,
    VectorizedActionWrapper,
    VectorizedObservationWrapper,
    VectorizedRewardWrapper,
    VectorObservationWrapper,
    VectorRewardWrapper,
)
from gymkernel.vector.utils import batch_axes
from gymkernel_space_box import Box
from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from gymkernel_tool_check.findings import Finding


class Smooth(ObservationWrapper[Any, Any, Any]):
    """A wrapper that returns the mean of an episode's observations so far."""

    batched = True

    def __init__(self, env: Any, share: float = 0.5) -> None:
        if env.observation_space.shape is None:
            raise TypeError("Smooth expects observations that are arrays")
        super().__init__(env)
        self.share, axes = share, batch_axes(env)
        self.mean = np.zeros(axes + env.observation_space.shape)
        self.is_new = np.ones(axes, np.bool_)
        low, high = getattr(env.observation_space, "low", 0), getattr(env.observation_space, "high", 5)
        self.observation_space = Box(np.min(low), np.max(high), env.observation_space.shape, np.float64)

    def on_reset(self, where: Any = ...) -> None:
        self.is_new[where] = True

    def observation(self, observation: Any, where: Any = ...) -> Any:
        seen = np.asarray(observation, np.float64)
        later = self.share * self.mean + (1 - self.share) * seen
        is_new = self.is_new.reshape(self.is_new.shape + (1,) * (seen.ndim - self.is_new.ndim))
        self.mean[where] = np.where(is_new, seen, later)[where]
        self.is_new[where] = False
        return self.mean.copy()


class BeginIgnoresWhere(Smooth):
    def on_reset(self, where: Any = ...) -> None:
        super().on_reset()


class ObservationIgnoresWhere(Smooth):
    def observation(self, observation: Any, where: Any = ...) -> Any:
        return super().observation(observation)


class EachAlone(Smooth):
    """A variant of `Smooth` with `batched = False`, so that each environment gets its own wrapper."""

    batched = False


class VectorSmooth(VectorizedObservationWrapper[Any, Any, Any, Any]):
    single = Smooth


class VectorBeginIgnoresWhere(VectorizedObservationWrapper[Any, Any, Any, Any]):
    single = BeginIgnoresWhere


class VectorObservationIgnoresWhere(VectorizedObservationWrapper[Any, Any, Any, Any]):
    single = ObservationIgnoresWhere


class VectorEachAlone(VectorizedObservationWrapper[Any, Any, Any, Any]):
    single = EachAlone


class ChangesNothing(VectorSmooth):
    def observations(self, observations: Any, where: Any = ...) -> Any:
        return np.asarray(observations, np.float64)


class ForgetsFinal(VectorSmooth):
    """A vector wrapper that does not wrap the final observation of an episode in SAME_STEP mode."""

    def step(self, actions: Any) -> Any:
        results = super().step(actions)
        if "final_obs" in results[4]:
            final = [None if item is None else np.zeros_like(item) for item in results[4]["final_obs"]]
            results[4]["final_obs"][:] = final
        return results


class OtherSpace(VectorSmooth):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.single_observation_space = env.single_observation_space
        self.observation_space = env.observation_space


class Bonus(RewardWrapper[Any, Any]):
    batched = True

    def reward(self, reward: Any) -> Any:
        return reward + 1.0


class VectorBonus(VectorizedRewardWrapper[Any, Any, Any]):
    single = Bonus


class PaysForResets(VectorRewardWrapper[Any, Any, Any]):
    """A vector wrapper that, in NEXT_STEP mode, also adds its bonus to the step that resets an environment."""

    single: ClassVar[Any] = Bonus

    def rewards(self, rewards: Any) -> Any:
        return rewards + 1.0


class Delayed(ActionWrapper[Any, Any, Any]):
    """A wrapper that delays each action by one step, except for the first action of an episode."""

    last: Any = None

    def on_reset(self, where: Any = ...) -> None:
        self.last = None

    def action(self, action: Any) -> Any:
        now, self.last = (action if self.last is None else self.last), action
        return now


class VectorDelayed(VectorizedActionWrapper[Any, Any, Any, Any]):
    single = Delayed


class NotUnderSameStep(VectorObservationWrapper[Any, Any, Any, Any]):
    """A handwritten vector wrapper that raises an exception in modes that it does not support."""

    single: ClassVar[Any] = EachAlone

    def __init__(self, env: Any) -> None:
        if env.metadata["autoreset_mode"] is not AutoresetMode.NEXT_STEP:
            raise UnsupportedMode("it is for NEXT_STEP")
        super().__init__(env)
        self._form = VectorSmooth(env)
        self.single_observation_space = self._form.single_observation_space
        self.observation_space = self._form.observation_space

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self._form.reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        return self._form.step(actions)


class PooledOnPurpose(ChangesNothing):
    gymkernel_expected_failures: ClassVar = {"GK676": "smooths the mean of all environments"}


BROKEN: dict[str, list[Any]] = {
    "GK676": [
        VectorBeginIgnoresWhere,
        VectorObservationIgnoresWhere,
        ChangesNothing,
        ForgetsFinal,
        OtherSpace,
        PaysForResets,
    ],
}
LEGAL = [VectorSmooth, VectorEachAlone, VectorBonus, VectorDelayed, NotUnderSameStep, PooledOnPurpose]
QUICK = [VectorSmooth, ChangesNothing, ForgetsFinal]
"""The wrappers for which the tests always run. The tests of the other wrappers are marked as slow."""


def marked(classes: list[Any]) -> list[Any]:
    return [pytest.param(class_, marks=() if class_ in QUICK else pytest.mark.slow) for class_ in classes]


def findings(cls: Any) -> list[Finding]:
    return check(cls, select=["GK676"]).findings


@pytest.mark.parametrize("cls", marked(BROKEN["GK676"]))
def test_differing_vector_form_is_reported(cls: Any) -> None:
    (finding,) = findings(cls)

    assert finding.code == "GK676"
    assert finding.file == __file__


@pytest.mark.parametrize("cls", marked(LEGAL))
def test_equal_vector_form_has_no_findings(cls: Any) -> None:
    report = check(cls, select=["GK676"])

    assert not report.findings, list(map(str, report.findings))
    assert "GK676" not in report.skipped


@pytest.mark.slow
@pytest.mark.parametrize("cls", BROKEN["GK676"])
def test_program_prints_the_difference_of_both_forms(cls: Any) -> None:
    shown: list[Any] = []
    (finding,) = findings(cls)
    names = {cls.__name__: cls, "print": lambda *values, sep: shown.append(values[-2:])}
    exec(compile(finding.reproducer, "reproducer", "exec"), names)  # noqa: S102

    differ = [repr(several) != repr(single) for several, single in shown]
    assert any(differ) or cls is OtherSpace


def test_wrapper_without_a_single_form_is_skipped_with_a_reason() -> None:
    class Alone(VectorRewardWrapper[Any, Any, Any]):
        pass

    assert "no single-environment wrapper Alone" in check(Alone).skipped["GK676"]
