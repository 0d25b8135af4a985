"""Measure several implementations alternately in one run, and compare the medians of their times."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Bench", "Row", "per_call"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the printed table: the times that gymkernel and another library take, in seconds.

    Attributes:
        section: the heading above the row.
        name: the name of the measured operation.
        ours: the time that gymkernel takes.
        peer: the time that the other library takes.
        against: the name of the other library.
        target: the lowest acceptable speed-up or, if `share` is true, the highest acceptable fraction (None if there is
            no target).
        share: whether to show our time as a fraction of the other library's time instead of a speed-up.
    """

    section: str
    name: str
    ours: float
    peer: float
    against: str
    target: float | None
    share: bool

    @property
    def ratio(self) -> float:
        """The other library's time divided by ours or, if `share` is true, our time divided by the other library's."""
        return self.ours / self.peer if self.share else self.peer / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the measured ratio reaches the target, or None if there is no target."""
        if self.target is None:
            return None
        return self.ratio <= self.target if self.share else self.ratio >= self.target

    def record(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "met": self.met}

    def line(self) -> str:
        """Return the row as a line of the printed table."""
        sign = "<=" if self.share else ">="
        aim = "" if self.target is None else f"{sign} {self.target:g}x"
        verdict = {None: "", True: "met", False: "MISSED"}[self.met]
        return (
            f"{self.name:<44} {_time(self.ours):>9} {_time(self.peer):>9} {self.against:<10} {self.ratio:>7.2f}x "
            f"{aim:>8} {verdict}"
        ).rstrip()


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def per_call(call: Callable[[], Any], seconds: float = 0.02) -> float:
    """Return the CPU time of one call in seconds, measured over a block of calls that takes about `seconds`.

    CPU time does not include the work of other processes on the machine.
    """
    clock, n = time.process_time, 1
    while True:
        block = range(n)
        start = clock()
        for _ in block:
            call()
        elapsed = clock() - start
        if elapsed >= seconds / 4:
            return elapsed / n
        n = max(2 * n, int(n * seconds / max(elapsed, 1e-9) / 2))


class Bench:
    """A table of comparisons, each of which is printed as soon as it has been measured.

    Args:
        quick: whether to measure fewer rounds, for a rough estimate.
    """

    def __init__(self, *, quick: bool) -> None:
        self.quick, self.rows = quick, list[Row]()
        self._section = ""

    def section(self, name: str) -> None:
        self._section = name
        print(f"\n{name}", flush=True)

    def rounds(self, calls: Sequence[Callable[[], float]], n: int) -> list[float]:
        """Run several measurements alternately, and return the median of each."""
        times: list[list[float]] = [[] for _ in calls]
        for _ in range(max(3, n // 3) if self.quick else n):
            for taken, call in zip(times, calls, strict=True):
                taken.append(call())
        return [statistics.median(taken) for taken in times]

    def add(
        self,
        name: str,
        times: Iterable[float],
        target: float | None = None,
        *,
        against: str = "gymnasium",
        share: bool = False,
    ) -> None:
        """Add a row that compares our time with the other library's time."""
        ours, peer = times
        row = Row(self._section, name, ours, peer, against, target, share)
        self.rows.append(row)
        print(row.line(), flush=True)

    def faster(self, name: str, calls: Iterable[Callable[[], Any]], target: float | None = None, n: int = 9) -> None:
        """Compare our call with the other library's call; `target` is the minimum speed-up."""
        self.add(name, self.rounds([partial(per_call, call) for call in calls], n), target)
