"""Records for the results of `measure`: the speed of a single environment, the measured cases, and the report."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Final

__all__ = ["SCHEMA", "Alone", "Case", "Machine", "Progress", "Recommendation", "Report"]

SCHEMA: Final = "gymkernel.bench/1"
"""The name and version of the JSON format. The version increases when a field is removed or changes its meaning."""

NEARLY_ALL: Final = (0.9, 1.1)
"""The range in which the CPU time per wall time is treated as 1, which means that one thread computes all the time."""
WAITING: Final = 0.5
"""The CPU time per wall time below which an environment is considered to spend most of its time waiting."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A description of the machine on which a measurement was run.

    Attributes:
        cores: the number of cores that this process may use.
        python: the version of Python.
        kernel: the version of gymkernel.
        platform: the operating system and the processor.
    """

    cores: int
    python: str
    kernel: str
    platform: str


@dataclass(frozen=True, slots=True)
class Alone:
    """The results of measuring a single environment in a plain loop without a backend. All times are in seconds.

    Attributes:
        steps_per_second: the speed of the loop. A reset counts as a step, as in NEXT_STEP mode.
        step_median, step_p95: the median and the 95th percentile of the durations of single steps.
        reset_median: the median duration of a reset.
        construct_first: the time for creating the first environment, including the imports that it needs.
        construct: the time for creating another environment.
        cpu_share: the CPU time of this process per wall time. It is near 1 if steps compute, near 0 if steps wait, and
            above 1 if steps use several threads.
        memory_bytes: the memory that each further environment uses, in bytes; None if unknown.
    """

    steps_per_second: float
    step_median: float
    step_p95: float
    reset_median: float
    construct_first: float
    construct: float
    cpu_share: float
    memory_bytes: int | None

    @property
    def share(self) -> float:
        """The value of `cpu_share`, but at least slightly above 0, and exactly 1 if it is close to 1."""
        low, high = NEARLY_ALL
        return 1.0 if low <= self.cpu_share <= high else max(self.cpu_share, 0.001)

    @property
    def waits(self) -> bool:
        """Whether the environment spends most of a step waiting."""
        return self.cpu_share < WAITING

    def bound(self, num_envs: int, cores: int) -> float:
        """Return the speed of a perfect backend with `num_envs` environments, relative to the plain loop.

        An environment occupies a core while it computes, but not while it waits, so all environments can wait at the
        same time.

        Args:
            num_envs: the number of environments.
            cores: the number of processes that can compute at the same time.

        >>> half = Alone(100.0, 0.01, 0.01, 0.01, 0.01, 0.01, cpu_share=0.5, memory_bytes=None)
        >>> half.bound(1, cores=2), half.bound(64, cores=2)
        (1.0, 4.0)
        """
        return max(1.0, min(float(num_envs), cores / self.share))


@dataclass(slots=True)
class Case:
    """A combination of settings to measure: a backend and the numbers of environments and workers.

    Attributes:
        backend: the name of the backend in `make_vec`: "sync", "async", "vector_entry_point", ...
        num_envs: the number of environments.
        workers: the argument `num_workers`; None if the backend does not accept this argument.
        state: "waiting" at first, and then "measured", "failed" or "skipped".
        problem: the reason why the case failed or was skipped, or the error that was raised when it was closed; "" if
            there was no problem.
        rounds: the number of steps per second in each round, summed over all environments.
        alone: the number of steps per second of the plain loop in the same rounds.
        construct_seconds: the time for creating the vector environment, in seconds.
        memory_bytes: the memory that the vector environment uses after its first steps, in bytes, summed over all its
            processes; None if unknown.
        bound: the maximum speed of this case on this machine, relative to the plain loop; see `Alone.bound`.
    """

    backend: str
    num_envs: int
    workers: int | None = None
    state: str = "waiting"
    problem: str = ""
    rounds: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    construct_seconds: float | None = None
    memory_bytes: int | None = None
    bound: float | None = None

    @property
    def label(self) -> str:
        """A short description of the case, such as "async, 64 environments, 2 workers"."""
        words = [self.backend, f"{self.num_envs} environment{'s' * (self.num_envs != 1)}"]
        words += [] if self.workers is None else [f"{self.workers} worker{'s' * (self.workers != 1)}"]
        return ", ".join(words)

    @property
    def steps_per_second(self) -> float | None:
        """The median speed of the rounds, or None before the first round."""
        return median(self.rounds) if self.rounds else None

    @property
    def ratio_to_alone(self) -> float | None:
        """The median over all rounds of the case's speed divided by the plain loop's speed."""
        pairs = [ours / theirs for ours, theirs in zip(self.rounds, self.alone, strict=False) if theirs]
        return median(pairs) if pairs else None

    @property
    def ratio_to_ideal(self) -> float | None:
        """`ratio_to_alone` divided by `bound`. It exceeds 1 only if a backend does not step environments one by one."""
        against = self.ratio_to_alone
        return None if against is None or self.bound is None else against / self.bound

    def as_dict(self) -> dict[str, Any]:
        """Return the case as a dict that can be written as JSON."""
        data = asdict(self)
        del data["alone"]
        speeds = {name: getattr(self, name) for name in ("steps_per_second", "ratio_to_alone", "ratio_to_ideal")}
        return data | {"problem": self.problem or None} | speeds


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommended backend and its settings, with an explanation and the code to use them.

    Attributes:
        backend: the name of the backend, which can be passed to `make_vec` as `vectorization_mode`.
        num_envs: the number of environments.
        workers: the number of worker processes; None for a backend without workers.
        sentence: a sentence that explains the recommendation and contains the measured figures.
        code: the Python code that creates the vector environment.
        otherwise: the recommendation for environments that need wrappers, if `backend` is the environment's own vector
            environment, which does not accept wrappers.
    """

    backend: str
    num_envs: int
    workers: int | None
    sentence: str
    code: str
    otherwise: Recommendation | None = None


