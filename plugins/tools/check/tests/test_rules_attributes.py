"""Tests of the rules about attributes that cannot be read, that are replaced, or that are forwarded endlessly."""

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np
import pytest
from walks import Choice, Interval, Walk, run, seen

from gymkernel import Space, Wrapper
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.definition import rule
from gymkernel_tool_check.engine import _outcome
from gymkernel_tool_check.introspect import cause_of, unreadable
from gymkernel_tool_check.loading import subject_of
from gymkernel_tool_check.options import Options

NAMES = ["observation_space", "action_space", "metadata", "render_mode", "spec", "unwrapped", "reward_range"]
NAMES += ["np_random", "np_random_seed"]
ERRORS = [RuntimeError("not connected"), AttributeError("_simulator"), KeyError("mode"), ZeroDivisionError()]


def raising(name: str, error: Exception) -> type[Any]:
    """Create an environment class with an attribute that raises an exception when it is read."""

    def get(self: Any) -> Any:
        raise type(error)(*error.args)

    return type("Raising", (Walk,), {name: property(get, lambda self, value: None)})


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("name", NAMES)
class TestAttributesThatRaise:
    @pytest.mark.slow
    def test_raising_attributes_are_named_without_blaming_a_rule(self, name: str, error: Exception) -> None:
        report = check(raising(name, error), ignore=["GK95"], steps=20, measure=False)

        assert any(f"reading {name} raised {type(error).__name__}" in item for item in seen(report, "GK007"))
        assert not seen(report, "GK005")
        assert {finding.code for finding in report.findings if finding.severity != "info"} <= {"GK007", "GK203"}

    def test_program_of_the_finding_shows_the_error(self, name: str, error: Exception) -> None:
        env = raising(name, error)
        report = check(env, select=["GK007"], steps=20, measure=False)

        assert run(report, "GK007", env) == type(error).__name__

    @pytest.mark.slow
    def test_wrapper_around_the_environment_changes_nothing(self, name: str, error: Exception) -> None:
        env = raising(name, error)
        report = check(lambda: Wrapper(env()), select=["GK007"], steps=20, measure=False)

        assert any(f"reading {name} raised" in item for item in seen(report, "GK007"))


class Late(Walk):
    """An environment whose action space cannot be read during an episode."""

    known: Any = None

    @property
    def action_space(self) -> Any:
        if self.time:
            raise OSError("busy")
        return self.known

    @action_space.setter
    def action_space(self, value: Any) -> None:
        self.known = value


class Early(Walk):
    """An environment whose action space cannot be read before the first episode."""

    ready = False
    known: Any = None

    @property
    def action_space(self) -> Any:
        if not self.ready:
            raise OSError("not reset")
        return self.known

    @action_space.setter
    def action_space(self, value: Any) -> None:
        self.known = value

    def start(self) -> None:
        self.ready = True
        super().start()


class NoNames(Walk):
    """An environment that raises KeyError for unknown attributes."""

    def __getattr__(self, name: str) -> Any:
        return vars(self)[name]


def test_finding_names_the_moment_and_the_exception() -> None:
    late, early, missing = (
        check(env, select=["GK007"], steps=20, measure=False).findings[0].message for env in (Late, Early, NoNames)
    )

    assert late == "reading action_space raised OSError: busy, after the first step"
    assert early == "reading action_space raised OSError: not reset, before the first reset"
    assert missing.startswith("__getattr__ raised KeyError")


def test_missing_attribute_is_not_called_unreadable() -> None:
    class Bare(Walk):
        def prepare(self) -> None:
            del self.action_space

    report = check(Bare, select=["GK007", "GK101"], measure=False)

    assert not seen(report, "GK007")
    assert seen(report, "GK101") == ["action_space is missing after construction"]


@pytest.mark.parametrize("name", NAMES)
def test_rule_that_reads_the_attribute_is_skipped(name: str) -> None:
    env = raising(name, RuntimeError("not connected"))

    @rule("LAB001", "an attribute is read", why="Here.", fix="Nothing.")
    def careless(subject: Any, _: Any) -> Any:
        getattr(subject.first, name)
        yield from ()

    subject = subject_of(env, Options())
    subject.made.append(env())
    events: list[Any] = []

    done = _outcome(careless, subject, events.append)

    assert done.reason == f"reading {name} of the environment raises RuntimeError: not connected (GK007)"
    assert not events


def test_exception_of_a_rule_is_blamed_on_the_rule() -> None:
    env = raising("metadata", RuntimeError("not connected"))()

    assert cause_of(ValueError("a mistake"), env) == ""
    assert cause_of(ValueError("a mistake"), Walk()) == ""
    assert unreadable(Walk()) == {}


@pytest.mark.parametrize("metadata", [None, [], "human", 3, ("render_modes",), set(), dict], ids=range(7))
def test_metadata_of_a_wrong_type_is_an_error(metadata: Any) -> None:
    env = type("Odd", (Walk,), {"metadata": metadata})
    report = check(env, select=["GK80"], steps=20, measure=False)

    assert [finding.code for finding in report.findings] == ["GK801"]
    assert "not a dict" in report.findings[0].message


def test_read_only_metadata_is_accepted() -> None:
    env = type("Constant", (Walk,), {"metadata": types.MappingProxyType({"render_modes": []})})

    assert not check(env, select=["GK80"], steps=20, measure=False).findings


# --- GK103


