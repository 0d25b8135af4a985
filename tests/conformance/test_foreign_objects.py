"""Test that gymkernel rejects other APIs' objects with a message that names the object and its converter."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.cases import every_case
from tests.conformance.foreign_objects import KINDS, PLACES, wrappers

import gymkernel as gym
from gymkernel import Env, ops
from gymkernel.spaces import Box, Dict, Discrete, Tuple
from gymkernel.utils.env_checker import check_env
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel.wrappers import EnvCompatibility, StepAPICompatibility

if TYPE_CHECKING:
    from collections.abc import Callable

WRAPPERS = wrappers()
each_kind = pytest.mark.parametrize("kind", KINDS)


def refused(enter: Callable[[Callable[[], Any]], Any], kind: str) -> str:
    make, remedy = KINDS[kind]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the test checks only the message
        enter(make)
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert make.__name__ in text
    assert remedy in text
    return text


@each_kind
@pytest.mark.parametrize(
    "place", [pytest.param(name, marks=pytest.mark.slow) if name == "AsyncVectorEnv" else name for name in PLACES]
)
def test_every_function_rejects_every_foreign_kind(place: str, kind: str) -> None:
    refused(PLACES[place], kind)


@each_kind
def test_every_wrapper_rejects_every_foreign_kind(kind: str) -> None:
    with every_case() as case:
        for wrapper, enter in WRAPPERS.items():
            with case(wrapper):
                assert "expects an environment, got " in refused(enter, kind)


@each_kind
def test_vector_wrapper_rejects_every_foreign_kind(kind: str) -> None:
    text = refused(lambda make: gym.wrappers.vector.RecordEpisodeStatistics(make()), kind)

    assert text.startswith("RecordEpisodeStatistics expects a vector environment, got ")


@pytest.mark.parametrize("wrapper", [EnvCompatibility, StepAPICompatibility])
@pytest.mark.parametrize("kind", ["parallel", "AEC", "dm_env", "EnvPool"])
def test_four_value_converters_reject_objects_without_results(wrapper: Any, kind: str) -> None:
    refused(lambda make: wrapper(make()), kind)


@pytest.mark.parametrize("kind,converter", [("old gym", EnvCompatibility), ("four values", StepAPICompatibility)])
def test_named_converter_converts_the_object(kind: str, converter: Any) -> None:
    assert converter.__name__ in refused(PLACES["make"], kind)

    env = gym.wrappers.TimeLimit(converter(KINDS[kind][0]()), 5)

    assert env.reset(seed=1) == (0, {})
    assert env.step(0) == (0, 1.0, False, False, {})


@each_kind
def test_checker_names_the_foreign_kind(kind: str) -> None:
    make, remedy = KINDS[kind]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the test checks only the message
        check_env(make())

    if kind in {"parallel", "AEC", "dm_env"}:
        assert remedy in str(caught.value)


class Unseen(Env[Any, Any]):
    """An environment whose `step` returns four values, which cannot be noticed before `step` is called."""

    observation_space = action_space = Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> Any:
        result: Any = 0, 1.0, False, {}
        return result


@pytest.mark.parametrize("vector", [SyncVectorEnv, pytest.param(AsyncVectorEnv, marks=pytest.mark.slow)])
def test_four_values_are_named_at_the_first_step(vector: Any) -> None:
    envs = vector([Unseen] * 2)
    envs.reset(seed=1)
    with pytest.raises(
        Exception, match=r"got 4 values: these are the four values of Gym's API from before version 0.26.*EnvCompat"
    ):
        envs.step(envs.action_space.sample())
    envs.close(**({"terminate": True} if vector is AsyncVectorEnv else {}))


def test_passive_checker_names_four_values_at_the_first_step() -> None:
    env = gym.wrappers.PassiveEnvChecker(Unseen())
    env.reset(seed=1)
    with pytest.raises(
        TypeError, match=r"got 4 values: these are the four values of Gym's API from before version 0.26.*EnvCompat"
    ):
        env.step(0)


class GymSpace:
    """The base class of the spaces of OpenAI Gym."""

    def sample(self) -> int:
        return 0

    def contains(self, x: Any) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None  # type: ignore[assignment]


GymSpace.__module__ = "gym.spaces.space"


class GymBox(GymSpace):
    """A space of OpenAI Gym."""


class Unknown:
    """A space of an unknown library."""

    sample, contains = GymSpace.sample, GymSpace.contains


class Gym26(Unseen):
    """An environment that returns five values but has OpenAI Gym's spaces."""

    observation_space: Any = GymBox()
    action_space: Any = GymBox()

    def step(self, action: Any) -> Any:
        return 0, 1.0, False, False, {}


