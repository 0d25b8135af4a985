"""Tests that objects from other APIs are recognised by their attributes and that no other objects are."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env, Space, Wrapper
from gymkernel.vector import VectorEnv
from gymkernel_util_compatibility.other_apis import (
    explain_env,
    explain_kind,
    explain_result,
    explain_space,
    is_vector_env,
    require_env,
    returns_four_values,
)


class OwnBox(NamedTuple):
    low: Any
    high: Any
    shape: Any
    dtype: Any


class TimeStep(NamedTuple):
    step_type: Any
    reward: Any
    discount: Any
    observation: Any


class Plain:
    """An environment with gymkernel's API but without a base class."""

    observation_space: Any = None
    action_space: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 0, {}

    def step(self, action: Any) -> Any:
        return 0, 1.0, False, False, {}


class Parallel(Plain):
    possible_agents = ("a", "b")

    def observation_space(self, agent: str) -> Any:
        return Space()


class ParallelOfOldPettingZoo(Parallel):
    agents = ("a", "b")


class Sequential(Parallel):
    def agent_iter(self, max_iter: int = 9) -> Any:
        return iter("ab")

    def last(self, observe: bool = True) -> Any:
        return 0, 0.0, False, False, {}


class DeepMind:
    def observation_spec(self) -> Any: ...

    def action_spec(self) -> Any: ...

    def reset(self) -> Any:
        return TimeStep(0, None, None, 0)

    def step(self, action: Any) -> Any:
        return TimeStep(1, 0.0, 1.0, 0)


class Pool(DeepMind):
    config: Any = ()

    def async_reset(self) -> None: ...

    def recv(self) -> Any: ...


class CallableSpace(Plain):
    def action_space(self, agent: str) -> Any:
        return Space()


class OwnSpaces(Plain):
    observation_space = OwnBox(0, 255, (2,), "uint8")


class FourValues(Plain):
    def step(self, action: Any) -> Any:
        if action:
            return 0, 1.0, True, {}
        return 1, 0.0, False, {"more": 1}


class SeededByMethod(Plain):
    def seed(self, seed: int | None = None) -> None: ...

    def reset(self) -> Any:  # type: ignore[override]
        return 0


class OldEnv:
    """A class with the module and name of OpenAI Gym's base class."""

    def seed(self, seed: int | None = None) -> None: ...


OldEnv.__module__, OldEnv.__qualname__ = "gym.core", "Env"


class OfOldGym(OldEnv, Plain):
    def reset(self, **kwargs: Any) -> Any:
        return 0


class GymVector(Plain):
    """A class with the module of OpenAI Gym's base class of vector environments."""


GymVector.__module__ = "gym.vector.vector_env"


FOREIGN = [
    (GymVector, "an OpenAI Gym vector environment", "gymkernel-bridge-gym"),
    (Parallel, "a PettingZoo parallel environment", "gymkernel-bridge-pettingzoo"),
    (ParallelOfOldPettingZoo, "a PettingZoo parallel environment", "gymkernel-bridge-pettingzoo"),
    (Sequential, "a PettingZoo AEC environment", "gymkernel-bridge-pettingzoo"),
    (DeepMind, "a dm_env environment", "gymkernel-bridge-dm-env"),
    (Pool, "an EnvPool pool", "gymkernel-bridge-envpool"),
    (CallableSpace, "whose action_space is a method", "gymkernel-bridge-pettingzoo"),
    (OwnSpaces, "whose observation_space is not a space but a ", "gymkernel-bridge-gym"),
    (
        FourValues,
        "an environment with Gym's API from before version 0.26, whose step returns four values",
        "EnvCompatibility",
    ),
    (
        SeededByMethod,
        "an environment with Gym's API from before version 0.26, whose seed is set by its method",
        "EnvCompatibility",
    ),
    (OfOldGym, "an OpenAI Gym environment from before version 0.26", "gymkernel-bridge-gym"),
]
foreign = pytest.mark.parametrize("cls,what,remedy", FOREIGN, ids=[case[0].__name__ for case in FOREIGN])


@foreign
def test_foreign_object_error_names_api_and_converter(cls: Any, what: str, remedy: str) -> None:
    explained = explain_env(cls())

    assert explained.startswith(what)
    assert remedy in explained


@foreign
def test_error_starts_with_the_expectation_and_names_the_class(cls: Any, what: str, remedy: str) -> None:
    with pytest.raises(TypeError, match=rf"^TimeLimit expects an environment, got [\w.]*{cls.__name__}, {what}"):
        require_env(cls(), "TimeLimit expects an environment")


@pytest.mark.parametrize("cls", [FourValues, SeededByMethod, OfOldGym])
def test_old_environment_is_accepted_if_four_values_are_expected(cls: Any) -> None:
    require_env(cls(), "EnvCompatibility expects an environment", four_values=True)


@pytest.mark.parametrize("cls", [Parallel, Sequential, DeepMind, Pool, GymVector, CallableSpace, OwnSpaces])
def test_other_objects_are_rejected_if_four_values_are_expected(cls: Any) -> None:
    with pytest.raises(TypeError, match="EnvCompatibility expects an environment, got"):
        require_env(cls(), "EnvCompatibility expects an environment", four_values=True)


def test_old_environment_with_foreign_spaces_needs_the_bridge() -> None:
    class Crafter(OwnSpaces):
        def step(self, action: Any) -> Any:
            return 0, 1.0, False, {}

    assert "whose step returns four values" in explain_env(Crafter())
    assert "gymkernel.utils.gym.from_gym" in explain_env(Crafter())


class GymSpace(Space[Any]):
    """A space with the module of OpenAI Gym's base class."""


