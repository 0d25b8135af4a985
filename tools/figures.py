"""Render the tables of figures in the README and in the performance guide from docs/benchmarks.json."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["FigureError", "performance_table", "readme_table"]

ASYNC: Final = "AsyncVectorEnv, 64 environments, time of a vector step on 2 cores"
SYNC: Final = "SyncVectorEnv, time of a vector step"
# Each entry has a label, the section of the benchmark, and the suffixes of the names of its cases.
README: Final = {
    "a step of classic control, with resets": (
        "Classic control, time of a step of one environment, resets included",
        "",
    ),
    "a step of a toy text": ("Toy texts, time of a step", ""),
    "a picture": ("Classic control, time of a picture", ""),
    "a step of 64 environments, `SyncVectorEnv`": (SYNC, ", 64"),
    "the same of classic control, vectorised with NumPy here, with `SyncVectorEnv` there": (
        "Classic control, NumPy forms against Gymnasium's synchronous backend, time of a vector step",
        ", 64",
    ),
    "the same, `AsyncVectorEnv`, steps that take no time": (ASYNC, ("no-op, Box(4)", "84x84x4 uint8", "nested Dict")),
    "the same, steps that take 0.1 ms and 1 ms": (ASYNC, ("us of work", "exponential")),
}
STARTING: Final = "Start-up: whole processes, as a share of `python -c 'import numpy'`"
LAYERS: Final = "Layers: time above the bare step, as a share of Gymnasium's"
WRAPPERS: Final = "Wrappers: time above the bare step"
SPACES: Final = "Spaces, one element"
SIZES: Final = (1, 8, 64, 256)
IMAGE: Final = "Box(84, 84, 4) uint8"
# Each entry has a label, the section of the benchmark, and its cases in the order of the figures.
PERFORMANCE: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    (
        "`import gymkernel`, `import gymnasium`, of `import numpy`",
        STARTING,
        ("import gymkernel", "import gymnasium"),
    ),
    (
        "one process that imports, makes, resets and steps, of `import numpy`: gymkernel, Gymnasium",
        STARTING,
        ("gymkernel: import, make, reset, step", "gymnasium: import, make, reset, step"),
    ),
    ("`gymkernel list`, of `import numpy`", STARTING, ("gymkernel list",)),
    (
        '`make("CartPole-v1")`, a seeded reset, one without a seed',
        "Making",
        ("make CartPole-v1", "CartPole-v1 reset(seed=1)", "CartPole-v1 reset()"),
    ),
    (
        "what is added to a step, of what Gymnasium adds: `make`'s wrappers, `TimeLimit`, `OrderEnforcing`",
        LAYERS,
        ("make's defaults", "TimeLimit", "OrderEnforcing"),
    ),
    ("`observation_space` through ten wrappers", LAYERS, ("observation_space through ten",)),
    (
        "`ClipReward`, `NormalizeReward`, `NormalizeObservation`, `FrameStackObservation`, `FlattenObservation`",
        WRAPPERS,
        (
            "ClipReward(min_reward=-1.0, max_reward=0.5), Box(4)",
            "NormalizeReward(), Box(4)",
            "NormalizeObservation(), Box(4)",
            "FrameStackObservation(stack_size=4), Box(4)",
            "FlattenObservation(), Box(4)",
        ),
    ),
    (
        "`DtypeObservation`, `RescaleObservation` with an offset and without",
        WRAPPERS,
        (
            "DtypeObservation(dtype=float64), Box(4)",
            "RescaleObservation(min_obs=-3.0, max_obs=5.0), Box(4)",
            "RescaleObservation(min_obs=-5.0, max_obs=5.0), Box(4)",
        ),
    ),
    (
        "a step of CartPole: alone, with its resets, through `make` with its resets",
        "CartPole, time of a step",
        ("bare, steps alone", "bare, with resets", "through make, with resets"),
    ),
    (
        "CartPole's vectorised form with 1, 8, 64 and 256 environments",
        "CartPole, its vectorised form, time of a vector step",
        tuple(f"{n} environments" for n in SIZES),
    ),
    (
        "CartPole's compiled form against its NumPy form, with 8 and 64 environments",
        "Classic control, compiled forms against the NumPy forms, time of a vector step",
        ("CartPole-v1, 8", "CartPole-v1, 64"),
    ),
    *(
        (f"`SyncVectorEnv` of {what}, with 1, 8, 64 and 256 environments", SYNC, tuple(f"{name}, {n}" for n in SIZES))
        for what, name in {
            "CartPole": "CartPole through make_vec",
            "steps that do nothing": "no-op, Box(4)",
            "images of 84x84x4": "84x84x4 uint8",
            "nested dictionaries": "nested Dict",
            "steps with infos": "with infos",
        }.items()
    ),
    (
        "`Box` of 4: sample, contains, equality",
        SPACES,
        tuple(f"Box(4) {what}" for what in ("sample", "contains", "==")),
    ),
    ("`Box` of 84x84x4: sample, contains", SPACES, (f"{IMAGE} sample", f"{IMAGE} contains")),
    (
        "a nested `Dict`: sample, flatten, unflatten, contains",
        SPACES,
        tuple(f"nested Dict {what}" for what in ("sample", "flatten", "unflatten", "contains")),
    ),
    (
        "`Discrete`, `MultiDiscrete`, `MultiBinary`, `Text`, `Sequence`, `OneOf`, `Graph`: sample",
        SPACES,
        tuple(
            f"{name} sample"
            for name in ("Discrete(5)", "MultiDiscrete(4)", "MultiBinary(8)", "Text(10)", "Sequence", "OneOf", "Graph")
        ),
    ),
    (
        "64 elements concatenated: `Box` of 4, images, nested `Dict`",
        "Spaces, batches of 64",
        tuple(f"{name} concatenate" for name in ("Box(4)", IMAGE, "nested Dict")),
    ),
    (
        "a third party's space of two lines, of a `Box`: flatten, unflatten, sync step, async step",
        "A third party's space, as a share of the time of a Box",
        (
            "alone: flatten",
            "alone: unflatten",
            "alone: a step of SyncVectorEnv, 64",
            "alone: a step of AsyncVectorEnv, 64",
        ),
    ),
    (
        "`AsyncVectorEnv`, 64 environments: nothing to do, images, images as views, nested dictionaries",
        ASYNC,
        ("no-op, Box(4)", "84x84x4 uint8", "84x84x4 uint8, views", "nested Dict"),
    ),
    (
        "the same, of both cores with bare environments: Gymnasium's CartPole, with `parent_steps`; 100 us, 1 ms",
        ASYNC,
        (
            "CartPole of Gymnasium, ideal",
            "CartPole of Gymnasium, the parent, ideal",
            "100 us of work, ideal",
            "1 ms of work, exponential, ideal",
        ),
    ),
    (
        "making 64 environments, and their memory, of Gymnasium's",
        "64 CartPoles: making, closing, memory (in GB, shown as seconds)",
        ("making, 64", "memory, 64"),
    ),
)


class FigureError(Exception):
    """A figure that a table needs was not measured. The message names the figure."""


def readme_table(text: str) -> list[str]:
    """Return a table with the smallest and the largest ratio to Gymnasium in each group of benchmarks.

    Args:
        text: the content of docs/benchmarks.json.
    """
    measured = json.loads(text)
    lines = [f"| times as fast as {_versions(measured)} | least | greatest |", "| --- | --- | --- |"]
    for what, (section, end) in README.items():
        rows = [row for row in measured["rows"] if row["section"] == section and row["name"].endswith(end)]
        ratios = [row["ratio"] for row in rows if row["against"] in {"gymnasium", "async"}]
        if not ratios:
            raise FigureError(
                f"docs/benchmarks.json has no case {section!r} that ends with {end!r}; fix tools/figures.py"
            )
        lines.append(f"| {what} | {_figure(min(ratios))} | {_figure(max(ratios))} |")
    return lines


def performance_table(text: str) -> list[str]:
    """Return a table with the ratios of the benchmarks that the first column lists, in the same order.

    Args:
        text: the content of docs/benchmarks.json.
    """
    measured = json.loads(text)
    ratios = {(row["section"], row["name"]): row["ratio"] for row in measured["rows"]}
    lines = [f"| what ({_versions(measured)}, NumPy {measured['machine']['numpy']}) | figures |", "| --- | --- |"]
    for what, section, names in PERFORMANCE:
        missing = [name for name in names if (section, name) not in ratios]
        if missing:
            raise FigureError(f"docs/benchmarks.json has no case {missing[0]!r} in {section!r}; fix the table")
        lines.append(f"| {what} | {', '.join(_figure(ratios[section, name]) for name in names)} |")
    return lines


def _versions(measured: dict[str, Any]) -> str:
    machine = measured["machine"]
    return f"Gymnasium {machine['gymnasium']}, Python {machine['python']}"


def _figure(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"
