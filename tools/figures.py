"""Functions that generate the tables in the README and the performance guide from docs/benchmarks.json."""

from __future__ import annotations

import json
from statistics import median
from typing import Any, Final

__all__ = ["FigureError", "performance_tables", "ranges_table", "readme_table"]

ASYNC: Final = "AsyncVectorEnv, 64 environments, time of a vector step on 2 cores"
SYNC: Final = "SyncVectorEnv, time of a vector step"
# Maps the text of each row to the section that contains the row's cases, and to the suffix of the cases' names.
README: Final = {
    "a step of classic control, with resets": (
        "Classic control, time of a step of one environment, resets included",
        "",
    ),
    "a step of a toy text": ("Toy texts, time of a step", ""),
    "a rendered image": ("Classic control, time of a picture", ""),
    "a step of 64 environments, `SyncVectorEnv`": (SYNC, ", 64"),
    "a step of 64 classic-control environments, vectorised form against `SyncVectorEnv`": (
        "Classic control, NumPy forms against Gymnasium's synchronous backend, time of a vector step",
        ", 64",
    ),
    "a step of 64 environments, `AsyncVectorEnv`, steps that take no time": (
        ASYNC,
        ("no-op, Box(4)", "84x84x4 uint8", "nested Dict"),
    ),
    "a step of 64 environments, `AsyncVectorEnv`, steps of 0.1 ms and 1 ms": (ASYNC, ("us of work", "exponential")),
}
IMPORTS: Final = "Start-up: whole processes, as a share of `python -c 'import numpy'`"
LAYERS: Final = "Layers: time above the bare step, as a share of Gymnasium's"
WRAPPERS: Final = "Wrappers: time above the bare step"
SPACES: Final = "Spaces, one element"
VECTOR: Final = "CartPole, its vectorised form, time of a vector step"
COMPILED: Final = "Classic control, compiled forms against the NumPy forms, time of a vector step"
OWN_SPACE: Final = "A third party's space, as a share of the time of a Box"
MAKING: Final = "64 CartPoles: making, closing, memory (in GB, shown as seconds)"
SIZES: Final = (1, 8, 64, 256)
IMAGE: Final = "Box(84, 84, 4) uint8"
VECTORS: Final = {
    "CartPole's vectorised form": (VECTOR, "{n} environments"),
    "`SyncVectorEnv`, CartPole": (SYNC, "CartPole through make_vec, {n}"),
    "`SyncVectorEnv`, steps that do nothing": (SYNC, "no-op, Box(4), {n}"),
    "`SyncVectorEnv`, images of 84x84x4": (SYNC, "84x84x4 uint8, {n}"),
    "`SyncVectorEnv`, nested dictionaries": (SYNC, "nested Dict, {n}"),
    "`SyncVectorEnv`, steps with infos": (SYNC, "with infos, {n}"),
}
_OPERATIONS: Final = {"sample": "sample", "contains": "contains", "equality": "=="}
_OTHERS: Final = (
    "Discrete(5)",
    "MultiDiscrete(4)",
    "MultiBinary(8)",
    "Text(10)",
    "Sequence",
    "OneOf",
    "Graph",
)
# The tables of the guide: maps each subject to the unit of its figures and to its rows, each of which has a text, a
# section and one or two cases. If there are two cases, both were measured relative to a third one, and the figure is
# the second ratio divided by the first.
PERFORMANCE: Final[dict[str, tuple[str, list[tuple[str, str, tuple[str, ...]]]]]] = {
    "Start-up": (
        "times as fast as Gymnasium",
        [
            ("import of the library", IMPORTS, ("import gymkernel", "import gymnasium")),
            (
                "one process that imports, makes, resets and steps",
                IMPORTS,
                ("gymkernel: import, make, reset, step", "gymnasium: import, make, reset, step"),
            ),
            ('`make("CartPole-v1")`', "Making", ("make CartPole-v1",)),
            ("a reset with a seed", "Making", ("CartPole-v1 reset(seed=1)",)),
            ("a reset without a seed", "Making", ("CartPole-v1 reset()",)),
            ("making 64 environments", MAKING, ("making, 64",)),
        ],
    ),
    "One environment": (
        "times as fast as Gymnasium",
        [
            ("a step of CartPole alone", "CartPole, time of a step", ("bare, steps alone",)),
            ("a step of CartPole, with its resets", "CartPole, time of a step", ("bare, with resets",)),
            ("the same through `make`", "CartPole, time of a step", ("through make, with resets",)),
            ("the time that `make`'s wrappers add to a step", LAYERS, ("make's defaults",)),
            ("the time that `TimeLimit` adds", LAYERS, ("TimeLimit",)),
            ("the time that `OrderEnforcing` adds", LAYERS, ("OrderEnforcing",)),
            ("`observation_space` through ten wrappers", LAYERS, ("observation_space through ten",)),
            ("`ClipReward`", WRAPPERS, ("ClipReward(min_reward=-1.0, max_reward=0.5), Box(4)",)),
            ("`NormalizeReward`", WRAPPERS, ("NormalizeReward(), Box(4)",)),
            ("`NormalizeObservation`", WRAPPERS, ("NormalizeObservation(), Box(4)",)),
            ("`FrameStackObservation`", WRAPPERS, ("FrameStackObservation(stack_size=4), Box(4)",)),
            ("`FlattenObservation`", WRAPPERS, ("FlattenObservation(), Box(4)",)),
            ("`DtypeObservation`", WRAPPERS, ("DtypeObservation(dtype=float64), Box(4)",)),
            (
                "`RescaleObservation` with an offset",
                WRAPPERS,
                ("RescaleObservation(min_obs=-3.0, max_obs=5.0), Box(4)",),
            ),
            (
                "`RescaleObservation` without an offset",
                WRAPPERS,
                ("RescaleObservation(min_obs=-5.0, max_obs=5.0), Box(4)",),
            ),
        ],
    ),
    "64 environments in `AsyncVectorEnv`": (
        "times as fast as Gymnasium",
        [
            ("steps that do nothing", ASYNC, ("no-op, Box(4)",)),
            ("images of 84x84x4", ASYNC, ("84x84x4 uint8",)),
            ("images of 84x84x4, with `copy=False`", ASYNC, ("84x84x4 uint8, views",)),
            ("nested dictionaries", ASYNC, ("nested Dict",)),
        ],
    ),
    "Spaces": (
        "times as fast as Gymnasium",
        [
            *((f"`Box` of 4: {what}", SPACES, (f"Box(4) {case}",)) for what, case in _OPERATIONS.items()),
            *((f"`Box` of 84x84x4: {what}", SPACES, (f"{IMAGE} {what}",)) for what in ("sample", "contains")),
            *(
                (f"a nested `Dict`: {what}", SPACES, (f"nested Dict {what}",))
                for what in ("sample", "flatten", "unflatten", "contains")
            ),
            *((f"`{name.partition('(')[0]}`: sample", SPACES, (f"{name} sample",)) for name in _OTHERS),
            ("64 elements concatenated: `Box` of 4", "Spaces, batches of 64", ("Box(4) concatenate",)),
            ("64 elements concatenated: images", "Spaces, batches of 64", (f"{IMAGE} concatenate",)),
            ("64 elements concatenated: nested `Dict`", "Spaces, batches of 64", ("nested Dict concatenate",)),
        ],
    ),
    "Other ratios": (
        "ratio",
        [
            ("`gymkernel list`, relative to `import numpy`", IMPORTS, ("gymkernel list",)),
            ("CartPole's compiled form, 8 environments, relative to its NumPy form", COMPILED, ("CartPole-v1, 8",)),
            ("CartPole's compiled form, 64 environments, relative to its NumPy form", COMPILED, ("CartPole-v1, 64",)),
            ("`flatten` of a third party's space of two lines, relative to `Box`", OWN_SPACE, ("alone: flatten",)),
            ("`unflatten` of this space, relative to `Box`", OWN_SPACE, ("alone: unflatten",)),
            ("`SyncVectorEnv` with this space, relative to `Box`", OWN_SPACE, ("alone: a step of SyncVectorEnv, 64",)),
            (
                "`AsyncVectorEnv` with this space, relative to `Box`",
                OWN_SPACE,
                ("alone: a step of AsyncVectorEnv, 64",),
            ),
            (
                "`AsyncVectorEnv`, Gymnasium's CartPole, relative to bare environments on two cores",
                ASYNC,
                ("CartPole of Gymnasium, ideal",),
            ),
            (
                "the same with `parent_steps`, relative to bare environments on two cores",
                ASYNC,
                ("CartPole of Gymnasium, the parent, ideal",),
            ),
            (
                "`AsyncVectorEnv`, 100 us of work, relative to bare environments on two cores",
                ASYNC,
                ("100 us of work, ideal",),
            ),
            (
                "`AsyncVectorEnv`, 1 ms of work, relative to bare environments on two cores",
                ASYNC,
                ("1 ms of work, exponential, ideal",),
            ),
            ("memory of 64 environments, Gymnasium's divided by gymkernel's", MAKING, ("memory, 64",)),
        ],
    ),
}


