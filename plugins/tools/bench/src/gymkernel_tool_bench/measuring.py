"""The function `measure`, which measures an environment on its own, and then all backends in alternating rounds."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from gymkernel_tool_bench.advice import recommend
from gymkernel_tool_bench.loops import Loop, look_at, many, single
from gymkernel_tool_bench.meters import Meters
from gymkernel_tool_bench.plan import BUDGET, NUM_ENVS, ROUNDS, cases_of, seconds_of_a_round, too_much
from gymkernel_tool_bench.records import Case, Progress, Report
from gymkernel_tool_bench.targets import Backend, Target, resolve
from gymkernel_util_tools.command_errors import place_of

__all__ = ["measure"]

PART: Final = 0.03
"""The fraction of the time budget for each part of the measurement of a single environment."""
MAX_WARNINGS: Final = 20


def measure(
    target: str | Target,
    *,
    num_envs: Sequence[int] | None = None,
    workers: Sequence[int] | None = None,
    backends: Sequence[str] | None = None,
    seconds: float | None = None,
    budget: float = BUDGET,
    seed: int = 0,
    meters: Meters | None = None,
    notify: Callable[[Progress], None] | None = None,
) -> Report:
    """Measure an environment on its own and in vector backends. After Ctrl-C, return the results so far.

    Args:
        target: an id, `module:Class`, `path.py:Class`, or a `Target`.
        num_envs: the numbers of environments to measure; None for 1, 8, 64 and 256, except those that would take too
            long.
        workers: the numbers of workers to measure in backends that accept `num_workers`; None for numbers that suit the
            environment.
        backends: the names of the backends to measure, as accepted by `make_vec`; None for all backends.
        seconds: the measuring time for each case in seconds; None to divide the budget among the cases.
        budget: the approximate duration of the whole measurement in seconds.
        seed: the seed of the resets and actions.
        meters: the clocks and the memory counter to use; None for those of this machine.
        notify: a function that is called with a `Progress` before each part of the measurement.

    Raises:
        ValueError: if a backend is not installed.
        gymkernel.error.Error: if the target does not refer to an environment.
    """
    meters = meters or Meters()
    start = meters.wall()
    with _collect_warnings() as collected:
        resolved = resolve(target) if isinstance(target, str) else target
        chosen = _select_backends(resolved, backends)
        report = Report(resolved.name, meters.machine(), seed, warnings=collected)
        run = _Run(resolved, report, meters, notify)
        try:
            run.measure_alone(budget * PART)
            run.plan(chosen, num_envs, workers)
            run.measure_cases(seconds, budget - (meters.wall() - start))
        except KeyboardInterrupt:
            report.interrupted = True
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - creating another environment or closing one may fail
            report.problem = report.problem or _describe(exc)
        report.seconds = meters.wall() - start
    report.recommendation = recommend(report, resolved.code)
    return report


def _select_backends(target: Target, names: Sequence[str] | None) -> list[Backend]:
    """Return the backends with the given names, or all backends if `names` is None."""
    known = {backend.name: backend for backend in target.backends}
    if unknown := [name for name in names or () if name not in known]:
        message = f"{target.name} has no backend {', '.join(unknown)} here; available: {', '.join(known) or 'none'}"
        raise ValueError(message)
    return [backend for name, backend in known.items() if names is None or name in names]


@contextlib.contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Collect the text of each distinct warning instead of printing the warnings.

    Printing warnings would distort the measurement and disturb the progress bar.
    """
    collected: list[str] = []

    def note(message: Warning | str, *_: Any, **__: Any) -> None:
        text = str(message).removeprefix("\x1b[33m").removesuffix("\x1b[0m").removeprefix("WARN: ")
        if text not in collected and len(collected) < MAX_WARNINGS:
            collected.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = note
        yield collected


def _describe(exc: BaseException) -> str:
    """Describe an exception by its type, its message, its notes and the line that raised it."""
    words = f"{type(exc).__name__}: {exc}".removesuffix(": ").partition("\n--- traceback")[0]
    return "\n".join([words + place_of(exc), *getattr(exc, "__notes__", ())])


