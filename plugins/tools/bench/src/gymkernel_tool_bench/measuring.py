"""`measure`: the environment alone, then every backend, in short rounds that take turns."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from gymkernel_tool_bench.advice import recommend
from gymkernel_tool_bench.alone import look_at
from gymkernel_tool_bench.loops import Loop, many, single
from gymkernel_tool_bench.meters import Meters
from gymkernel_tool_bench.plan import BUDGET, NUM_ENVS, ROUNDS, cases_of, seconds_of_a_round, too_much
from gymkernel_tool_bench.records import Case, Progress, Report
from gymkernel_tool_bench.targets import Backend, Target, resolve
from gymkernel_util_tools.command_errors import place_of

__all__ = ["measure"]

PART: Final = 0.03
"""How much of the budget each of the three looks at the environment alone takes."""
MOST_WARNINGS: Final = 20


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
    """Measure an environment alone and through vector backends; Ctrl-C ends it with what there is so far.

    Args:
        target: an id, `module:Class`, `path.py:Class`, or a resolved target.
        num_envs: numbers of environments; None for 1, 8, 64 and 256, without those that would take too much.
        workers: numbers of workers for backends that take `num_workers`; None for those that suit the environment.
        backends: names of those to measure, as `make_vec` takes them; None for all.
        seconds: how long each case is measured; None shares out the budget.
        budget: seconds for everything, about.
        seed: of resets and actions.
        meters: the clocks and the like.
        notify: called before each part.

    Raises:
        ValueError: a backend that is not installed.
        gymkernel.error.Error: the target names no environment.
    """
    meters = meters or Meters()
    start = meters.wall()
    with _noted_warnings() as noted:
        resolved = resolve(target) if isinstance(target, str) else target
        chosen = _chosen(resolved, backends)
        report = Report(resolved.name, meters.machine(), seed, warnings=noted)
        run = _Run(resolved, report, meters, notify)
        try:
            run.see_alone(budget * PART)
            run.plan(chosen, num_envs, workers)
            run.see_cases(seconds, budget - (meters.wall() - start))
        except KeyboardInterrupt:
            report.interrupted = True
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - another environment of the same kind fails, or its close
            report.problem = report.problem or _told(exc)
        report.seconds = meters.wall() - start
    report.recommendation = recommend(report, resolved.code)
    return report


def _chosen(target: Target, names: Sequence[str] | None) -> list[Backend]:
    """The backends of these names; None for all."""
    there = {backend.name: backend for backend in target.backends}
    if unknown := [name for name in names or () if name not in there]:
        message = f"{target.name} has no backend {', '.join(unknown)} here; there is {', '.join(there) or 'none'}"
        raise ValueError(message)
    return [backend for name, backend in there.items() if names is None or name in names]


@contextlib.contextmanager
def _noted_warnings() -> Iterator[list[str]]:
    """Gather what is warned of, each text once: between two steps it would cost time, and break the progress."""
    noted: list[str] = []

    def note(message: Warning | str, *_: Any, **__: Any) -> None:
        text = str(message).removeprefix("\x1b[33m").removesuffix("\x1b[0m").removeprefix("WARN: ")
        if text not in noted and len(noted) < MOST_WARNINGS:
            noted.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = note
        yield noted


def _told(exc: BaseException) -> str:
    """An exception in words, with the line and the notes that tell where it comes from."""
    words = f"{type(exc).__name__}: {exc}".removesuffix(": ").partition("\n--- traceback")[0]
    return "\n".join([words + place_of(exc), *getattr(exc, "__notes__", ())])


@dataclass(slots=True)
class _Run:
    """A measurement as it goes on."""

    target: Target
    report: Report
    meters: Meters
    notify: Callable[[Progress], None] | None
    done: int = 0
    total: int = 1
    round: float = 0.0
    """Seconds of a round."""
    loop: Loop | None = None
    """The plain loop that takes its turns among the cases."""
    times: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """Seconds of all cores while the plain loop ran among the cases, and those that other programs used of them."""

    def tell(self, now: str) -> None:
        """Say what runs now."""
        if self.notify is not None:
            self.notify(Progress(self.done, self.total, now, self.report))
        self.done += 1

    def see_alone(self, seconds: float) -> None:
        """Measure one environment in a plain loop."""
        self.tell("one environment alone")
        try:
            self.report.alone = look_at(self.target.make, self.report.seed, seconds, self.meters)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - whatever an environment raises, the user shall see
            self.report.problem = _told(exc)

    def plan(self, backends: list[Backend], num_envs: Sequence[int] | None, workers: Sequence[int] | None) -> None:
        """Decide on the cases: what was asked for, or what this machine can do in reasonable time."""
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

    def see_cases(self, seconds: float | None, budget: float) -> None:
        """Measure the cases, those with as many environments together, and the plain loop among them."""
        waiting = [case for case in self.report.cases if case.state == "waiting"]
        self.round = seconds_of_a_round(waiting, self.report.alone, seconds, budget)
        with contextlib.ExitStack() as stack:
            if self.report.alone is not None:
                env = self.target.make()
                stack.callback(env.close)
                self.loop = single(env, self.report.seed)
                self.loop.warm_up(self.round / 2, self.meters.wall)
            for _, group in groupby(waiting, key=lambda case: case.num_envs):
                self.see_group(list(group))

    def see_group(self, group: list[Case]) -> None:
        """Measure cases with as many environments: all are open at the same time and take turns."""
        loops: list[tuple[Case, Loop]] = []
        try:
            for case in group:
                self.tell(f"{case.label}: making")
                if (loop := self.attempt(case, self.open, case)) is not None:
                    loops.append((case, loop))
            for number in range(1, ROUNDS + 1):
                alone = self.run_alone()
                for case, loop in loops:
                    self.tell(f"{case.label}: round {number} of {ROUNDS}")
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
        """The speed of a round of the plain loop, 0 where there is none; it also tells how busy the machine is."""
        if self.loop is None:
            return 0.0
        busy, cpu, wall = self.meters.busy(), self.meters.cpu(), self.meters.wall()
        try:
            speed = self.loop.run(self.round, self.meters.wall)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the cases go on without it
            self.loop, self.report.problem = None, _told(exc)
            return 0.0
        if busy is not None:
            self.times[0] += (self.meters.wall() - wall) * self.report.machine.cores
            self.times[1] += (self.meters.busy() or busy) - busy - (self.meters.cpu() - cpu)
            self.report.busy = min(max(self.times[1] / max(self.times[0], 1e-9), 0.0), 1.0)
        return speed

    def attempt(self, case: Case, what: Callable[..., Any], *arguments: Any) -> Any:
        """Call something; a failure becomes that of the case, and None is returned."""
        try:
            return what(*arguments)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - a backend that fails leaves the others alone
            case.state, case.problem = "failed", _told(exc)
            return None

    def open(self, case: Case) -> Loop:
        """Make the vector environment of a case and warm it up."""
        backend = next(one for one in self.target.backends if one.name == case.backend)
        before, start = self.meters.memory(), self.meters.wall()
        envs = backend.make(case.num_envs, {} if case.workers is None else {"num_workers": case.workers})
        case.construct_seconds = self.meters.wall() - start
        try:
            loop = many(envs, self.report.seed)
            loop.warm_up(self.round / 2, self.meters.wall)
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to see
                envs.close()
            raise
        after = self.meters.memory()
        case.memory_bytes = None if before is None or after is None else max(after - before, 0)
        return loop

    def close(self, case: Case, loop: Loop) -> None:
        """Close the vector environment of a case; what goes wrong is noted."""
        try:
            loop.close()
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the others are closed, too
            case.problem = case.problem or f"closing: {_told(exc)}"
