"""What the processes of a check say to each other: records, each as a line of JSON; all is written and read here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from gymkernel_tool_check import events
from gymkernel_tool_check.definition import Group, Hang, Moment
from gymkernel_tool_check.facts import Fact, Facts
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.targets import Target

__all__ = ["FAULT_DUMP", "OUTPUT", "PLACE", "ROOM", "GroupBegan", "GroupDone", "GroupExited", "Message", "News"]
__all__ += [
    "Order",
    "ParentSignalled",
    "Place",
    "ProcessExited",
    "Ready",
    "Request",
    "decode",
    "encode",
]

PLACE: Final = "place"
FAULT_DUMP: Final = "fault_dump"
OUTPUT: Final = "output"
"""Files of the folder that is shared: where the process is, where it was when it died, and what it printed."""
ROOM: Final = 256
"""Bytes of the first."""
UNKNOWN: Final = Moment("")


@dataclass(frozen=True, slots=True)
class Request:
    """What the process that gets the target is told at first: what to import, and how it will be checked.

    Attributes:
        target, options: as for the check.
        folder: what both share.
        copies: whether it may copy itself for each group.
    """

    target: Target
    options: Options
    folder: str
    copies: bool


@dataclass(frozen=True, slots=True)
class Order:
    """A group of rules to check, and what is known from those before.

    Attributes:
        group: the rules.
        timeout: seconds that one call into the target may take.
        here: whether to do it in this process, and end with it.
        known: what other processes found out.
        seconds: until the budget of the check is spent.
    """

    group: Group
    timeout: float
    here: bool
    known: Facts
    seconds: float


@dataclass(frozen=True, slots=True)
class Ready:
    """The target is imported.

    Attributes:
        copies: whether each group can have a copy of this process.
        groups: the rules.
        recipe: how the target is made, as Python.
    """

    copies: bool
    groups: tuple[Group, ...]
    recipe: str


@dataclass(frozen=True, slots=True)
class GroupBegan:
    """A group is begun, by this process."""

    pid: int


@dataclass(frozen=True, slots=True)
class ProcessExited:
    """Something ended the process that is no error of a rule or of the target: `sys.exit`, say.

    Attributes:
        how: as in "ended the process: sys.exit(0)".
        frames: files and lines, the innermost first.
    """

    how: str
    frames: tuple[tuple[str, int], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ParentSignalled:
    """A signal to the process that the process with the target was started by, or is a copy of.

    Attributes:
        name: of the signal.
        moment: the call that sends it; without a phase where the signal was received, and by nobody announced.
        frames: files and lines, the innermost first.
    """

    name: str
    moment: Moment = UNKNOWN
    frames: tuple[tuple[str, int], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class GroupDone:
    """The group is done."""


@dataclass(frozen=True, slots=True)
class GroupExited:
    """The copy that did the group has ended, with this status."""

    status: int


News = Ready | GroupBegan | Fact | ProcessExited | ParentSignalled | GroupDone | GroupExited | events.Event
"""What the process that has the target says to the one that watches it."""
Message = Request | Order | News


MESSAGE_TYPES: Final[dict[str, type[Any]]] = {
    cls.__name__: cls for cls in cast("tuple[type[Any], ...]", Message.__args__)
}


def _findings(several: list[dict[str, Any]]) -> tuple[Finding, ...]:
    return tuple(Finding(**one) for one in several)


def _group(given: tuple[str, list[str], bool]) -> Group:
    name, codes, is_first = given
    return Group(name, tuple(codes), is_first)


def _options(given: dict[str, Any]) -> Options:
    tuples: dict[str, Any] = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Options(**{**given, **tuples})


PARTS: Final[dict[str, Callable[[Any], Any]]] = {
    "expected": _findings,
    "finding": lambda given: Finding(**given),
    "findings": _findings,
    "frames": lambda given: tuple((str(file), int(line)) for file, line in given),
    "group": _group,
    "groups": lambda given: tuple(map(_group, given)),
    "hang": lambda given: Hang(*given),
    "known": lambda given: Facts(**{**given, "stuck": given["stuck"] and Hang(*given["stuck"])}),
    "moment": lambda given: Moment(*given),
    "options": _options,
    "rules": tuple,
    "target": lambda given: Target(**given),
}
"""What makes a field of what JSON has for it, by its name; the other fields are plain data."""


def encode(message: Message) -> bytes:
    """Write a message as one line; a value that JSON has no form for is written as its `repr`."""
    parts = {one.name: getattr(message, one.name) for one in fields(message)}
    return json.dumps([type(message).__name__, parts], default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else repr(value)


def decode(line: bytes | str) -> Message:
    """Read the message of a line.

    >>> decode(encode(HangSeen(Hang("step", 1, 4))))
    HangSeen(hang=Hang(phase='step', episode=1, step=4))
    """
    name, parts = json.loads(line)
    read = {part: PARTS[part](value) if part in PARTS else value for part, value in parts.items()}
    made: Message = MESSAGE_TYPES[name](**read)
    return made


class Place(NamedTuple):
    """Where a process is: the number of this call, the seconds that it may take, and which one it is.

    It is written before every step, to memory that is shared, and so is cheaper than a message.
    """

    number: int = 0
    timeout: float = math.inf
    moment: Moment = Moment("the import")

    def encode(self) -> bytes:
        """Write the place as one line."""
        phase, seed, episode, step = self.moment
        return f"{self.number}|{self.timeout}|{phase}|{seed}|{episode}|{step}\n".encode()

    @classmethod
    def read(cls, folder: Path) -> Place:
        """Return where the process that shares a folder is, or was."""
        try:
            return cls.decode((folder / PLACE).read_bytes())
        except OSError:
            return cls()

    @classmethod
    def decode(cls, data: bytes) -> Place:
        """Read the place in the first line of some bytes; return the default where the line is half written.

        >>> Place.decode(Place(3, 20.0, Moment("step", 123, 1, 4)).encode() + b"rest")
        Place(number=3, timeout=20.0, moment=Moment(phase='step', seed=123, episode=1, step=4))
        """
        try:
            number, timeout, phase, *rest = data.partition(b"\n")[0].decode().split("|")
            known = (None if text == "None" else int(text) for text in rest)
            return cls(int(number), float(timeout), Moment(phase, *known))
        except ValueError:
            return cls()
