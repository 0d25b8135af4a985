"""Tests that rules do not fail because of objects from other libraries whose attributes raise exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.checks import check
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.checks import Report


def _raise(*_: Any, **__: Any) -> Any:
    raise RuntimeError("this runtime answers no questions")


class WithoutModule(type):
    """A metaclass for classes without `__module__`, such as those that SWIG creates."""

    def __getattribute__(cls, name: str) -> Any:
        if name == "__module__":
            raise AttributeError(name)
        return super().__getattribute__(name)


def no_module() -> Any:
    """Return an instance of a class without `__module__`. The class is local because pytest inspects test modules."""

    class Handle(metaclass=WithoutModule):
        pass

    return Handle()


class Silent:
    """An object whose attributes all raise exceptions, even those that `isinstance` and `vars` read."""

    __getattribute__ = _raise


class Incomparable:
    __eq__ = __ne__ = _raise
    __hash__ = object.__hash__


class Unprintable:
    __repr__ = __str__ = _raise


class Undecided:
    __bool__ = __len__ = _raise


class Uncopyable:
    __deepcopy__ = __reduce_ex__ = _raise


VALUES: list[Callable[[], Any]] = [no_module, Silent, Incomparable, Unprintable, Undecided, Uncopyable]


class Walk(Env[Any, Any]):
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 - declared as in `Env`
    value: Callable[[], Any] = object

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space: Any = Box(-100, 100, (2,), np.float32)
        self.action_space: Any = Discrete(2)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        self.steps = 0
        return self.state.copy(), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        self.state[0] += 0.1 * (2 * int(action) - 1)
        return self.state.copy(), float(self.state[0]), self.steps >= 7, False, {}

    def render(self) -> Any:
        return np.full((8, 8, 3), self.steps, np.uint8)


class AsAttribute(Walk):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.handle = self.value()
        self.handles = [self.value(), {"one": self.value()}]


class InTheClass(Walk):
    shared: Any
    table: Any

    def __init_subclass__(cls) -> None:
        cls.shared, cls.table = cls.value(), {"one": cls.value()}


class InTheInfo(Walk):
    def reset(self, **given: Any) -> Any:
        return super().reset(**given)[0], {"handle": self.value(), "several": [self.value()]}

    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], {"handle": self.value(), "several": [self.value()]}


class AsInfo(Walk):
    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], self.value()


class AsObservation(Walk):
    def step(self, action: Any) -> Any:
        return self.value(), *super().step(action)[1:]


class AsReward(Walk):
    def step(self, action: Any) -> Any:
        observation, _, *rest = super().step(action)
        return observation, self.value(), *rest


class AsFlag(Walk):
    def step(self, action: Any) -> Any:
        observation, reward, _, truncated, info = super().step(action)
        return observation, reward, self.value(), truncated, info


class AsResult(Walk):
    def step(self, action: Any) -> Any:
        return self.value()


class AsSpec(Walk):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.spec = self.value()


class AsMetadata(Walk):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.metadata = {"render_modes": [self.value()], "render_fps": self.value()}


class AsFrame(Walk):
    def render(self) -> Any:
        return self.value()


class AsSpace(Walk):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.observation_space = self.value()


class AsError(Walk):
    def step(self, action: Any) -> Any:
        if self.steps == 3:
            raise ValueError(self.value())
        return super().step(action)


PLACES = [AsAttribute, InTheClass, InTheInfo, AsInfo, AsObservation, AsReward, AsFlag, AsResult, AsSpec, AsMetadata]
PLACES += [AsFrame, AsSpace, AsError]


def foreign(place: type[Walk], value: Callable[[], Any]) -> Report:
    return check(type("Foreign", (place,), {"value": staticmethod(value)}), measure=False, steps=30)


@pytest.mark.slow
@pytest.mark.parametrize("place", [AsAttribute, InTheInfo, AsSpec])
def test_simulator_objects_are_accepted(place: type[Walk]) -> None:
    report = foreign(place, no_module)

    assert [str(failure) for failure in [*report.at_least("error"), *report.checker_failures]] == []


def test_spec_without_an_id_is_accepted() -> None:
    class SpecOfAnotherLibrary:
        def __init__(self) -> None:
            self.config = {"num_envs": 1}

        def make(self) -> Any:
            return Walk()

    report = foreign(AsSpec, SpecOfAnotherLibrary)

    assert [str(failure) for failure in report.checker_failures] == []


@pytest.mark.parametrize("place", [AsAttribute, AsReward])
def test_no_rule_fails_if_every_operation_raises(place: type[Walk]) -> None:
    assert [str(failure) for failure in foreign(place, Silent).checker_failures] == []


@pytest.mark.slow
@pytest.mark.parametrize("value", VALUES, ids=[value.__name__ for value in VALUES])
@pytest.mark.parametrize("place", PLACES)
def test_no_rule_fails_for_any_value(place: type[Walk], value: Callable[[], Any]) -> None:
    assert [str(failure) for failure in foreign(place, value).checker_failures] == []