GymSpace.__module__ = "gym.spaces.space"


class NewEnv(Plain):
    """A class with the module and name of OpenAI Gym's base class in version 0.26, which has no method `seed`."""


NewEnv.__module__, NewEnv.__qualname__ = "gym.core", "Env"


class FourValuesOfGym26(NewEnv):
    """An environment whose base class is that of gym 0.26 but whose `step` returns four values, as in crafter."""

    def step(self, action: Any) -> Any:
        return 0, 1.0, False, {}


class SeededByMethodWithGymSpaces(SeededByMethod):
    action_space = GymSpace()


class FourValuesWithGymSpaces(FourValues):
    observation_space = GymSpace()


@pytest.mark.parametrize("cls", [FourValuesOfGym26, FourValuesWithGymSpaces, SeededByMethodWithGymSpaces])
def test_old_environment_with_gym_spaces_or_base_class_needs_the_bridge(cls: Any) -> None:
    explained = explain_env(cls())

    assert explained.startswith("an environment with Gym's API from before version 0.26")
    assert "gymkernel.utils.gym.from_gym" in explained
    assert "EnvCompatibility" not in explained


def test_result_with_four_values_names_the_bridge_for_gym_spaces() -> None:
    assert "if the environment has OpenAI Gym spaces, use gymkernel.utils.gym.from_gym" in explain_result(
        (0, 1, True, {})
    )


class WithAgents(Plain):
    """An environment whose attribute names also exist in other APIs."""

    agents = possible_agents = ("a", "b")
    config = last = state = 1


class Forwarding:
    """An object that has every attribute."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: Space()


class Unready(Plain):
    @property
    def observation_space(self) -> Any:
        raise RuntimeError("not before the first reset")


class BothApis(Plain):
    """An environment whose steps return four or five values, as in gym 0.25."""

    new = True

    def step(self, action: Any) -> Any:
        if self.new:
            return 0, 1.0, False, False, {}
        return 0, 1.0, False, {}


class NoSeed(Plain):
    def reset(self) -> Any:  # type: ignore[override]
        return 0, {}


class WithSpecs(Plain):
    """An environment with gymkernel's API that also has the methods of dm_env."""

    observation_space = Space()

    def observation_spec(self) -> Any: ...

    def action_spec(self) -> Any: ...


LEGAL = [Plain, WithAgents, Forwarding, MagicMock, Unready, BothApis, NoSeed, WithSpecs, Env, lambda: Wrapper(Env())]


@pytest.mark.parametrize("make", LEGAL, ids=lambda make: getattr(make, "__name__", "?"))
def test_current_environment_is_accepted(make: Any) -> None:
    assert explain_env(make()) == ""
    require_env(make(), "Expected")


@pytest.mark.parametrize("thing", [None, 3, "CartPole-v1", {}, [], object(), Plain, dict], ids=range(8))
def test_non_environment_is_not_judged(thing: Any) -> None:
    require_env(thing, "Expected")


def test_gymkernel_environment_with_four_values_is_rejected() -> None:
    class Ported(Env[Any, Any]):
        def step(self, action: Any) -> Any:
            return 0, 1.0, False, {}

    assert explain_env(Ported()).startswith("whose step returns four values")
    assert explain_env(Ported(), four_values=True) == ""


def test_pool_that_is_a_vector_environment_is_accepted() -> None:
    class OfGymnasium(Pool, VectorEnv):  # type: ignore[misc]
        pass

    assert explain_kind(OfGymnasium()) == ""
    assert is_vector_env(OfGymnasium())
    assert not is_vector_env(Plain())


@given(st.lists(st.integers(2, 6), min_size=1, max_size=4), st.booleans())
def test_returns_four_values_requires_it_in_every_branch(sizes: list[int], constant: bool) -> None:
    value = "0" if constant else "action"
    returns = [f"    if action == {i}: return {', '.join([value] * n)}" for i, n in enumerate(sizes[:-1])]
    source = "\n".join(["def step(action):", *returns, f"    return {', '.join([value] * sizes[-1])}"])
    scope: dict[str, Any] = {}
    exec(source, scope)  # noqa: S102 - the test itself creates the source code

    assert returns_four_values(scope["step"]) == (set(sizes) == {4})


@functools.wraps(FourValues.step)
def decorated(*args: Any) -> Any:
    return FourValues.step(*args)


@pytest.mark.parametrize("function", [None, 3, len, dict.get, functools.partial(min, 1), decorated], ids=range(6))
def test_function_without_source_is_not_judged(function: Any) -> None:
    assert not returns_four_values(function)


@pytest.mark.parametrize(
    "result,text",
    [
        ((0, 1.0, False, {}), "the four values of Gym's API from before version 0.26"),
        ([0, 1.0, False, {}], "the four values of Gym's API from before version 0.26"),
        (TimeStep(0, 0.0, 1.0, 0), "a TimeStep"),
    ],
    ids=["tuple", "list", "TimeStep"],
)
def test_step_result_of_another_api_is_recognized(result: Any, text: str) -> None:
    assert text in explain_result(result)


@pytest.mark.parametrize("result", [None, 0, (), (0, {}), (0,) * 5, "four", MagicMock()], ids=range(7))
def test_other_step_results_are_not_recognized(result: Any) -> None:
    assert explain_result(result) == ""


def test_openai_gym_space_error_names_the_converter() -> None:
    root = type("Space", (), {"__module__": "gym.spaces.space"})
    box = type("Box", (root,), {"__module__": "gym.spaces.box"})

    assert "gymkernel.utils.gym.from_gym" in explain_space(box())
    assert explain_space(Space()) == explain_space(None) == explain_space(OwnBox(0, 1, (), int)) == ""