@dataclass(slots=True)
class Report:
    """The results of measuring one target.

    Attributes:
        target: the target as the user wrote it.
        machine: the machine of the measurement.
        seed: the seed of the resets and actions.
        alone: the measurement of the environment without a backend; None if this measurement failed.
        problem: the reason why the environment could not be measured without a backend; "" if it was measured.
        cases: all cases, whether measured or not, ordered by `num_envs`.
        recommendation: the recommended settings; None if the measurement was interrupted or no backend was faster than
            a plain loop.
        busy: the fraction of the cores that other programs used while the plain loop ran; None if unknown.
        seconds: the duration of the whole measurement in seconds.
        interrupted: whether the user ended the measurement early.
        warnings: the distinct warnings that environments and backends issued.
    """

    target: str
    machine: Machine
    seed: int = 0
    alone: Alone | None = None
    problem: str = ""
    cases: list[Case] = field(default_factory=list)
    recommendation: Recommendation | None = None
    busy: float | None = None
    seconds: float = 0.0
    interrupted: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def measured(self) -> list[Case]:
        """The cases that were measured."""
        return [case for case in self.cases if case.rounds and case.state != "failed"]

    @property
    def failed(self) -> bool:
        """Whether the environment or a backend raised an exception."""
        return bool(self.problem) or any(case.state == "failed" for case in self.cases)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as a dict, in the format of `gymkernel bench --format json`."""
        shown = {"problem": self.problem or None, "seconds": round(self.seconds, 3)}
        return {"schema": SCHEMA} | asdict(self) | shown | {"cases": [case.as_dict() for case in self.cases]}

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.as_dict(), indent=2)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a measurement.

    Attributes:
        done: the number of finished parts of the measurement.
        total: the total number of parts.
        now: a short description of the part in progress.
        report: the results so far.
    """

    done: int
    total: int
    now: str
    report: Report
