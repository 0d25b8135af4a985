"""Records for the results of a rollout: `Episode`, `Summary` (statistics over episodes) and `Report`."""

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
"""The name and version of the JSON format. The version increases when a field is removed or changes its meaning."""
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
ENDS: Final = ("terminated", "truncated", "cut")


@dataclass(frozen=True, slots=True)
class Episode:
    """The results of an episode that has ended.

    Attributes:
        number: the index of the episode in the rollout, starting from 0.
        seed: the seed of the episode. A rollout with this seed begins with the same episode.
        total: the return, that is, the undiscounted sum of all rewards.
        length: the number of steps.
        ended: how the episode ended: "terminated" or "truncated" by the environment ("terminated" if both flags are
            set), or "cut" by `max_steps`.
    """

    number: int
    seed: int
    total: float
    length: int
    ended: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a set of numbers. All statistics of an empty set are NaN.

    Attributes:
        mean: the arithmetic mean of the numbers.
        std: the population standard deviation of the numbers.
        min, max: the smallest and the largest number.
        quantiles: the interpolated quantiles, keyed by probability (0.5 for the median).

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
        """Compute the statistics of the given numbers.

        Args:
            values: an array of any shape, which may be empty.
        """
        numbers = np.asarray(values, np.float64)
        if not numbers.size:
            return cls(math.nan, math.nan, math.nan, math.nan, dict.fromkeys(QUANTILES, math.nan))
        with np.errstate(invalid="ignore"):  # infinite values are allowed
            quantiles = np.quantile(numbers, QUANTILES).tolist()
            mean, std = float(numbers.mean()), float(numbers.std())
        return cls(mean, std, float(numbers.min()), float(numbers.max()), dict(zip(QUANTILES, quantiles, strict=True)))


@dataclass(slots=True)
class Report:
    """The results of a rollout.

    Attributes:
        env: the name of the environment.
        policy: the name of the policy.
        seed: the seed of the first episode. Each further episode has a seed that is greater by one.
        max_steps: the maximum number of steps per episode; None for the environment's own limit.
        asked: the requested number of episodes.
        episodes: the episodes that have ended.
        steps: the total number of steps, including those of an unfinished episode.
        seconds: how long the rollout took, in seconds.
        video: the path of the video; None if no video was requested.
        where: a description of the engine; None if the episodes ran in this process without an engine.
        problem: a description of the failure; "" if the rollout did not fail.
        interrupted: whether the user ended the rollout early.
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
        """The return of each episode, as an array of shape (episodes,)."""
        return np.array([episode.total for episode in self.episodes], np.float64)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each episode in steps, as an array of shape (episodes,)."""
        return np.array([episode.length for episode in self.episodes], np.int64)

    @property
    def ended(self) -> dict[str, int]:
        """The number of episodes for each value of `Episode.ended`."""
        counted = Counter(episode.ended for episode in self.episodes)
        return {end: counted[end] for end in ENDS}

    @property
    def steps_per_second(self) -> float | None:
        """The number of steps per second, where the time includes the policy; None if no time has passed."""
        return self.steps / self.seconds if self.seconds > 0 else None

    def summary(self, of: str = "return") -> Summary:
        """Compute the statistics of the episodes' returns or lengths.

        Args:
            of: "return" or "length".

        Raises:
            ValueError: if `of` has another value.
        """
        if of not in {"return", "length"}:
            raise ValueError(f"Expected 'return' or 'length', got {of!r}")
        return Summary.of(self.returns if of == "return" else self.lengths)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as a dict, with None for NaN, in the format of `gymkernel rollout --format json`."""
        data = {
            "schema": SCHEMA,
            "env": self.env,
            "policy": self.policy,
            "seed": self.seed,
            "max_steps": self.max_steps,
            "asked": self.asked,
            "returns": _summary_data(self.summary("return")),
            "lengths": _summary_data(self.summary("length")),
            "ended": self.ended,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "steps_per_second": self.steps_per_second,
            "episodes": [_episode_data(episode) for episode in self.episodes],
            "video": self.video,
            **({} if self.where is None else {"where": self.where}),
            "problem": self.problem or None,
            "interrupted": self.interrupted,
        }
        finite: dict[str, Any] = _replace_nan(data)
        return finite

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False)


def _episode_data(episode: Episode) -> dict[str, Any]:
    return {"return" if name == "total" else name: value for name, value in asdict(episode).items()}


def _summary_data(summary: Summary) -> dict[str, Any]:
    data = asdict(summary)
    data["quantiles"] = {f"{part:g}": value for part, value in summary.quantiles.items()}
    return data


def _replace_nan(data: Any) -> Any:
    """Replace NaN and infinite values, which JSON cannot represent, with None."""
    if isinstance(data, dict):
        return {key: _replace_nan(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_replace_nan(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
