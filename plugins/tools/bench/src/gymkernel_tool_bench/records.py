"""What a measurement says: the environment alone, each case, and the report that gathers them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Final

__all__ = ["SCHEMA", "Alone", "Case", "Machine", "Progress", "Recommendation", "Report"]

SCHEMA: Final = "gymkernel.bench/1"
"""Name and version of the JSON form; the version grows when a field goes away or changes its meaning."""

NEARLY_ALL: Final = (0.9, 1.1)
"""CPU time per wall time that counts as 1: one thread that computes all the time."""
WAITING: Final = 0.5
"""CPU time per wall time below which an environment counts as one that waits."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it was measured: cores that this process may use, versions of Python and of gymkernel, platform."""

    cores: int
    python: str
    kernel: str
    platform: str


@dataclass(frozen=True, slots=True)
class Alone:
    """One environment in a plain loop, without any backend; times in seconds.

    Attributes:
        steps_per_second: of the loop; a reset counts as a step, as it does for backends under NEXT_STEP.
        step_median, step_p95: of steps timed one by one.
        reset_median: of resets.
        construct_first: the first construction, with the imports that it needs.
        construct: another construction.
        cpu_share: CPU time of this process per wall time of the loop: 1 computes, 0 waits, above 1 uses threads.
        memory_bytes: what another environment adds; None where that cannot be known.
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
        """`cpu_share`, with nearly 1 taken as 1 and never 0."""
        low, high = NEARLY_ALL
        return 1.0 if low <= self.cpu_share <= high else max(self.cpu_share, 0.001)

    @property
    def waits(self) -> bool:
        """Whether most of a step is waiting."""
        return self.cpu_share < WAITING

    def bound(self, num_envs: int, cores: int) -> float:
        """How many times as fast as the plain loop `num_envs` environments can be, when nothing but steps takes time.

        Computing takes a core; waiting does not, so that environments which wait can all do it at the same time.

        Args:
            num_envs: how many are stepped as one.
            cores: how many processes can compute at the same time.

        >>> half = Alone(100.0, 0.01, 0.01, 0.01, 0.01, 0.01, cpu_share=0.5, memory_bytes=None)
        >>> half.bound(1, cores=2), half.bound(64, cores=2)
        (1.0, 4.0)
        """
        return max(1.0, min(float(num_envs), cores / self.share))


@dataclass(slots=True)
class Case:
    """One backend with one number of environments and of workers.

    Attributes:
        backend: as `make_vec` takes it: "sync", "async", "vector_entry_point", ...
        num_envs: how many environments.
        workers: `num_workers` of a backend that takes it, else None.
        state: "waiting" for its turn, then "measured", "failed" or "skipped".
        problem: why it failed or was skipped; also what went wrong in closing.
        rounds: steps per second (of all environments together) in each round.
        alone: steps per second of the plain loop in the same rounds.
        construct_seconds: from the call to the vector environment.
        memory_bytes: what it holds after its first steps, in all its processes; None where that cannot be known.
        bound: how many times as fast as the plain loop this machine allows for (`Alone.bound`).
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
        """The case in a few words: `async, 64 environments, 2 workers`."""
        words = [self.backend, f"{self.num_envs} environment{'s' * (self.num_envs != 1)}"]
        words += [] if self.workers is None else [f"{self.workers} worker{'s' * (self.workers != 1)}"]
        return ", ".join(words)

    @property
    def steps_per_second(self) -> float | None:
        """The median of the rounds, None where there is none."""
        return median(self.rounds) if self.rounds else None

    @property
    def ratio_to_alone(self) -> float | None:
        """How many times as fast as the plain loop in the same round, the median of the rounds."""
        pairs = [ours / theirs for ours, theirs in zip(self.rounds, self.alone, strict=False) if theirs]
        return median(pairs) if pairs else None

    @property
    def ratio_to_ideal(self) -> float | None:
        """How near it comes to `bound`; above 1 where a backend does not step environments one by one."""
        against = self.ratio_to_alone
        return None if against is None or self.bound is None else against / self.bound

    def as_dict(self) -> dict[str, Any]:
        """The case as plain data."""
        data = asdict(self)
        del data["alone"]
        speeds = {name: getattr(self, name) for name in ("steps_per_second", "ratio_to_alone", "ratio_to_ideal")}
        return data | {"problem": self.problem or None} | speeds


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to use: the setting, a sentence with the reason, and the code to paste.

    Attributes:
        backend: the name that `make_vec` takes as `vectorization_mode`.
        num_envs: how many environments to step as one.
        workers: how many processes step them; None for a backend that has none.
        sentence: why, with the figures that it rests on.
        code: a line of Python that makes the vector environment.
        otherwise: what to use where an environment's own vectorised form will not do: it takes no wrappers.
    """

    backend: str
    num_envs: int
    workers: int | None
    sentence: str
    code: str
    otherwise: Recommendation | None = None


@dataclass(slots=True)
class Report:
    """What was measured of one target.

    Attributes:
        target: as the user named it.
        machine: where.
        seed: of resets and actions.
        alone: the environment without a backend; None where it could not be measured, and `problem` says why.
        problem: why there is nothing to compare with.
        cases: every case, measured or not, in the order of num_envs.
        recommendation: None where nothing was measured.
        busy: part of the cores that other programs used while the plain loop ran; None where that is unknown.
        seconds: how long it took.
        interrupted: whether the user ended it early.
        warnings: what environments and backends warned of, each once.
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
        """The cases with a speed."""
        return [case for case in self.cases if case.rounds and case.state != "failed"]

    @property
    def failed(self) -> bool:
        """Whether the environment or a backend did not work."""
        return bool(self.problem) or any(case.state == "failed" for case in self.cases)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, in the schema that `gymkernel bench --format json` writes."""
        shown = {"problem": self.problem or None, "seconds": round(self.seconds, 3)}
        return {"schema": SCHEMA} | asdict(self) | shown | {"cases": [case.as_dict() for case in self.cases]}

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict(), indent=2)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a measurement stands: what is done of how many parts, what runs now, and what is known so far.

    Attributes:
        done: how many parts are measured.
        total: how many parts there are.
        now: the part that runs, as a few words.
        report: what is known so far; parts that were not measured yet are not in it.
    """

    done: int
    total: int
    now: str
    report: Report
