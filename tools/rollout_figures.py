"""Functions that generate the tables in docs/guides/rollout-performance.md from the measurements.

Each cell contains one figure. Higher figures are better. `python -m tests.benchmarks rollouts rllib --json
docs/rollouts.json` and `python -m tests.benchmarks.growth --json docs/growth.json` write the measurements. `tox run -e
bench-ray` runs both commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

__all__ = ["MACHINES", "blocks"]

MACHINES: Final = 100
CORES: Final = 16
"""The number of cores per machine."""
NETWORKS: Final = {"10 Gbit/s": 10e9 / 8, "25 Gbit/s": 25e9 / 8}
"""The speed of each network in bytes per second."""
WORKLOADS: Final = {
    "CartPole of Gymnasium": "CartPole of Gymnasium",
    "CartPole": "CartPole of gymkernel",
    "100 us of work": "100 µs of work",
    "1 ms of work, exponential": "1 ms of work",
    "84x84x4 uint8": "images, no work",
    "84x84x4 uint8, drawn anew": "images, drawn anew",
}
ENGINES: Final = ("plain Gymnasium", "async", "Ray", "Ray, through its store", "RLlib")
NETWORK: Final = "CartPole of Gymnasium with RLlib's network"
NAMES: Final = {**WORKLOADS, NETWORK: "CartPole of Gymnasium, RLlib's network"}
VECTORS: Final = "CartPole"
IMAGES: Final = "84x84x4 uint8"
"""The workloads in docs/growth.json. In `VECTORS`, observations are a few numbers; in `IMAGES`, they are images."""
FAR: Final = "store"
"""The value of `way` in rows about fragments that come from another machine."""


@dataclass(frozen=True, slots=True)
class Rollouts:
    """The rows of docs/rollouts.json, keyed by name."""

    rows: dict[str, dict[str, Any]]

    def speed(self, name: str) -> str:
        """Return a case's speed relative to plain processes, or a dash if it was not measured."""
        row = self.rows.get(f"{name}, wall")
        return "-" if row is None else f"{row['ratio']:.2f}"

    def efficiency(self, name: str) -> str:
        """Return a case's number of steps per second of CPU time, or a dash if it was not measured."""
        row = self.rows.get(f"{name}, processor")
        return "-" if row is None else _count(1 / row["ours"])

    def elsewhere(self, name: str) -> float:
        """Return the CPU time per step on the machines that run the environments, if Ray's object store is used."""
        total, driver = (self.rows[f"{name}, Ray, through its store, {part}"] for part in ("processor", "driver"))
        return float(total["ours"] - driver["ours"])


def blocks(rollouts: dict[str, Any], growth: dict[str, Any]) -> dict[str, list[str]]:
    """Return the lines of each stamped part of the guide, keyed by the part's name.

    Raises:
        KeyError: if a figure was not measured.
    """
    # If a case was measured twice, use the first row.
    found = Rollouts({row["name"]: row for row in reversed(rollouts["rows"])})
    return {
        "rollout-figures": _figures(found, rollouts["machine"]),
        "rollout-processor": _processor(found),
        "rollout-rllib": _rllib(found),
        "rollout-growth": _growth(growth["rows"]),
        "rollout-intake": _intake(growth["rows"]),
        "rollout-limits": _limits(found, growth["rows"]),
    }


