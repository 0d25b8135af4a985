"""Test the classes that inherit from both libraries with unusual subclasses and rarely used features of Python."""

from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
from abc import ABC, ABCMeta, abstractmethod
from textwrap import dedent
from typing import Any, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints, runtime_checkable

import gymnasium as typed_gymnasium
import numpy as np
import pytest
from gymnasium.vector import utils as batched

import gymkernel as typed_gymkernel
from gymkernel import error, plugins

gymnasium: Any = typed_gymnasium
gymkernel: Any = typed_gymkernel
T = TypeVar("T")
CONTRACTS = ("Env", "Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper", "Space")
VECTOR_CONTRACTS = ("VectorEnv", "VectorWrapper")
ARGUMENTS = {"Env": 2, "Wrapper": 4, "ObservationWrapper": 3, "ActionWrapper": 3, "RewardWrapper": 2, "Space": 1}


def bases(name: str) -> tuple[Any, Any]:
    """Return the classes with a given name from both libraries."""
    home = "vector" if name in VECTOR_CONTRACTS else "__name__"
    if home == "vector":
        return getattr(gymkernel.vector, name), getattr(gymnasium.vector, name)
    return getattr(gymkernel, name), getattr(gymnasium, name)


def single_spaces() -> list[Any]:
    """Return a small space of each installed kind."""
    classes = [plugins.get("spaces", name) for name in plugins.names("spaces")]
    return [
        pytest.param(next(iter(cls.test_instances())), id=cls.__name__)
        for cls in classes
        if issubclass(cls, gymkernel.Space)
    ]


@pytest.mark.parametrize("name", [*CONTRACTS, *VECTOR_CONTRACTS])
class TestUsersBases:
    """Test that a user's class with unusual bases belongs to both libraries."""

    def test_abstract_base_class_works(self, name: str) -> None:
        ours, theirs = bases(name)

        class Template(ours, ABC):  # type: ignore[misc,valid-type]
            @abstractmethod
            def plan(self) -> int: ...

        class Real(Template):
            def plan(self) -> int:
                return 1

        with pytest.raises(TypeError, match="abstract"):
            Template()
        assert isinstance(object.__new__(Real), theirs)
        assert isinstance(object.__new__(Real), Template)
        assert not isinstance(3, Template)

    def test_protocol_base_works(self, name: str) -> None:
        ours, theirs = bases(name)

        @runtime_checkable
        class Plans(Protocol):
            def plan(self) -> int: ...

        class Real(ours, Plans):  # type: ignore[misc,valid-type]
            def plan(self) -> int:
                return 1

        assert issubclass(Real, theirs)
        assert isinstance(object.__new__(Real), Plans)

    def test_foreign_metaclass_works(self, name: str) -> None:
        ours, theirs = bases(name)

        class Registered(ABCMeta):
            names: list[str] = []  # noqa: RUF012

            def __init__(cls, new: str, parents: Any, body: Any) -> None:
                super().__init__(new, parents, body)
                Registered.names.append(new)

        class Real(ours, metaclass=Registered):  # type: ignore[misc,valid-type]
            pass

        assert issubclass(Real, theirs)
        assert Registered.names == ["Real"]
        assert type(ours) in (type, ABCMeta)

    def test_generic_parameters_work(self, name: str) -> None:
        ours, theirs = bases(name)

        class Mine(ours, Generic[T]):  # type: ignore[misc,valid-type]
            def seen(self, value: T) -> T:
                return value

        class Known(Mine[int]):
            pass

        assert issubclass(Known, theirs)
        assert get_type_hints(Mine.seen)["value"] is T
        if name in ARGUMENTS:
            subscripted = ours[tuple([int] * ARGUMENTS[name])]
            assert get_origin(subscripted) is ours
            assert get_args(subscripted) == (int,) * ARGUMENTS[name]

    def test_mixin_with_slots_and_arguments_works(self, name: str) -> None:
        ours, theirs = bases(name)

        class Slotted:
            __slots__ = ()

        class Counted:
            def __init_subclass__(cls, *, count: int = 0, **kwargs: Any) -> None:
                super().__init_subclass__(**kwargs)
                cls.count = count  # type: ignore[attr-defined]

        class Real(Counted, Slotted, ours, count=3):  # type: ignore[misc,valid-type]
            pass

        assert issubclass(Real, theirs)
        assert Real.count == 3


class TestWhatIsNot:
    @pytest.mark.parametrize("thing", [3, "Box", None, np.zeros(2), object, gymkernel, Generic])
    @pytest.mark.parametrize("name", ["Box", "Discrete", "Dict", "Tuple", "Graph", "Space"])
    def test_other_objects_are_not_spaces(self, thing: Any, name: str) -> None:
        assert not isinstance(thing, getattr(gymnasium.spaces, name))
        assert not isinstance(thing, getattr(gymkernel.spaces, name))

    @pytest.mark.parametrize("name", [*CONTRACTS, *VECTOR_CONTRACTS])
    def test_gymnasiums_classes_are_not_changed(self, name: str) -> None:
        ours, theirs = bases(name)

        assert not issubclass(theirs, ours)
        assert type(theirs) is type or type(theirs) is ABCMeta
        assert "gymkernel" not in "".join(cls.__module__ for cls in theirs.__mro__)

    def test_step_calls_our_method(self) -> None:
        env = gymkernel.make("gymnasium/CartPole-v1")

        assert inspect.getmodule(type(env).step).__name__.startswith("gymkernel")  # type: ignore[union-attr]
        assert type(gymkernel.Env) in (type, ABCMeta)