@dataclass(slots=True)
class _Run:
    """A measurement in progress."""

    target: Target
    report: Report
    meters: Meters
    notify: Callable[[Progress], None] | None
    done: int = 0
    total: int = 1
    round: float = 0.0
    """The duration of a round in seconds."""
    loop: Loop | None = None
    """The plain loop, which is measured alternately with the cases."""
    times: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """The available core time while the plain loop ran, and how much of this time other programs used, in seconds."""

    def announce(self, now: str) -> None:
        """Notify the caller that a part of the measurement is starting."""
        if self.notify is not None:
            self.notify(Progress(self.done, self.total, now, self.report))
        self.done += 1

    def measure_alone(self, seconds: float) -> None:
        """Measure a single environment in a plain loop."""
        self.announce("one environment alone")
        try:
            self.report.alone = look_at(self.target.make, self.report.seed, seconds, self.meters)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - an environment may raise any exception
            self.report.problem = _describe(exc)

    def plan(self, backends: list[Backend], num_envs: Sequence[int] | None, workers: Sequence[int] | None) -> None:
        """Choose the cases to measure: the requested ones, or those that this machine can run in a reasonable time."""
        alone, cores = self.report.alone, self.report.machine.cores
        self.report.cases = cases_of(backends, num_envs or NUM_ENVS, workers, alone, cores)
        problems = {backend.name: backend.problem for backend in backends}
        for case in self.report.cases:
            if problems[case.backend]:
                case.state, case.problem = "failed", problems[case.backend]
            elif alone is not None:
                case.bound = alone.bound(case.num_envs, cores)
                if num_envs is None and (reason := too_much(case, alone)):
                    case.state, case.problem = "skipped", reason
        self.total += (ROUNDS + 1) * sum(case.state == "waiting" for case in self.report.cases)

    def measure_cases(self, seconds: float | None, budget: float) -> None:
        """Measure the cases, one group with the same number of environments at a time."""
        waiting = [case for case in self.report.cases if case.state == "waiting"]
        self.round = seconds_of_a_round(waiting, self.report.alone, seconds, budget)
        with contextlib.ExitStack() as stack:
            if self.report.alone is not None:
                env = self.target.make()
                stack.callback(env.close)
                self.loop = single(env, self.report.seed)
                self.loop.warm_up(self.round / 2, self.meters.wall)
            for _, group in groupby(waiting, key=lambda case: case.num_envs):
                self.measure_group(list(group))

    def measure_group(self, group: list[Case]) -> None:
        """Measure cases with the same number of environments, by alternating between these cases and the plain loop."""
        loops: list[tuple[Case, Loop]] = []
        try:
            for case in group:
                self.announce(f"{case.label}: making")
                if (loop := self.attempt(case, self.open, case)) is not None:
                    loops.append((case, loop))
            for number in range(1, ROUNDS + 1):
                alone = self.run_alone()
                for case, loop in loops:
                    self.announce(f"{case.label}: round {number} of {ROUNDS}")
                    if case.state == "failed":
                        continue
                    if (speed := self.attempt(case, loop.run, self.round, self.meters.wall)) is not None:
                        case.rounds.append(speed)
                        case.alone.append(alone)
                        case.state = "measured"
        finally:
            for case, loop in loops:
                self.close(case, loop)

    def run_alone(self) -> float:
        """Run the plain loop for one round, and return the number of steps per second, or 0 if there is no plain loop.

        Also measure how busy the machine is.
        """
        if self.loop is None:
            return 0.0
        busy, cpu, wall = self.meters.busy(), self.meters.cpu(), self.meters.wall()
        try:
            speed = self.loop.run(self.round, self.meters.wall)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the cases can be measured without the plain loop
            self.loop, self.report.problem = None, _describe(exc)
            return 0.0
        if busy is not None:
            self.times[0] += (self.meters.wall() - wall) * self.report.machine.cores
            self.times[1] += (self.meters.busy() or busy) - busy - (self.meters.cpu() - cpu)
            self.report.busy = min(max(self.times[1] / max(self.times[0], 1e-9), 0.0), 1.0)
        return speed

    def attempt(self, case: Case, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and return its result. If it raises an exception, mark the case as failed and return None."""
        try:
            return function(*arguments)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the measurement continues if a backend fails
            case.state, case.problem = "failed", _describe(exc)
            return None

    def open(self, case: Case) -> Loop:
        """Create the vector environment of a case and warm it up."""
        backend = next(backend for backend in self.target.backends if backend.name == case.backend)
        before, start = self.meters.memory(), self.meters.wall()
        envs = backend.make(case.num_envs, {} if case.workers is None else {"num_workers": case.workers})
        case.construct_seconds = self.meters.wall() - start
        try:
            loop = many(envs, self.report.seed)
            loop.warm_up(self.round / 2, self.meters.wall)
        except BaseException:
            # If closing fails as well, only the original error is reported.
            with contextlib.suppress(Exception):
                envs.close()
            raise
        after = self.meters.memory()
        case.memory_bytes = None if before is None or after is None else max(after - before, 0)
        return loop

    def close(self, case: Case, loop: Loop) -> None:
        """Close the vector environment of a case. If this fails, record the error as the case's problem."""
        try:
            loop.close()
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the other cases must be closed, too
            case.problem = case.problem or f"closing: {_describe(exc)}"
