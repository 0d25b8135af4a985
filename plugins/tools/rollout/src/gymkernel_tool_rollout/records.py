"""What a rollout says: each episode, numbers that sum them up, and the report that gathers them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ENDS", "QUANTILES", "SCHEMA", "Episode", "Report", "Summary"]

SCHEMA: Final = "gymkernel.rollout/1"
"""Name and version of the JSON form; the version grows when a field goes away or changes its meaning."""
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
ENDS: Final = ("terminated", "truncated", "cut")


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode that ended.

    Attributes:
        number: from 0.
        seed: with which it can be had again, as the first of another rollout.
        total: the return: the sum of its rewards, not discounted.
        length: in steps.
        ended: "terminated" or "truncated" by the environment (by a terminal state where it says both), or "cut" by
            `max_steps`.
    """

    number: int
    seed: int
    total: float
    length: int
    ended: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers that sum up others; NaN where there are none.

    Attributes:
        mean: of them all.
        std: the population's standard deviation.
        min, max: the smallest and largest.
        quantiles: by their part, for example 0.5 for the median; between two numbers they are interpolated.

    >>> Summary.of([1.0, 2.0, 6.0]).mean
    3.0
    """

    mean: float
    std: float
    min: float
    max: float
    quantiles: dict[float, float]

    @classmethod
    def of(cls, values: Any) -> Summary:
        """The summary of numbers.

        Args:
            values: numbers, perhaps none, of any shape.
        """
        found = np.asarray(values, np.float64)
        if not found.size:
            return cls(math.nan, math.nan, math.nan, math.nan, dict.fromkeys(QUANTILES, math.nan))
        with np.errstate(invalid="ignore"):  # of infinite ones
            parts = np.quantile(found, QUANTILES).tolist()
            mean, std = float(found.mean()), float(found.std())
        return cls(mean, std, float(found.min()), float(found.max()), dict(zip(QUANTILES, parts, strict=True)))


@dataclass(slots=True)
class Report:
    """What a policy did in an environment.

    Attributes:
        env: what the environment is called.
        policy: what the policy is called.
        seed: of the first episode; each further one has the next number.
        max_steps: of an episode; None for no other limit than the environment's.
        asked: how many episodes were asked for.
        episodes: those that ended.
        steps: of all episodes together, also of one that did not end.
        seconds: how long it took.
        video: the file, None where none was asked for.
        where: what ran the environments, where it was not this process alone.
        problem: what failed, empty where nothing did.
        interrupted: whether the user ended it early.
    """

    env: str
    policy: str
    seed: int
    max_steps: int | None = None
    asked: int = 0
    episodes: list[Episode] = field(default_factory=list)
    steps: int = 0
    seconds: float = 0.0
    video: str | None = None
    problem: str = ""
    interrupted: bool = False
    where: str | None = None

    @property
    def returns(self) -> NDArray[np.float64]:
        """The return of each episode, of shape (episodes,)."""
        return np.array([episode.total for episode in self.episodes], np.float64)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each episode in steps, of shape (episodes,)."""
        return np.array([episode.length for episode in self.episodes], np.int64)

    @property
    def ended(self) -> dict[str, int]:
        """How many episodes ended how, see `Episode`."""
        counted = Counter(episode.ended for episode in self.episodes)
        return {end: counted[end] for end in ENDS}

    @property
    def steps_per_second(self) -> float | None:
        """Of environment and policy together; None where no time passed."""
        return self.steps / self.seconds if self.seconds > 0 else None

    def summary(self, of: str = "return") -> Summary:
        """The summary of the returns, or of the lengths.

        Args:
            of: "return" or "length".

        Raises:
            ValueError: something else.
        """
        if of not in {"return", "length"}:
            raise ValueError(f"Expected 'return' or 'length', got {of!r}")
        return Summary.of(self.returns if of == "return" else self.lengths)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, in the schema that `gymkernel rollout --format json` writes; NaN is None there."""
        data = {
            "schema": SCHEMA,
            "env": self.env,
            "policy": self.policy,
            "seed": self.seed,
            "max_steps": self.max_steps,
            "asked": self.asked,
            "returns": _named(self.summary("return")),
            "lengths": _named(self.summary("length")),
            "ended": self.ended,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "steps_per_second": self.steps_per_second,
            "episodes": [_of_episode(episode) for episode in self.episodes],
            "video": self.video,
            **({} if self.where is None else {"where": self.where}),
            "problem": self.problem or None,
            "interrupted": self.interrupted,
        }
        found: dict[str, Any] = _finite(data)
        return found

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False)


def _of_episode(episode: Episode) -> dict[str, Any]:
    return {"return" if name == "total" else name: value for name, value in asdict(episode).items()}


def _named(summary: Summary) -> dict[str, Any]:
    data = asdict(summary)
    data["quantiles"] = {f"{part:g}": value for part, value in summary.quantiles.items()}
    return data


def _finite(data: Any) -> Any:
    """The data with None for numbers that JSON lacks."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
