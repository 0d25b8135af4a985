"""Tests that wrappers record their constructor arguments for the spec and that recording never fails."""

from __future__ import annotations

import copy
import functools
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, ObservationWrapper, Wrapper, make
from gymkernel.envs.registration import EnvSpec
from gymkernel.utils import RecordConstructorArgs
from gymkernel.vector import VectorEnv, VectorWrapper


class Walk(Env[Any, Any]):
    def __init__(self) -> None:
        self.spec = EnvSpec("Walk-v0", f"{__name__}:Walk", order_enforce=False, disable_env_checker=True)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return 0, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {}


class Plain(Wrapper[Any, Any, Any, Any]):
    """A wrapper that does not record its arguments."""

    def __init__(self, env: Any, first: Any, second: Any = 2, *, third: Any = None, **more: Any) -> None:
        super().__init__(env)


class Explicit(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any, factor: Any) -> None:
        RecordConstructorArgs.__init__(self, factor=float(factor))
        Wrapper.__init__(self, env)


class ExplicitFirst(RecordConstructorArgs, ObservationWrapper[Any, Any, Any]):
    """A wrapper whose first base class is `RecordConstructorArgs`, as in programs for Gymnasium."""

    def __init__(self, env: Any, factor: Any) -> None:
        RecordConstructorArgs.__init__(self, factor=float(factor))
        ObservationWrapper.__init__(self, env)


class Derived(Explicit):
    def __init__(self, env: Any, factor: Any) -> None:
        RecordConstructorArgs.__init__(self, factor=-factor)
        super().__init__(env, factor)


def recorded(wrapper: Any) -> Any:
    (last,) = wrapper.spec.additional_wrappers
    return last.kwargs


def test_arguments_are_recorded_by_name_with_defaults() -> None:
    assert recorded(Plain(Walk(), 1)) == {"first": 1, "second": 2, "third": None}
    assert recorded(Plain(Walk(), 1, 3, third=4, fourth=5)) == {"first": 1, "second": 3, "third": 4, "fourth": 5}
    assert recorded(Plain(env=Walk(), first=1)) == {"first": 1, "second": 2, "third": None}


def test_arguments_keep_the_order_of_the_constructor() -> None:
    assert list(recorded(Plain(Walk(), third=3, second=2, first=1))) == ["first", "second", "third"]


def test_make_recreates_the_wrapper() -> None:
    env: Any = Plain(Walk(), first="a", fourth=[1])

    again = make(env.spec)

    assert isinstance(again, Plain)
    assert again.spec == env.spec
    assert make(EnvSpec.from_json(env.spec.to_json())).spec == env.spec


def test_wrapper_without_constructor_records_no_arguments() -> None:
    assert recorded(Wrapper(Walk())) == {}


@pytest.mark.parametrize("cls", [Explicit, ExplicitFirst])
def test_arguments_recorded_by_the_wrapper_itself_win(cls: Any) -> None:
    assert recorded(cls(Walk(), 3)) == {"factor": 3.0}
    assert type(recorded(cls(Walk(), 3))["factor"]) is float


def test_wrapper_can_record_arguments_without_the_mixin() -> None:
    class Borrowing(Wrapper[Any, Any, Any, Any]):
        def __init__(self, env: Any, factor: Any) -> None:
            RecordConstructorArgs.__init__(self, factor=float(factor))  # type: ignore[arg-type]
            super().__init__(env)

    assert type(recorded(Borrowing(Walk(), 3))["factor"]) is float


def test_first_record_in_the_mro_wins() -> None:
    assert recorded(Derived(Walk(), 3)) == {"factor": -3}


def test_containers_and_arrays_are_copied() -> None:
    given: dict[str, Any] = {"list": [0, [1]], "dict": {"a": [1]}, "set": {1}, "array": np.zeros(2), "of": (1, [2])}
    env = Plain(Walk(), given)

    given["list"][1].append(2)
    given["dict"]["a"].append(2)
    given["set"].add(2)
    given["array"][0] = 1
    given["of"][1].append(3)

    kept = recorded(env)["first"]
    assert kept["list"] == [0, [1]]
    assert (kept["dict"], kept["set"], kept["of"]) == ({"a": [1]}, {1}, (1, [2]))
    assert kept["array"].tolist() == [0, 0]


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    "first",
    [
        object(),
        threading.Lock(),
        print,
        lambda: 0,
        int,
        [object()],
        {"a": print},
        np.array([None]),
        np.negative,
        ENDLESS,
    ],
    ids=["object", "lock", "builtin", "lambda", "class", "list", "dict", "array", "ufunc", "endless"],
)
def test_arguments_that_are_not_data_are_not_copied(first: Any) -> None:
    env = Plain(Walk(), first)

    assert recorded(env) is None
    assert EnvSpec.from_json(env.spec.to_json()).additional_wrappers[0].kwargs is None  # type: ignore[union-attr]


