"""The function `compare`, which measures whether a program's environments could have been stepped faster."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from gymkernel import plugins
from gymkernel.making import make, make_vec
from gymkernel_tool_run.gymnasium_ids import own_entry_point

if TYPE_CHECKING:
    from gymkernel_tool_run.report.collecting import Use

__all__ = ["Comparison", "NotMeasured", "Setting", "compare"]

BUDGET: Final = 2.0
"""The approximate time, in seconds, that the measurement of one `Use` takes."""
LIMIT: Final = 6.0
"""The maximum duration of the measurement, in seconds, for slow environments."""
SEVERAL: Final = 8
"""The number of environments in measurements of backends if the program used single environments."""
WITHOUT: Final = {*signature(make).parameters, *signature(make_vec).parameters, "render_mode"}
"""The arguments in a spec that are not passed to the measured environments."""
OWN: Final = "vector_entry_point"
WORTHWHILE: Final = 1.2
"""The minimum speed, relative to the setting that the program used, at which another setting is recommended."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A way to step environments, with its measured speed.

    Attributes:
        label: the backend and the number of workers.
        speed: the number of steps per second, summed over all environments.
        ratio: the median, over all rounds, of the speed divided by the speed of the setting that the program used.
        least: the smallest ratio in any round.
    """

    label: str
    speed: float
    ratio: float = 1.0
    least: float = 1.0

    @property
    def is_faster(self) -> bool:
        """Whether the setting was clearly faster, and faster in every round."""
        return self.ratio >= WORTHWHILE and self.least > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of the setting that the program used with other settings.

    Attributes:
        use: the environments that were measured.
        num_envs: the number of environments in the measured vector environments.
        used: the setting that the program used.
        others: all other settings, beginning with the fastest.
        failures: maps the name of each backend that failed to the error.
        busy: the fraction of the cores that other programs used.
        complete: whether all settings could be measured.
        seconds: the duration of the measurement in seconds.
    """

    use: Use
    num_envs: int
    used: Setting
    others: list[Setting]
    failures: dict[str, str]
    busy: float
    complete: bool
    seconds: float


class NotMeasured(Exception):  # noqa: N818 - the report contains the message
    """Raised if the environments cannot be measured. The message contains the reason."""


def compare(use: Use) -> Comparison:
    """Measure the setting that the program used and all other backends.

    Args:
        use: the environments to measure, which must have a spec.

    Raises:
        NotMeasured: if the environments could not be measured.
        KeyboardInterrupt: if the user interrupted the measurement.
    """
    try:
        plugins.get("commands", "bench")
    except ImportError as exc:
        raise NotMeasured(str(exc)) from exc
    bench: Any = import_module("gymkernel_tool_bench")
    if use.spec is None:
        raise NotMeasured("there is no id from which such environments can be created")
    kwargs = {name: value for name, value in use.spec.kwargs.items() if name not in WITHOUT}
    num_envs = use.num_envs or SEVERAL
    try:
        with _limit(LIMIT) as limit, _discard_output():
            report = bench.measure(
                bench.resolve(own_entry_point(use.spec.id), kwargs), num_envs=[num_envs], budget=BUDGET
            )
    except Exception as exc:
        raise NotMeasured(f"{type(exc).__name__}: {exc}") from exc
    if report.interrupted and not limit:
        raise KeyboardInterrupt
    failures = {case.backend: " ".join(case.problem.split("\n")[:2]) for case in report.cases if case.state == "failed"}
    label, rounds = _used_setting(use, report)
    if not rounds:
        problems = [report.problem, *(f"{backend} failed: {problem}" for backend, problem in failures.items())]
        raise NotMeasured("; ".join(filter(None, problems)) or "the measurement took too long")
    measured = {_label(case.backend, case.workers): case.rounds for case in report.measured}
    measured.pop(label, None)
    others = [_compared(name, speeds, rounds) for name, speeds in measured.items()]
    return Comparison(
        use,
        num_envs,
        Setting(label, median(rounds)),
        sorted(others, key=lambda setting: -setting.ratio),
        failures,
        report.busy or 0.0,
        not limit,
        report.seconds,
    )


def _used_setting(use: Use, report: Any) -> tuple[str, list[float]]:
    """Return the label of the setting that the program used and its speed in each round.

    If that setting failed, no speeds are returned.
    """
    if not use.num_envs:
        return "one environment", next((case.alone for case in report.measured if all(case.alone)), [])
    backend = OWN if use.mode == OWN else use.backend.removesuffix("VectorEnv").lower()
    cases = [case for case in report.measured if case.backend == backend]
    case = min(cases, key=lambda case: abs((case.workers or 0) - (use.workers or 0)), default=None)
    return ("", []) if case is None else (_label(case.backend, case.workers), case.rounds)


def _compared(label: str, speeds: list[float], used: list[float]) -> Setting:
    ratios = [ours / theirs for ours, theirs in zip(speeds, used, strict=False) if theirs] or [0.0]
    return Setting(label, median(speeds), median(ratios), min(ratios))


def _label(backend: str, workers: int | None) -> str:
    return backend if workers is None else f"{backend}, {workers} worker{'s' * (workers != 1)}"


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[list[bool]]:
    """Interrupt the measurement after a number of seconds, as Ctrl-C does, and keep the results so far.

    Yield a list that is empty until the time is over.
    """
    reached: list[bool] = []

    def interrupt(*_: Any) -> None:
        reached.append(True)
        signal.raise_signal(signal.SIGINT)

    handlers = {signal.SIGALRM: interrupt, signal.SIGINT: signal.default_int_handler}
    earlier = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield reached
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in earlier.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextlib.contextmanager
def _discard_output() -> Iterator[None]:
    """Discard everything that environments print, including output from native code and from other processes."""
    with contextlib.ExitStack() as stack:
        nothing = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
            with contextlib.suppress(OSError, ValueError, AttributeError):  # the program has closed its output
                stream.flush()
                kept = os.dup(descriptor)
                stack.callback(os.close, kept)
                stack.callback(os.dup2, kept, descriptor)
                os.dup2(nothing.fileno(), descriptor)
        stack.enter_context(contextlib.redirect_stdout(nothing))
        stack.enter_context(contextlib.redirect_stderr(nothing))
        yield
