"""Draw the plots of the site, by name, from measured data.

`python -m tests.benchmarks --json` writes `benchmarks.json`, which is in this folder. `tox run -e bench-ray` writes
`rollouts.json` and `growth.json`, and make_outputs.py writes `tutorials/output/plots.json`.
"""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import charts

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PLOTS", "speeds"]

DOCS: Final = Path(__file__).resolve().parent
LIBRARIES: Final = {
    "async": "Gymnasium AsyncVectorEnv",
    "sync": "Gymnasium SyncVectorEnv",
    "SB3 dummy": "SB3 DummyVecEnv",
    "SB3 subproc": "SB3 SubprocVecEnv",
    "PufferLib": "PufferLib, its best backend",
}
"""The display names of the benchmarks' peers."""
ROLLOUTS: Final = {
    "async": "gymkernel, engine async",
    "Ray": "gymkernel, engine ray",
    "Ray, through its store": "gymkernel, engine ray, as from another machine",
    "RLlib": "RLlib's env runners",
}
"""The display names of the rows in the rollout benchmarks."""
RATIOS: Final = {
    ("CartPole-v1", "time of a step of one"): "a step of CartPole, through make",
    ("CartPole through make_vec, 64", "SyncVectorEnv"): "64 CartPoles, each library's synchronous backend",
    ("CartPole-v1, 64", "NumPy forms"): "64 CartPoles, array form against their synchronous backend",
    ("Taxi-v4", "64 environments, a step"): "64 Taxis, array form against their synchronous backend",
    ("CartPole", "AsyncVectorEnv, 64"): "64 CartPoles, each library's asynchronous backend",
}
"""The rows that the plot of ratios shows. Each entry is the name of the row, a part of its section, and its label."""


@cache
def benchmarks() -> list[dict[str, Any]]:
    """Return the rows of `benchmarks.json`."""
    rows: list[dict[str, Any]] = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))["rows"]
    return rows


@cache
def outputs() -> dict[str, Any]:
    """Return the results of the tutorials' programs."""
    found: dict[str, Any] = json.loads((DOCS / "tutorials" / "output" / "plots.json").read_text(encoding="utf-8"))
    return found


def speeds(env_id: str) -> list[tuple[str, str]]:
    """Return the benchmarks of an environment, each with its speed relative to the peer."""
    found = []
    for row in benchmarks():
        section, (name, _, n) = row["section"], row["name"].partition(", ")
        if name != env_id or "picture" in section or not section.startswith(("Classic", "Toy")):
            continue
        several = n or section.partition("Toy texts, ")[2].partition(" environments")[0]
        if row["against"] == "NumPy":
            what = f"compiled form against the array form, {n} environments"
        elif several.isdigit():
            what = f"array form, {several} environments, against Gymnasium's synchronous backend"
        else:
            what = "one step, resets included"
        found.append((what, f"{row['ratio']:.3g}"))
    return found


def ratios() -> str:
    """Draw the speed relative to Gymnasium."""
    rows = [
        (label, row["ratio"], True)
        for (name, section), label in RATIOS.items()
        for row in benchmarks()
        if row["name"] == name and section in row["section"] and row["against"] in {"gymnasium", "async"}
    ]
    return charts.bars(rows, "\N{MULTIPLICATION SIGN}")


def libraries() -> str:
    """Draw the steps per second of 64 Gymnasium CartPole environments with the backends of each library."""
    workload = "CartPole of Gymnasium"
    found = [row for row in benchmarks() if row["section"].startswith("AsyncVectorEnv, 64 ")]
    mine = next(row["ours"] for row in found if row["name"] == workload)
    rows = [("gymkernel AsyncVectorEnv", 64 / mine, True)]
    for row in found:
        against = row["against"]
        if against in LIBRARIES and row["name"] in {workload, f"{workload}, {against}"}:
            rows.append((LIBRARIES[against], 64 / row["peer"], False))
        if against == "our sync" and row["name"].startswith(workload):
            rows.append(("gymkernel SyncVectorEnv", 64 / row["peer"], True))
    return charts.bars(sorted(rows, key=lambda row: -row[1]), "\N{NO-BREAK SPACE}steps/s")


