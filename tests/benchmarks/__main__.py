"""Compare gymkernel's speed with other libraries, and print a table of speed-ups: `python -m tests.benchmarks`.

All libraries are measured alternately in one run, because only ratios of times from the same run are meaningful.
Benchmarks do not pass or fail.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import warnings
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks.measure import Bench

from gymkernel_util_vector.cores import cores

SECTIONS = (
    "startup",
    "stepping",
    "wrappers",
    "spaces",
    "vector",
    "vector_async",
    "rollouts",
    "rllib",
    "toy_text",
    "environments",
    "box2d",
    "hierarchy",
    "envpool",
    "mujoco",
)


def main() -> None:
    """Run the requested sections, or all sections by default."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="gymkernel against its peers")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"unknown section {', '.join(sorted(unknown))}; choose from {', '.join(SECTIONS)}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    warnings.simplefilter("ignore")
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": cores(),
        **{name: version(name) for name in ("gymkernel", "numpy", "gymnasium")},
    }
    print(" ".join(f"{name} {value}" for name, value in machine.items()))
    print(f"{'':<44} {'ours':>9} {'peer':>9} {'':<10} {'ratio':>8} {'target':>8}")
    bench = Bench(quick=options.quick)
    for name in options.sections or SECTIONS:
        importlib.import_module(f"tests.benchmarks.{name}").run(bench)
    judged = [row.met for row in bench.rows if row.met is not None]
    print(f"\n{sum(judged)} of {len(judged)} targets met")
    if options.json:
        report = {"machine": machine, "rows": [row.record() for row in bench.rows]}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