class FigureError(Exception):
    """Raised if a figure in a table has not been measured."""


def readme_table(text: str) -> list[str]:
    """Return the README's table, with the median ratio to Gymnasium for each group of benchmarks.

    Args:
        text: the contents of docs/benchmarks.json.
    """
    lines = [f"| times as fast as {_versions(json.loads(text))} | median |", "| --- | --- |"]
    return lines + [f"| {what} | {_figure(median(ratios))} |" for what, ratios in _groups(text).items()]


def ranges_table(text: str) -> list[str]:
    """Return a table of the smallest and largest ratios in each group of the README's table.

    Args:
        text: the contents of docs/benchmarks.json.
    """
    lines = ["| times as fast as Gymnasium | least | greatest |", "| --- | --- | --- |"]
    for what, ratios in _groups(text).items():
        lines.append(f"| {what} | {_figure(min(ratios))} | {_figure(max(ratios))} |")
    return lines


def performance_tables(text: str) -> list[str]:
    """Return the performance guide's tables. Higher figures are better.

    Args:
        text: the contents of docs/benchmarks.json.
    """
    measured = json.loads(text)
    found = {(row["section"], row["name"]): row for row in measured["rows"]}
    lines = [f"Measured with {_versions(measured)} and NumPy {measured['machine']['numpy']}."]
    sizes = [f"{n} environment{'s' * (n > 1)}" for n in SIZES]
    lines += ["", f"| times as fast as Gymnasium | {' | '.join(sizes)} |", "| --- " * (len(SIZES) + 1) + "|"]
    for what, (section, name) in VECTORS.items():
        speeds = [_figure(_speed([_row(found, section, name.format(n=n))])) for n in SIZES]
        lines.append(f"| {what} | {' | '.join(speeds)} |")
    for subject, (unit, rows) in PERFORMANCE.items():
        lines += ["", f"| {subject[0].lower()}{subject[1:]} | {unit} |", "| --- | --- |"]
        for what, section, names in rows:
            lines.append(f"| {what} | {_figure(_speed([_row(found, section, name) for name in names]))} |")
    return lines