@cache
def rollouts(name: str) -> list[dict[str, Any]]:
    """Return the rows of `rollouts.json` or `growth.json`."""
    rows: list[dict[str, Any]] = json.loads((DOCS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return rows


def rollout_speeds() -> str:
    """Draw the steps per second of Gymnasium's CartPole in two plain processes, in gymkernel and in RLlib."""
    found = {row["name"].removeprefix("CartPole of Gymnasium, "): row for row in reversed(rollouts("rollouts"))}
    rows = [("plain processes, which hand over nothing", 1 / found["Ray, wall"]["peer"], False)]
    for name, label in ROLLOUTS.items():
        rows.append((label, 1 / found[f"{name}, wall"]["ours"], name != "RLlib"))
    return charts.bars(rows, "\N{NO-BREAK SPACE}steps/s")


def growth(workload: str, what: str) -> str:
    """Draw the CPU time per fragment, in the program and in its node's store, against the number of shards."""
    lines = []
    for way, label in {"store": "from another machine", "shared memory": "through shared memory"}.items():
        rows = [row for row in rollouts("growth") if (row["workload"], row["way"]) == (workload, way)]
        costs = [(row["driver"] + row["store"]) * row["fragment_steps"] / 1000 for row in rows]
        lines.append((label, [row["actors"] for row in rows], costs))
    return charts.curves(lines, "shards", f"{what}: ms of the processor where the program is, a fragment", floor=0)


def blackjack() -> str:
    """Draw the mean return during learning."""
    found = outputs()["blackjack"]
    line = ("5,000 games at a time", found["games"], found["returns"])
    return charts.curves([line], "games", "mean return", ("what was learned, without exploring", found["played"]))


def cartpole_reinforce() -> str:
    """Draw the mean return of 32 episodes for two seeds."""
    lines = [(seed, range(len(values)), values) for seed, values in outputs()["cartpole-reinforce"].items()]
    return charts.curves(lines, "updates", "mean return", ("the most that there is", 500.0))


def thermostat() -> str:
    """Draw the returns of the days."""
    values = outputs()["thermostat"]["returns"]
    days = [20 * (i + 1) for i in range(len(values))]
    return charts.curves([("20 days at a time", days, values)], "days", "mean return", ("a perfect day", 96.0))


def ppo_cartpole() -> str:
    """Draw the returns of the episodes."""
    found = outputs()["ppo-cartpole"]
    return charts.curves(
        [("PPO", found["steps"], found["returns"])], "steps", "return", ("the highest possible return", 500.0)
    )


def bench(name: str) -> str:
    """Draw the results of `gymkernel bench`."""
    rows = []
    for backend, num_envs, workers, speed in outputs()[name]:
        label = "alone, a plain loop" if backend == "alone" else f"{num_envs} in {backend}"
        rows.append(
            (label + (f", {workers} worker{'s' * (workers > 1)}" if workers else ""), float(speed), backend != "alone")
        )
    return charts.bars(rows, "\N{NO-BREAK SPACE}steps/s")


PLOTS: Final[dict[str, Callable[[], str]]] = {
    "ratios": ratios,
    "libraries": libraries,
    "rollouts": rollout_speeds,
    "growth": partial(growth, "CartPole", "CartPole"),
    "growth-images": partial(growth, "84x84x4 uint8", "images"),
    "blackjack": blackjack,
    "cartpole-reinforce": cartpole_reinforce,
    "thermostat": thermostat,
    "ppo-cartpole": ppo_cartpole,
    "bench": partial(bench, "bench"),
    "bench-busy": partial(bench, "bench-busy"),
}
"""The functions that draw the plots, by the names that pages use."""