def test_recording_never_raises() -> None:
    class Nowhere(type):
        """A metaclass for classes that have no `__module__`."""

        @property
        def __module__(cls) -> str:  # type: ignore[override]
            raise AttributeError("__module__")

    class Foreign(metaclass=Nowhere): ...

    class Unsigned:
        """A callable that has no signature and cannot be hashed."""

        __hash__ = None  # type: ignore[assignment]

        def __get__(self, wrapper: Any, owner: Any) -> Any:
            return self if wrapper is None else lambda env, *args: setattr(wrapper, "env", env)

    class Bare(Wrapper[Any, Any, Any, Any]):
        def __init__() -> None: ...  # type: ignore[misc]

    class Odd(Wrapper[Any, Any, Any, Any]):
        __init__ = Unsigned()

    assert recorded(Plain(Walk(), Foreign())) is None
    assert recorded(Odd(Walk(), 1)) is None
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        Bare(Walk())  # type: ignore[call-arg]


def test_argument_names_of_a_decorated_constructor_are_found() -> None:
    def logged(init: Any) -> Any:
        @functools.wraps(init)
        def inner(*args: Any, **kwargs: Any) -> None:
            init(*args, **kwargs)

        return inner

    class Decorated(Wrapper[Any, Any, Any, Any]):
        @logged
        def __init__(self, env: Any, factor: int) -> None:
            super().__init__(env)

    assert recorded(Decorated(Walk(), 3)) == {"factor": 3}


@pytest.mark.parametrize("arguments", [(1,), (1, 2)], ids=["one", "two"])
def test_arguments_without_names_are_not_recorded(arguments: tuple[int, ...]) -> None:
    class Passing(Wrapper[Any, Any, Any, Any]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(args[0])

    class ByPosition(Wrapper[Any, Any, Any, Any]):
        def __init__(self, env: Any, first: Any, second: Any = None, /) -> None:
            super().__init__(env)

    class Late(Wrapper[Any, Any, Any, Any]):
        def __new__(cls, *args: Any) -> Any:
            return super().__new__(cls)

        def __init__(self, env: Any, *args: Any) -> None:
            super().__init__(env)

    for cls in (Passing, ByPosition, Late):
        env: Any = cls(Walk(), *arguments)
        assert not hasattr(env, "_saved_kwargs")
        assert recorded(env) is None


def test_environment_argument_can_have_any_name_and_position() -> None:
    class Behind(Wrapper[Any, Any, Any, Any]):
        def __init__(self, factor: int, env: Any) -> None:
            super().__init__(env)

    class Named(Wrapper[Any, Any, Any, Any]):
        def __init__(self, inner: Any, factor: int) -> None:
            super().__init__(inner)

    assert recorded(Behind(factor=3, env=Walk())) == {"factor": 3}
    assert recorded(Behind(3, Walk())) is None
    assert recorded(Named(Walk(), 3)) == recorded(Named(inner=Walk(), factor=3)) == {"factor": 3}


def test_wrapper_that_forwards_attributes_is_recorded() -> None:
    class Forwarding(Wrapper[Any, Any, Any, Any]):
        def __init__(self, env: Any, factor: int) -> None:
            object.__setattr__(self, "env", env)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.env, name)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(self.env, name, value)

    assert Forwarding(Walk(), 3)._saved_kwargs == {"factor": 3}


def test_own_record_must_be_serializable_to_json() -> None:
    class Recording(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
        def __init__(self, env: Any, func: Any) -> None:
            RecordConstructorArgs.__init__(self, func=func)
            Wrapper.__init__(self, env)

    spec = Recording(Walk(), print).spec
    assert spec is not None
    with pytest.raises(ValueError, match="additional_wrappers in the spec of Walk-v0 cannot be written as JSON"):
        spec.to_json()


def test_copies_and_pickles_keep_the_record() -> None:
    env = Plain(Walk(), [1], third="a")
    wanted = {"first": [1], "second": 2, "third": "a"}

    assert recorded(pickle.loads(pickle.dumps(env))) == wanted
    assert recorded(copy.copy(env)) == recorded(copy.deepcopy(env)) == wanted


def test_numpy_numbers_are_recorded_as_python_numbers() -> None:
    env = Plain(Walk(), np.int64(3), np.array(0.5), third=np.array([1, 2]))
    kept = recorded(env)

    assert [type(kept[name]) for name in ("first", "second", "third")] == [int, float, np.ndarray]
    assert (kept["first"], kept["second"]) == (3, 0.5)
    assert recorded(Plain(Walk(), np.bool_(True)))["first"] is True
    assert '"first": 3' in Plain(Walk(), np.int64(3)).spec.to_json()  # type: ignore[union-attr]


def test_vector_wrappers_record_their_arguments() -> None:
    class Scaled(VectorWrapper[Any, Any, Any, Any, Any]):
        def __init__(self, env: Any, factor: int = 2) -> None:
            super().__init__(env)

    assert Scaled(VectorEnv(), 3)._saved_kwargs == {"factor": 3}