class TestExactClasses:
    """Test two tables in Gymnasium that are searched only for a space's exact class, not for its base classes."""

    @pytest.mark.parametrize("space", single_spaces())
    def test_each_class_is_registered_in_its_tables(self, space: Any) -> None:
        assert type(space) in batched.iterate.registry
        assert type(space) in batched.batch_differing_spaces.registry

    @pytest.mark.parametrize("space", single_spaces())
    def test_gymnasium_tuple_iterates_over_our_spaces(self, space: Any) -> None:
        pair = gymnasium.spaces.Tuple([gymkernel.spaces.Discrete(2), space], seed=1)
        batch = batched.batch_space(pair, 3)

        assert len(list(batched.iterate(batch, batch.sample()))) == 3

    def test_third_party_registration_handles_what_ours_rejects(self, monkeypatch: pytest.MonkeyPatch) -> None:
        space, known = gymkernel.spaces.Discrete(3), dict(batched.iterate.registry)
        with pytest.raises(TypeError, match="Cannot iterate"):
            batched.iterate(space, np.array([1, 2]))
        known[gymnasium.spaces.Discrete] = lambda _space, items: iter(items)
        known[gymnasium.spaces.Discrete].__module__ = "supersuit"
        monkeypatch.setattr(batched.iterate, "registry", known)

        assert list(batched.iterate(space, np.array([1, 2]))) == [1, 2]

    def test_differing_observation_spaces(self) -> None:
        spaces = [gymkernel.spaces.Discrete(2), gymkernel.spaces.Discrete(3)]

        assert batched.batch_differing_spaces(spaces) == gymkernel.spaces.MultiDiscrete([2, 3])


# The base class of `DeprecatedWrapper`, ImportError, cannot be changed in Python. Nothing raises this error.
ERRORS = {name for name, _ in inspect.getmembers(gymnasium.error, inspect.isclass)} - {"DeprecatedWrapper"}


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_every_error_is_caught_and_pickled(name: str) -> None:
    ours, theirs = getattr(error, name), getattr(gymnasium.error, name)
    calls = name in {"AlreadyPendingCallError", "NoAsyncCallError"}  # neither library can pickle this object

    with pytest.raises(theirs, match="why"):
        raise ours("why", "step") if calls else ours("why")
    assert calls or type(pickle.loads(pickle.dumps(ours("why")))) is ours


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_gymnasium_errors_are_caught_as_gymkernels(name: str) -> None:
    ours, theirs = getattr(error, name), getattr(gymnasium.error, name)
    calls = name in {"AlreadyPendingCallError", "NoAsyncCallError"}

    with pytest.raises(ours, match=r"^why$") as caught:
        raise theirs("why", name="step") if calls else theirs("why")

    assert isinstance(caught.value, theirs)
    assert caught.value.args == ("why",)
    assert not calls or caught.value.name == "step"


def test_errors_of_gymnasium_functions_are_caught_as_gymkernels() -> None:
    with pytest.raises(error.NameNotFound):
        gymnasium.make("Nowhere-v0")
    with pytest.raises(error.ResetNeeded):
        gymnasium.make("CartPole-v1").step(0)
    with pytest.raises(error.Error):
        raise gymnasium.error.Error  # the constructor is not called


def test_third_party_errors_are_caught_as_gymkernels() -> None:
    class Noting:
        def __init_subclass__(cls, note: str = "", **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            cls.note = note  # type: ignore[attr-defined]

    class OutOfMovesError(gymnasium.error.InvalidAction, ValueError, Noting, note="kept"):  # type: ignore[misc]
        def __init__(self, move: int, *, limit: int) -> None:
            super().__init__(f"{move} of {limit}")
            self.limit = limit

    with pytest.raises(error.InvalidAction, match="7 of 5") as caught:
        raise OutOfMovesError(7, limit=5)

    assert type(caught.value) is OutOfMovesError
    assert isinstance(caught.value, (gymnasium.error.Error, ValueError))
    assert (OutOfMovesError.note, caught.value.limit) == ("kept", 5)


@pytest.mark.parametrize("other", [ValueError, OSError, KeyError, ImportError, SystemExit])
def test_third_party_errors_keep_their_other_base(other: Any) -> None:
    class FailedError(gymnasium.error.ResetNeeded, other):  # type: ignore[misc]
        pass

    with pytest.raises(gymnasium.error.ResetNeeded) as caught:
        raise FailedError(2, "disk")

    assert isinstance(caught.value, (FailedError, other))
    assert isinstance(caught.value, error.ResetNeeded)
    assert caught.value.args == (2, "disk")


@pytest.mark.slow
@pytest.mark.parametrize("cls", ["gymkernel.Env", "gymkernel.Wrapper", "gymkernel.Space", "gymkernel.spaces.Box"])
def test_subclasses_before_and_after_the_import_are_alike(cls: str) -> None:
    program = f"""
        import gymkernel, abc, typing
        def classes(base):
            class Plain(base): pass
            class Deep(Plain): pass
            class Abstract(base, abc.ABC): pass
            class Meta(base, metaclass=type("M", (abc.ABCMeta,), {{}})): pass
            class Made(base, typing.Generic[typing.TypeVar("T")]): pass
            return [Plain, Deep, Abstract, Meta, Made]
        before = classes({cls})
        assert not any(issubclass(each, int) for each in before)  # an abstract class keeps its answers
        import gymnasium
        after = classes({cls})
        names = [[one.__module__ + one.__qualname__ for one in each.__mro__] for each in before + after]
        theirs = {cls.replace("gymkernel", "gymnasium")}
        print(names[:5] == names[5:], all(issubclass(each, theirs) for each in before + after))
    """
    command = [sys.executable, "-W", "error", "-c", dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=dict(os.environ))

    assert done.stdout.split() == ["True", "True"], done.stderr
