"""The messages that the processes of a check exchange, each encoded as a line of JSON."""

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
"""The files in the shared folder: a process's current call, its traceback after a crash, and its output."""
ROOM: Final = 256
"""The size of the file `PLACE` in bytes."""
UNKNOWN: Final = Moment("")


@dataclass(frozen=True, slots=True)
class Request:
    """The first message to the process that imports the target.

    Attributes:
        target: the target to import.
        options: the options of the check.
        folder: the folder that the process shares with the watching process.
        copies: whether the process may run groups of rules in forks.
    """

    target: Target
    options: Options
    folder: str
    copies: bool


@dataclass(frozen=True, slots=True)
class Order:
    """A message that asks the process with the target to run a group of rules.

    Attributes:
        group: the group of rules to run.
        timeout: the maximum duration of a call to the target in seconds.
        here: whether to run the group in the process itself instead of in a fork. The process exits afterwards.
        known: the facts about the target that other processes have established so far.
        seconds: the time left for the check in seconds.
    """

    group: Group
    timeout: float
    here: bool
    known: Facts
    seconds: float


@dataclass(frozen=True, slots=True)
class Ready:
    """A message that is sent when the target has been imported.

    Attributes:
        copies: whether groups of rules can run in forks.
        groups: the groups of rules to check.
        recipe: the Python code that creates the target.
    """

    copies: bool
    groups: tuple[Group, ...]
    recipe: str


@dataclass(frozen=True, slots=True)
class GroupBegan:
    """A message that is sent when a process starts to run a group of rules.

    Attributes:
        pid: the id of the process that runs the group.
    """

    pid: int


@dataclass(frozen=True, slots=True)
class ProcessExited:
    """A message that is sent when a process exits unexpectedly, for example because of `sys.exit`.

    Attributes:
        how: a description, such as "ended the process: sys.exit(0)".
        frames: the (file, line) of each stack frame, starting with the innermost.
    """

    how: str
    frames: tuple[tuple[str, int], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ParentSignalled:
    """A message that is sent when the target has sent a signal to its parent process.

    Attributes:
        name: the name of the signal, such as "SIGTERM".
        moment: the call during which the signal was sent. Its phase is empty if the call is unknown.
        frames: the (file, line) of each stack frame, starting with the innermost.
    """

    name: str
    moment: Moment = UNKNOWN
    frames: tuple[tuple[str, int], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class GroupDone:
    """A message that is sent when a group of rules has finished."""


@dataclass(frozen=True, slots=True)
class GroupExited:
    """A message that is sent when the fork in which a group of rules ran has exited.

    Attributes:
        status: the exit status of the fork.
    """

    status: int


News = Ready | GroupBegan | Fact | ProcessExited | ParentSignalled | GroupDone | GroupExited | events.Event
"""The messages that the process with the target sends to the watching process."""
Message = Request | Order | News


MESSAGE_TYPES: Final[dict[str, type[Any]]] = {
    cls.__name__: cls for cls in cast("tuple[type[Any], ...]", Message.__args__)
}


def _findings(several: list[dict[str, Any]]) -> tuple[Finding, ...]:
    return tuple(Finding(**item) for item in several)


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
"""Functions that convert a field from JSON, keyed by field name. All other fields are plain data."""


def encode(message: Message) -> bytes:
    """Encode a message as a line of JSON. Values that JSON does not support are replaced by their `repr`."""
    parts = {entry.name: getattr(message, entry.name) for entry in fields(message)}
    return json.dumps([type(message).__name__, parts], default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else repr(value)


def decode(line: bytes | str) -> Message:
    """Decode a message from a line of JSON.

    >>> decode(encode(GroupBegan(41)))
    GroupBegan(pid=41)
    """
    name, parts = json.loads(line)
    read = {part: PARTS[part](value) if part in PARTS else value for part, value in parts.items()}
    made: Message = MESSAGE_TYPES[name](**read)
    return made


class Place(NamedTuple):
    """The current call of a process: its number, its time limit in seconds and the call itself.

    The place is written to a shared file before every step, because this is faster than sending a message.
    """

    number: int = 0
    timeout: float = math.inf
    moment: Moment = Moment("the import")

    def encode(self) -> bytes:
        """Encode the place as a line of text."""
        phase, seed, episode, step = self.moment
        return f"{self.number}|{self.timeout}|{phase}|{seed}|{episode}|{step}\n".encode()

    @classmethod
    def read(cls, folder: Path) -> Place:
        """Return the current or last call of a process, read from the shared folder."""
        try:
            return cls.decode((folder / PLACE).read_bytes())
        except OSError:
            return cls()

    @classmethod
    def decode(cls, data: bytes) -> Place:
        """Decode a place from the first line of the data. Return an empty place if the line is incomplete.

        >>> Place.decode(Place(3, 20.0, Moment("step", 123, 1, 4)).encode() + b"rest")
        Place(number=3, timeout=20.0, moment=Moment(phase='step', seed=123, episode=1, step=4))
        """
        try:
            number, timeout, phase, *rest = data.partition(b"\n")[0].decode().split("|")
            known = (None if text == "None" else int(text) for text in rest)
            return cls(int(number), float(timeout), Moment(phase, *known))
        except ValueError:
            return cls()
