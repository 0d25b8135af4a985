"""Tests of GK65x and GK66x: the rules report vector backends that break them, but not similar correct backends."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import ops
from gymkernel.error import ClosedEnvironmentError
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.checks import Report


pytestmark = pytest.mark.slow  # each test creates many environments or processes


class Loop(VectorEnv[Any, Any, Any]):
    """A minimal vector backend. Every other backend in this module differs from it in one respect."""

    def __init__(self, env_fns: Any, autoreset_mode: Any = AutoresetMode.NEXT_STEP) -> None:
        self.loop = ReferenceVectorEnv(env_fns, AutoresetMode(autoreset_mode))
        self.num_envs = len(self.loop.envs)
        self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode)}
        self.single_observation_space = self.loop.single
        self.single_action_space = self.loop.envs[0].action_space
        self.observation_space = ops.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = self.loop.actions

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        self.check()
        return self.loop.reset(seed, options)

    def step(self, actions: Any) -> Any:
        self.check()
        return self.loop.step(actions)

    def check(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("it is closed")

    def call(self, name: str, *arguments: Any) -> Any:
        return tuple(getattr(env, name)(*arguments) for env in self.loop.envs)

    def get_attr(self, name: str) -> Any:
        return tuple(getattr(env, name) for env in self.loop.envs)

    def set_attr(self, name: str, values: Any) -> None:
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        for env, value in zip(self.loop.envs, each, strict=True):
            setattr(env, name, value)

    def close_extras(self, **keywords: Any) -> None:
        for env in self.loop.envs:
            env.close()


def mode(self: Any) -> Any:
    return self.metadata["autoreset_mode"]


class TakesNumber(Loop):
    def __init__(self, env_fns: Any, num_envs: int, autoreset_mode: Any) -> None:
        super().__init__(env_fns)


class TakesNoMode(Loop):
    def __init__(self, env_fns: Any) -> None:
        super().__init__(env_fns)


class SingleSpaces(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        self.observation_space = self.single_observation_space


class NoMode(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        self.metadata = {}


class OldStep(Loop):
    def step(self, actions: Any) -> Any:
        observations, rewards, ends, cuts, infos = super().step(actions)
        return observations, rewards, ends | cuts, infos


class ArraysOnly(Loop):
    def step(self, actions: Any) -> Any:
        return super().step(actions[:, :2])


class ForgetsToReset(Loop):
    def step(self, actions: Any) -> Any:
        if mode(self) is AutoresetMode.NEXT_STEP:
            self.loop.done = [False] * self.num_envs
        return super().step(actions)


class NarrowRewards(Loop):
    def step(self, actions: Any) -> Any:
        observations, rewards, *rest = super().step(actions)
        return (observations, rewards.astype(np.float32), *rest)


class Shuffled(Loop):
    def step(self, actions: Any) -> Any:
        observations, *rest = super().step(actions)
        return (observations[::-1] if isinstance(observations, np.ndarray) else observations, *rest)


class KeepsNoFinal(Loop):
    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        hidden = ("final_obs", "_final_obs")
        return (*rest, {key: value for key, value in infos.items() if key not in hidden})


class SameIsNext(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        if self.loop.mode is AutoresetMode.SAME_STEP:
            self.loop.mode = AutoresetMode.NEXT_STEP


class IgnoresMask(Loop):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        self.check()
        return self.loop.reset(seed, {k: v for k, v in (options or {}).items() if k != "reset_mask"} or None)


class ResetsAnyway(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        if self.loop.mode is AutoresetMode.DISABLED:
            self.loop.mode = AutoresetMode.SAME_STEP


class OneSeed(Loop):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(
            seed=[seed] * self.num_envs if isinstance(seed, int) and seed != 11 else seed, options=options
        )


class CutsSeeds(Loop):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        if isinstance(seed, list):
            seed = (seed * self.num_envs)[: self.num_envs]
        return super().reset(seed=seed, options=options)


class ListOfInfos(Loop):
    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        return (*rest, {**infos, "number": list(infos.get("number", ()))})


class NoMasks(Loop):
    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        return (*rest, {key: value for key, value in infos.items() if not key.startswith("_odd")})


class OneBuffer(Loop):
    buffer: Any = None

    def keep(self, observations: Any) -> Any:
        if not isinstance(observations, np.ndarray):
            return observations
        self.buffer = observations.copy() if self.buffer is None else self.buffer
        self.buffer[...] = observations
        return self.buffer

    def step(self, actions: Any) -> Any:
        observations, *rest = super().step(actions)
        return (self.keep(observations), *rest)


class OneBufferForAll(OneBuffer):
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        observations, infos = super().reset(seed=seed, options=options)
        return self.keep(observations), infos


class ClosesOnce(Loop):
    def close(self, **keywords: Any) -> None:
        if not self.loop.envs:
            raise RuntimeError("nothing is open")
        self.close_extras()
        self.loop.envs.clear()
        self.closed = True


class NeverClosed(Loop):
    def check(self) -> None:
        pass


class LeavesEnvs(Loop):
    def close_extras(self, **keywords: Any) -> None:
        pass


class LeavesLast(Loop):
    def close_extras(self, **keywords: Any) -> None:
        for env in self.loop.envs[:-1]:
            env.close()


class HidesErrors(Loop):
    def step(self, actions: Any) -> Any:
        self.check()
        try:
            return super().step(actions)
        except ArithmeticError:
            raise RuntimeError("a worker failed") from None


class SwallowsErrors(Loop):
    def step(self, actions: Any) -> Any:
        try:
            return super().step(actions)
        except ArithmeticError:
            n = self.num_envs
            return self.loop._batch(), np.zeros(n), np.zeros(n, np.bool_), np.ones(n, np.bool_), {}


class NoAttributes(Loop):
    get_attr: Any = None


class SetsAllToOne(Loop):
    def set_attr(self, name: str, values: Any) -> None:
        for env in self.loop.envs:
            setattr(env, name, values)


class LeavesPipe(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        self.pipe = os.pipe()


OVER = threading.Event()
"""An event that is set at the end, for which the threads in these tests wait."""


@pytest.fixture(autouse=True, scope="module")
def _threads_end() -> Iterator[None]:
    yield
    OVER.set()


class LeavesThread(Loop):
    def __init__(self, env_fns: Any, autoreset_mode: Any = "NextStep") -> None:
        super().__init__(env_fns, autoreset_mode)
        threading.Thread(target=OVER.wait, daemon=True, name="worker").start()


class ClipsInPlace(Loop):
    def step(self, actions: Any) -> Any:
        returned = super().step(actions)
        if actions.dtype.kind == "f":
            np.clip(actions, -0.1, 0.1, out=actions)
        return returned


class ClearsInPlace(Loop):
    def step(self, actions: Any) -> Any:
        returned = super().step(actions)
        actions[:] = 0
        return returned


class ClosesPipe(LeavesPipe):
    def close_extras(self, **keywords: Any) -> None:
        super().close_extras()
        for item in self.pipe:
            os.close(item)


class ListOfArrays(Loop):
    """A vector backend whose `get_attr` and `call` return lists."""

    def get_attr(self, name: str) -> Any:
        return list(super().get_attr(name))


class WrapsErrors(Loop):
    def step(self, actions: Any) -> Any:
        try:
            return super().step(actions)
        except ArithmeticError as exc:
            raise RuntimeError("environment 2 failed") from exc


class Swarm(VectorEnv[Any, Any, Any]):
    """A vector environment with its own simulation, which is not a backend for other environments."""

    def __init__(self, num_envs: int = 3) -> None:
        self.num_envs = num_envs


BROKEN: dict[str, list[Any]] = {
    "GK650": [TakesNumber, TakesNoMode],
    "GK651": [SingleSpaces, NoMode],
    "GK652": [OldStep, ArraysOnly],
    "GK653": [ForgetsToReset, NarrowRewards, Shuffled],
    "GK654": [KeepsNoFinal, SameIsNext],
    "GK655": [IgnoresMask, ResetsAnyway],
    "GK656": [OneSeed, CutsSeeds],
    "GK657": [ListOfInfos, NoMasks],
    "GK658": [OneBuffer, OneBufferForAll],
    "GK659": [ClosesOnce, NeverClosed],
    "GK660": [HidesErrors, SwallowsErrors],
    "GK661": [NoAttributes, SetsAllToOne],
    "GK662": [LeavesPipe, LeavesThread],
    "GK663": [ClipsInPlace, ClearsInPlace],
    "GK664": [LeavesEnvs, LeavesLast],
}
LEGAL = [Loop, ClosesPipe, ListOfArrays, WrapsErrors, Swarm]
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
            assert type(exc).__name__ in finding.message or code == "GK660"  # noqa: PT017
        else:
            assert capsys.readouterr().out


@pytest.mark.parametrize("cls", LEGAL)
def test_legal_targets_have_no_findings(cls: Any) -> None:
    assert not checked(cls).findings, list(map(str, checked(cls).findings))


def test_non_backend_is_skipped_with_a_reason() -> None:
    assert "the first argument is not env_fns" in checked(Swarm).skipped["GK653"]


def test_finding_shows_the_place_and_the_values() -> None:
    message = checked(NarrowRewards).findings[0].message
    assert message == "at step 1, in the rewards, it should be float64 (3,), but is float32 (3,)"
    assert "final_obs" in checked(KeepsNoFinal).findings[0].message
