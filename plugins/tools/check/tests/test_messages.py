"""Tests that a message between processes is the same after it has been encoded and decoded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel_tool_check import events
from gymkernel_tool_check.definition import Group, Hang, Moment
from gymkernel_tool_check.events import CauseFound, Facts, HangSeen, ModeEntered, ProbeEntered
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.process import messages
from gymkernel_tool_check.targets import Target

if TYPE_CHECKING:
    from gymkernel_tool_check.events import Message

FINDING = Finding("GK401", "error", "expected 1, got 2", "maze.py", 3, "step", 123, 1, 4, "env = Maze()\nenv.reset()")
HANG = Hang("step", 1, 4)
GROUP = Group("probe", ("GK401", "GK402"), is_first=True)
SAID: list[Message] = [
    events.Found({"kind": "envs", "name": "Maze-v0"}),
    events.Made({"class": "maze:Maze", "wrappers": ["TimeLimit"], "line": None}),
    events.Planned(({"code": "GK401", "title": "so it is"},)),
    events.Declared({"GK401": "it is old"}),
    events.RuleBegan("GK401"),
    events.RuleDone("GK401", "", (FINDING,), 0.25, (FINDING, FINDING), "it is old"),
    events.RuleDone("GK402", "there is no space"),
    events.RuleCrashed(FINDING),
    events.Died(FINDING),
    events.At(Moment("step", 123, 1, 4)),
    events.Tried({"the constructor": 1, "step": 40}),
    events.Measured({"steps_per_second": 1e5}),
    events.CutShort(3),
    events.Failed("there is no such module"),
    messages.ParentSignalled("SIGTERM", Moment("step", 123, 1, 4), (("maze.py", 4),)),
    messages.Request(
        Target("maze.py:Maze", "file"), Options(select=("GK4",), make_kwargs={"size": [1]}), "/folder", copies=True
    ),
    messages.Order(GROUP, 3.0, known=Facts("GK501", HANG, {}, {"probe": "hangs"}, True), seconds=2.5),
    messages.Ready(copies=True, groups=(GROUP,), recipe="env = Maze()"),
    messages.GroupBegan(17),
    ProbeEntered("probe", typical=True),
    CauseFound("GK501"),
    ModeEntered("human"),
    HangSeen(HANG),
    messages.ProcessExited("ended the process: sys.exit(0)", (("maze.py", 3), ("base.py", 4))),
    messages.GroupDone(),
    messages.GroupExited(-9),
]


@pytest.mark.parametrize("message", SAID, ids=[f"{i}-{type(item).__name__}" for i, item in enumerate(SAID)])
def test_messages_survive_a_round_trip(message: Message) -> None:
    line = messages.encode(message)

    assert messages.decode(line) == message
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1


def test_every_message_class_is_tested() -> None:
    assert {type(message).__name__ for message in SAID} == messages.MESSAGE_TYPES.keys() - {"Event"}


def test_unserializable_values_are_sent_as_repr() -> None:
    strange: dict[str, Any] = {"class": object, "arrays": {1}}

    assert messages.decode(messages.encode(events.Made(strange))) == events.Made(
        {"class": repr(object), "arrays": "{1}"}
    )


@pytest.mark.parametrize("moment", [Moment("the import"), Moment("reset", 2**40, 1, 0), Moment("close", 7)])
def test_places_survive_a_round_trip(moment: Moment) -> None:
    place = messages.Place(12, 2.5, moment)

    assert messages.Place.decode(place.encode().ljust(256) + b"older\n") == place


@pytest.mark.parametrize("data", [b"", b"7|20", b"7|20.0|step|12", b"\xff\xfe|1|2"])
def test_partial_place_is_the_beginning(data: bytes) -> None:
    assert messages.Place.decode(data).timeout in {math.inf, 20.0}