class Pair(Space[Any]):
    """A space of pairs of elements."""

    def __init__(self, *spaces: Any) -> None:
        super().__init__()
        self.spaces = spaces

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return tuple(space.sample() for space in self.spaces)

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and all(space.contains(part) for space, part in zip(self.spaces, x, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and self.spaces == other.spaces

    __hash__ = None  # type: ignore[assignment]


class Equal(Choice):
    """A space of the integers below n. Two such spaces are equal if they have the same n."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and other.n == self.n

    __hash__ = None  # type: ignore[assignment]


def replacing(name: str, how: str, when: str) -> type[Any]:
    """Create an environment class that replaces one of its spaces."""

    def replace(env: Any) -> None:
        before = getattr(env, name)
        made = Interval(-1000, 1000) if name == "observation_space" else Interval(-1, 1)
        if how == "copied":
            made = copy.deepcopy(before)
        elif how == "passed on":
            made._np_random = before._np_random
        elif how == "seeded":
            made.seed(0)
        setattr(env, name, made)

    class Replacing(Walk):
        count = 0

        def start(self) -> None:
            super().start()
            self.count += 1
            if when == "reset" or (when == "second reset" and self.count % 2 == 0):
                replace(self)

        def act(self, action: Any) -> None:
            super().act(action)
            if when == "step" or (when == "end" and self.terminated()):
                replace(self)

    Replacing.__qualname__ = "Replacing"
    return Replacing


@pytest.mark.parametrize("when", ["reset", "second reset", "step", "end"])
@pytest.mark.parametrize("how", ["new", "seeded", "copied", "passed on"])
@pytest.mark.parametrize("name", ["observation_space", "action_space"])
def test_replaced_space_must_keep_its_generator(name: str, how: str, when: str) -> None:
    env = replacing(name, how, when)
    report = check(env, select=["GK103"], steps=30, measure=False)

    found = seen(report, "GK103")
    if how in {"copied", "passed on"}:
        assert not found
    else:
        assert len(found) == 1
        assert f"replaced {name} with an equal space that has another generator" in found[0]
        assert run(report, "GK103", env) is None


def test_replaced_inner_space_is_named() -> None:
    class Parts(Walk):
        def prepare(self) -> None:
            self.action_space = Pair(Equal(3), Equal(2))

        def start(self) -> None:
            super().start()
            self.action_space.spaces = (self.action_space.spaces[0], Equal(2))

        def act(self, action: Any) -> None:
            super().act(np.asarray(action, np.float64) / 10)

    (found,) = seen(check(Parts, select=["GK103"], steps=30, measure=False), "GK103")

    assert "replaced action_space[1] with" in found


# --- GK901


def forwarding(body: Any, base: type[Any] = Walk, **more: Any) -> type[Any]:
    """Create an environment class with the given `__getattr__`."""

    class Forwarding(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.inside: Any = {"gravity": 9.81}
            self.several = [types.SimpleNamespace()]
            super().__init__()

        __getattr__ = body

    for name, value in {"__qualname__": "Forwarding", **more}.items():
        setattr(Forwarding, name, value)
    return Forwarding


def private(self: Any, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(self.inside, name)


def asks_all(self: Any, name: str) -> Any:
    for item in self.several:
        if hasattr(item, name):
            return getattr(item, name)
    raise AttributeError(name)


ENDLESS: dict[str, Any] = {
    "object": (lambda self, name: getattr(self.inside, name), "inside"),
    "dictionary": (lambda self, name: self.inside[name] if name in self.inside else private(self, "_"), "inside"),
    "several": (asks_all, "several"),
    "itself": (lambda self, name: getattr(self, f"_{name}"), ""),
}


@pytest.mark.parametrize("how", ENDLESS)
@pytest.mark.parametrize("more", [{}, {"__getstate__": lambda self: dict(self.__dict__)}], ids=["plain", "with state"])
def test_endless_getattr_on_an_empty_object_is_reported(how: str, more: dict[str, Any]) -> None:
    body, asked = ENDLESS[how]
    env = forwarding(body, **more)
    if how == "itself":
        env.__getattr__ = lambda self, name: body(self, name) if "inside" not in vars(self) else private(self, name)

    report = check(env, select=["GK901"], steps=30, measure=False)

    (found,) = report.findings
    assert (found.code, found.severity) == ("GK901", "error")
    assert f"__getattr__ of {env.__qualname__} reads {asked}" in found.message
    assert run(report, "GK901", env) == "RecursionError"


@pytest.mark.parametrize(
    "more",
    [
        {"__setstate__": lambda self, state: self.__dict__.update(state)},
        {"__reduce__": lambda self: (type(self), ())},
        {"__getattr__": private},
    ],
    ids=["setstate", "reduce", "private names"],
)
def test_getattr_that_copies_do_not_call_is_accepted(more: dict[str, Any]) -> None:
    env = forwarding(**{"body": ENDLESS["object"][0], **more})

    assert not check(env, select=["GK901"], steps=30, measure=False).findings


def test_endless_getattr_of_a_simulator_is_named() -> None:
    class Simulator:
        def __init__(self) -> None:
            self.engine = object()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.engine, name)

    class Holds(Walk):
        def prepare(self) -> None:
            self.simulator = Simulator()

    (found,) = check(Holds, select=["GK901"], steps=30, measure=False).findings

    assert "Simulator reads engine" in found.message
