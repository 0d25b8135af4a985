"""The messages that the processes of a check exchange, each encoded as a line of JSON."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from gymkernel_tool_check.definition import Group, Moment
from gymkernel_tool_check.events import Event, Facts, Message
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.targets import Target

__all__ = ["FAULT_DUMP", "OUTPUT", "PLACE", "ROOM", "GroupBegan", "GroupDone", "GroupExited", "Order"]
__all__ += ["ParentSignalled", "Place", "ProcessExited", "Ready", "Request", "decode", "encode"]

PLACE: Final = "place"
FAULT_DUMP: Final = "fault_dump"
OUTPUT: Final = "output"
"""The files in the shared folder: a process's current call, its traceback after a crash, and its output."""
ROOM: Final = 256
"""The size of the file `PLACE` in bytes."""
UNKNOWN: Final = Moment("")


@dataclass(frozen=True, slots=True)
class Request(Message):
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
class Order(Message):
    """A message that asks the process with the target to run a group of rules.

    Attributes:
        group: the group of rules to run.
        timeout: the maximum duration of a call to the target in seconds.
        known: the facts about the target that other processes have established so far.
        seconds: the time left for the check in seconds.
    """

    group: Group
    timeout: float
    known: Facts
    seconds: float


@dataclass(frozen=True, slots=True)
class Ready(Message):
    """A message that is sent when the target has been imported.

    Attributes:
        copies: whether groups of rules can run in forks. If not, the process exits after the first group.
        groups: the groups of rules to check.
        recipe: the Python code that creates the target.
    """

    copies: bool
    groups: tuple[Group, ...]
    recipe: str


@dataclass(frozen=True, slots=True)
class GroupBegan(Message):
    """A message that is sent when a process starts to run a group of rules.

    Attributes:
        pid: the id of the process that runs the group.
    """

    pid: int


@dataclass(frozen=True, slots=True)
class ProcessExited(Message):
    """A message that is sent when a process exits unexpectedly, for example because of `sys.exit`.

    Attributes:
        how: a description, such as "ended the process: sys.exit(0)".
        frames: the (file, line) of each stack frame, starting with the innermost.
    """

    how: str
    frames: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ParentSignalled(Message):
    """A message that is sent when the target has sent a signal to its parent process.

    Attributes:
        name: the name of the signal, such as "SIGTERM".
        moment: the call during which the signal was sent. Its phase is empty if the call is unknown.
        frames: the (file, line) of each stack frame, starting with the innermost.
    """

    name: str
    moment: Moment = UNKNOWN
    frames: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class GroupDone(Message):
    """A message that is sent when a group of rules has finished."""


@dataclass(frozen=True, slots=True)
class GroupExited(Message):
    """A message that is sent when the fork in which a group of rules ran has exited.

    Attributes:
        status: the exit status of the fork.
    """

    status: int


MESSAGE_TYPES: Final = {cls.__name__: cls for cls in (*Message.__subclasses__(), *Event.__subclasses__())}
_type_hints = functools.cache(get_type_hints)


def encode(message: Message) -> bytes:
    """Encode a message as a line of JSON. Values that JSON does not support are replaced by their `repr`."""
    parts = {entry.name: getattr(message, entry.name) for entry in fields(message)}
    return json.dumps([type(message).__name__, parts], default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else repr(value)


def decode(line: bytes | str) -> Any:
    """Decode a message from a line of JSON.

    >>> decode(encode(GroupBegan(41)))
    GroupBegan(pid=41)
    """
    name, parts = json.loads(line)
    return _build(MESSAGE_TYPES[name], parts)


def _build(kind: Any, value: Any) -> Any:
    """Convert a value that was decoded from JSON to the type that its field is annotated with."""
    if isinstance(kind, UnionType):
        return None if value is None else _build(get_args(kind)[0], value)
    if get_origin(kind) is tuple:
        return tuple(_build(get_args(kind)[0], part) for part in value)
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**{name: _build(_type_hints(kind)[name], part) for name, part in value.items()})
    if hasattr(kind, "_fields"):
        return kind(*map(_build, _type_hints(kind).values(), value))
    return value


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
