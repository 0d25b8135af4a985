"""The process in which a target is checked: it reads a request, tells events, and may die without harm to anyone."""

from __future__ import annotations

import faulthandler
import json
import math
import os
import time
import warnings
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from gymkernel.checks.definition import Moment

if TYPE_CHECKING:
    from gymkernel.checks.records import Event

__all__ = ["BOOTSTRAP", "IMPORT_TIMEOUT", "main"]

IMPORT_TIMEOUT: Final = 60.0
"""Seconds that the import of a target may take at least: a library, or a slow disk, is no hang."""

BOOTSTRAP = (
    "import sys, json; request = json.loads(sys.stdin.readline()); sys.path[:] = request['path']; "
    "from gymkernel.checks.child import main; main(request)"
)
"""The program of the process; gymkernel and its plugins are found where the parent finds them."""


class Teller:
    """Writes events to the parent, one line each, and keeps the watchdog quiet while calls into the target return.

    Args:
        stream: where the parent reads.
        timeout: seconds without a call that returns, after which the process writes where it is and exits.
    """

    def __init__(self, stream: BinaryIO, timeout: float) -> None:
        self.stream, self.timeout, self.patience = stream, timeout, timeout
        self._armed = -math.inf

    def wait_for(self, seconds: float) -> None:
        """Be patient for so long from now on."""
        self.patience, self._armed = seconds, -math.inf

    def tell(self, event: Event) -> None:
        """Write an event."""
        self._arm()
        self.stream.write(json.dumps(event, default=repr).encode() + b"\n")

    def at(self, moment: Moment) -> None:
        """Say what is called next; cheap, since it is said before every step."""
        self._arm()
        self.stream.write(("@" + "|".join("" if part is None else str(part) for part in moment) + "\n").encode())

    def _arm(self) -> None:
        """Wind the watchdog up; it is a thread in C, so a target that keeps the interpreter busy cannot stop it."""
        now = time.monotonic()
        if now - self._armed > self.patience / 8:
            self._armed = now
            faulthandler.dump_traceback_later(self.patience, exit=True, file=2)


def main(request: dict[str, Any]) -> None:
    """Check what is asked for."""
    stream = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what the target prints goes where nobody takes it for an event
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    faulthandler.enable(file=2)
    teller = Teller(stream, request["options"]["timeout"])
    warnings.simplefilter("ignore")
    try:
        _check(request, teller)
    except SystemExit as exc:
        message = f"it ended the process: sys.exit({exc.code!r})"
        teller.tell({"event": "exit", "message": message})
    faulthandler.cancel_dump_traceback_later()


def _check(request: dict[str, Any], teller: Teller) -> None:
    from gymkernel.checks.catalogue import UnknownCodeError
    from gymkernel.checks.engine import run
    from gymkernel.checks.loading import load
    from gymkernel.checks.subject import Options
    from gymkernel.checks.targets import Target, TargetError

    teller.wait_for(max(teller.timeout, IMPORT_TIMEOUT))
    teller.at(Moment("the import"))
    options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in request["options"].items()}
    try:
        subject = load(Target(**request["target"]), Options(**options))
        teller.wait_for(teller.timeout)
        subject.notify, subject.dead = teller.at, request["dead"]
        teller.tell({"event": "recipe", "lines": subject.recipe})
        subject.entering = lambda probe: teller.tell({"event": "probe", "name": probe})
        run(subject, teller.tell, request["done"])
    except (TargetError, UnknownCodeError) as exc:
        teller.tell({"event": "failure", "message": str(exc)})
    teller.tell({"event": "end"})