def _row(found: dict[tuple[str, str], dict[str, Any]], section: str, name: str) -> dict[str, Any]:
    if (section, name) not in found:
        raise FigureError(f"docs/benchmarks.json has no case {name!r} in {section!r}; change tools/figures.py")
    return found[section, name]


def _groups(text: str) -> dict[str, list[float]]:
    """Return the ratios to Gymnasium for each group of the README's table."""
    rows, found = json.loads(text)["rows"], {}
    for what, (section, end) in README.items():
        cases = [row for row in rows if row["section"] == section and row["name"].endswith(end)]
        found[what] = [row["ratio"] for row in cases if row["against"] in {"gymnasium", "async"}]
        if not found[what]:
            raise FigureError(
                f"docs/benchmarks.json has no case {section!r} that ends with {end!r}; change tools/figures.py"
            )
    return found


def _speed(rows: list[dict[str, Any]]) -> float:
    """Return the speed of the first row relative to its baseline or, if there are two rows, to the second row."""
    if len(rows) == 2:
        return float(rows[1]["ratio"] / rows[0]["ratio"])
    return float(1 / rows[0]["ratio"] if rows[0]["share"] else rows[0]["ratio"])


def _versions(measured: dict[str, Any]) -> str:
    machine = measured["machine"]
    return f"Gymnasium {machine['gymnasium']}, Python {machine['python']}"


def _figure(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"