def _figures(rollouts: Rollouts, machine: dict[str, Any]) -> list[str]:
    heads = [f"{machine['cpus']} cores, 64 environments", "plain processes, steps/s", "with Gymnasium's", "`async`"]
    lines = _header([*heads, "`ray`", "`ray`, by its store", "RLlib"])
    for name, what in NAMES.items():
        speed = _count(1 / rollouts.rows[f"{name}, Ray, wall"]["peer"])
        cells = [what, speed, *(rollouts.speed(f"{name}, {engine}") for engine in ENGINES)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _processor(rollouts: Rollouts) -> list[str]:
    heads = ["steps per second of CPU time", "plain processes", "with Gymnasium's", "`async`", "`ray`"]
    lines = _header([*heads, "`ray`, by its store", "RLlib"])
    for name, what in NAMES.items():
        speed = _count(1 / rollouts.rows[f"{name}, Ray, processor"]["peer"])
        cells = [what, speed, *(rollouts.efficiency(f"{name}, {engine}") for engine in ENGINES)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _rllib(rollouts: Rollouts) -> list[str]:
    lines = _header(["workload", "times as fast as RLlib"])
    for name, what in NAMES.items():
        row = rollouts.rows.get(f"{name}, times RLlib, wall")
        lines += [] if row is None else [f"| {what} | {row['ratio']:.1f} |"]
        default = rollouts.rows.get(f"{name}, times RLlib with its network")
        lines += [] if default is None else [f"| {what}, RLlib with its own network | {default['ratio']:.1f} |"]
    return lines


def _growth(rows: list[dict[str, Any]]) -> list[str]:
    actors = list(dict.fromkeys(row["actors"] for row in rows))
    lines = _header(["per second of CPU time", *(f"{n} shard{'s' * (n > 1)}" for n in actors)])
    for key, who, unit in (
        ("driver", "the program", "fragments"),
        ("store", "its store", "fragments"),
        ("workers", "the shards", "steps"),
    ):
        for workload, way in dict.fromkeys((row["workload"], row["way"]) for row in rows):
            these = [row for row in rows if (row["workload"], row["way"]) == (workload, way)]
            if key == "store" and way != FAR:
                continue  # these fragments are not sent through the object store
            kind = "images" if workload == IMAGES else "CartPole"
            through = "another machine" if way == FAR else "shared memory"
            steps = [1e6 / max(row[key], 1e-9) for row in these]
            sizes = [1 if unit == "steps" else row["fragment_steps"] for row in these]
            cells = [_count(n / size) for n, size in zip(steps, sizes, strict=True)]
            lines.append(f"| {who}, {unit}: {kind}, {through} | {' | '.join(cells)} |")
    return lines


def _intake(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table of how many fragments one core can receive per second."""
    lines = _header(["fragments of", "steps", "MB", "the program, fragments/s", "its store, fragments/s"])
    for workload, what in {VECTORS: "CartPole", IMAGES: "images"}.items():
        row = _largest(rows, workload)
        steps, size = row["fragment_steps"], row["fragment_steps"] * row["bytes"] / 1e6
        cells = [what, f"{steps:,}", _short(size)]
        cells += [_count(1e6 / max(row[kind], 1e-9) / steps) for kind in ("driver", "store")]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _limits(rollouts: Rollouts, growth: list[dict[str, Any]]) -> list[str]:
    cores = MACHINES * CORES
    working = {
        what: (IMAGES if name.startswith(IMAGES) else VECTORS, rollouts.elsewhere(name))
        for name, what in WORKLOADS.items()
    }
    working["images, 1 ms of work"] = IMAGES, rollouts.elsewhere("1 ms of work, exponential")
    large = _largest(growth, IMAGES)
    heads = ["a step of", "µs", "fragments/s", "MB/s"]
    lines = _header([*heads, "the program", "its store", *NETWORKS, "large fragments"])
    for what, (fragments, seconds) in working.items():
        row = _largest(growth, fragments)
        steps, size, sent = row["fragment_steps"], row["bytes"], cores / seconds
        limits = [1e6 / max(row["driver"], 1e-9), 1e6 / max(row["store"], 1e-9)]  # steps per second
        limits += [limit / size for limit in NETWORKS.values()]
        limits.append(1e6 * large["bytes"] / max(large["driver"], large["store"]) / size)
        cells = [
            what,
            _short(seconds * 1e6),
            _count(sent / steps),
            _count(sent * size / 1e6),
            *(_count(limit * seconds) if limit < sent else "all" for limit in limits),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _header(cells: list[str]) -> list[str]:
    return [f"| {' | '.join(cells)} |", f"| {' | '.join(['---'] * len(cells))} |"]


def _largest(growth: list[dict[str, Any]], workload: str) -> dict[str, Any]:
    """Return the row with the most shards among those whose fragments come from another machine."""
    found = [row for row in growth if (row["workload"], row["way"]) == (workload, FAR)]
    if not found:
        raise KeyError(f"{workload}, {FAR}")
    return max(found, key=lambda row: int(row["actors"]))


def _short(value: float) -> str:
    """Format a number with two significant digits, or as an integer if it is large."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{max(value, 0):.2f}"


def _count(value: float) -> str:
    """Format a number with two significant digits, which is the precision of the measurements."""
    if value < 10:
        return _short(value)
    scale = 10 ** (len(str(int(value))) - 2)
    return f"{int(round(value / scale) * scale):,}"
