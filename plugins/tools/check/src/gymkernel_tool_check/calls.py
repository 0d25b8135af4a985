"""`Calls`: which call into the target is made, so that a hang or crash in it can be told."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import BudgetSpent, Died, Moment, Skip
from gymkernel_util_spaces.texts import text_of

__all__ = ["Calls"]

START: Final = Moment("")


@dataclass(slots=True)
class Calls:
    """The calls into the target.

    Attributes:
        counts: how often what was called.
        now: the call that is made, or was the last.
        deadline: by `time.perf_counter`, when the budget of the check is spent: no further call is made.
        notify: called with the moment before every call, and with what it may take if that differs.
    """

    counts: dict[str, int] = field(default_factory=dict)
    now: Moment = START
    deadline: float = math.inf
    notify: Callable[[Moment, float | None], None] | None = None

    def at(self, moment: Moment, within: float | None = None) -> None:
        """Say what is called next, and in how many seconds it returns if that differs from the usual.

        Raises:
            BudgetSpent: the call is not to be made.
        """
        self.require_time()
        self.now = moment
        self.counts[moment.phase] = self.counts.get(moment.phase, 0) + 1
        if self.notify is not None:
            self.notify(moment, within)

    def require_time(self) -> None:
        """Raise `BudgetSpent` where the budget of the check is spent."""
        if self.time_left < 0:
            raise BudgetSpent

    @property
    def time_left(self) -> float:
        """Seconds until the budget of the check is spent; infinite where there is none."""
        return self.deadline - time.perf_counter()

    @contextlib.contextmanager
    def catching_exit(self) -> Iterator[None]:
        """Turn an attempt of the target to end the process into `Died`."""
        try:
            yield
        except SystemExit as exc:
            raise Died(f"{self.now.phase} ended the process: sys.exit({text_of(exc.code)})", self.now) from exc

    def attempt(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
        """What a call gives, and what it raised: one of both is None. `Skip` and `Died` are passed on."""
        try:
            with self.catching_exit():
                return call(*arguments, **keywords), None
        except Skip:
            raise
        except Exception as exc:  # noqa: BLE001 - whatever it raises is what is looked for
            return None, exc