@pytest.mark.parametrize("vector", [SyncVectorEnv, pytest.param(AsyncVectorEnv, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", ["same", "different"])
def test_gym_vector_environment_error_names_the_converter(vector: Any, mode: str) -> None:
    with pytest.raises(NotImplementedError, match=r"OpenAI Gym space.* gymkernel.utils.gym.from_gym") as caught:
        vector([Gym26] * 2, observation_mode=mode)

    assert "pip install gymkernel-space" not in str(caught.value)


class GymnasiumSpace:
    """The base class of the spaces of Gymnasium."""

    sample, contains = GymSpace.sample, GymSpace.contains


GymnasiumSpace.__module__ = "gymnasium.spaces.space"


class OfGymnasium(Gym26):
    """An environment with Gymnasium's spaces."""

    observation_space = action_space = GymnasiumSpace()


@pytest.mark.parametrize("installed", [True, False])
def test_gymnasium_space_error_names_the_bridge_unless_it_is_installed(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = SimpleNamespace(providers=lambda kind, name: ["the bridge"] if installed else [])
    monkeypatch.setattr("gymkernel_util_vector.spaces.plugins", stub)
    with pytest.raises(NotImplementedError, match="batch_space is not defined for GymnasiumSpace") as caught:
        SyncVectorEnv([OfGymnasium] * 2)

    assert ("pip install gymkernel-bridge-gymnasium" in str(caught.value)) is not installed


def test_gym_environment_with_five_values_is_stepped() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.TimeLimit(Gym26(), 1))
    env.reset(seed=1)

    assert env.step(0)[4]["episode"]["l"] == 1


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "flatten": (0,),
    "unflatten": (0,),
    "batch_space": (2,),
    "is_space_dtype_shape_equiv": (Unknown(),),
}


AROUND: dict[str, Callable[[Any], Any]] = {
    "alone": lambda x: x,
    "Tuple": lambda x: Tuple([x]),
    "Dict": lambda x: Dict(a=x),
}


def message_of(operation: str, space: Any) -> str:
    """Return the message of the error of an operation, or an empty string if there is no error."""
    try:
        ops.OPERATIONS[operation](
            [space] if operation == "batch_differing_spaces" else space, *ARGUMENTS.get(operation, ())
        )
    except Exception as exc:  # noqa: BLE001 - operations raise errors of different classes
        return str(exc)
    return ""


def test_errors_never_name_installed_packages() -> None:
    """Call each operation with a space class from a package that gymkernel does not know."""
    with every_case() as case:
        for operation, cls, around in itertools.product(ops.OPERATIONS, (Unknown, GymBox), AROUND):
            with case(f"{operation}, {cls.__name__}, {around}"):
                assert "pip install gymkernel-space" not in message_of(operation, AROUND[around](cls()))


@pytest.mark.parametrize("operation", ["flatten_space", "batch_space", "batch_differing_spaces"])
def test_unknown_class_is_called_unknown(operation: str) -> None:
    space = Unknown()
    with pytest.raises(NotImplementedError, match=rf"Unknown, an unknown class of .*: convert .*{operation}.register"):
        ops.OPERATIONS[operation]([space] if operation == "batch_differing_spaces" else space)


def test_gymkernel_spaces_are_not_affected() -> None:
    assert ops.batch_space(Box(0, 1, (2,)), 3).shape == (3, 2)
