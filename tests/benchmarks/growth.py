"""Measure how the cost of a rollout grows with the size of the cluster.

    python -m tests.benchmarks.growth --json docs/growth.json

The benchmark spreads 1, 2, 4 and 8 shards over four simulated nodes (`ray.cluster_utils`). The program's own node
runs no shard. All nodes share one machine, so wall-clock time cannot decrease. The benchmark therefore measures the
CPU time of the program, of the object store on its node, of the shards, and of all other Ray processes. The CPU time
of an idle cluster is measured and subtracted.

Each shard has the same number of environments in every cluster, so all fragments have the same size. Fragments are
transferred either through Ray's object stores (`shared_memory=False`) or through shared memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tests.benchmarks.processor_time import Stopwatch
from tests.benchmarks.rollouts import LENGTH, policy
from tests.benchmarks.vector_async import maker

import gymkernel
from gymkernel.rollouts import collect
from gymkernel_util_vector.cores import cores

__all__ = ["main", "measured"]

ACTORS = (1, 2, 4, 8)
NODES = 4
WORKLOADS = {"CartPole": 32, "84x84x4 uint8": 8}
"""The number of environments per shard."""
WAYS = {"store": False, "shared memory": True}
STORE_BYTES = 2 * 10**9
KINDS = ("driver", "store", "workers", "services")


def size(arrays: Any) -> int:
    """Return the total size, in bytes, of all arrays in a nested mapping."""
    if isinstance(arrays, Mapping):
        return sum(size(array) for array in arrays.values())
    if isinstance(arrays, tuple | list):
        return sum(size(array) for array in arrays)
    return int(np.asarray(arrays).nbytes)


def measured(name: str, way: str, actors: int, store: list[int], seconds: float) -> dict[str, Any]:
    """Return the CPU time per step in microseconds, for each kind of process, and the number of bytes per step.

    Args:
        name: the name of the workload.
        way: how fragments are transferred (a key of the options).
        actors: the number of shards.
        store: the process ids of the driver's object store.
        seconds: the minimum duration of the measurement.
    """
    each = WORKLOADS[name]
    options: dict[str, Any] = {"engine": "ray", "shared_memory": WAYS[way], "fragment_length": LENGTH, "seed": 1}
    with collect([maker(gymkernel, name)] * (each * actors), policy, num_shards=actors, **options) as collector:
        for _ in range(3 * actors):  # fragments that were requested at the start, and fragments that warm up memory
            first = next(collector)
        bytes_a_step = size(dict(first)) / (LENGTH * each)
        del first
        began, stopwatch, fragments = time.perf_counter(), Stopwatch(store), 0
        while time.perf_counter() - began < seconds or fragments < 4 * actors:
            next(collector)
            fragments += 1
        wall, spent = time.perf_counter() - began, stopwatch.elapsed()
        time.sleep(max(1.0, 2 * wall / fragments * actors))  # wait until each shard has its next fragment
        began, stopwatch = time.perf_counter(), Stopwatch(store)
        time.sleep(seconds / 2)
        idle = stopwatch.elapsed() * (1 / (time.perf_counter() - began))
    steps = fragments * LENGTH * each
    worked = (spent - idle * wall) * (1e6 / steps)
    return {
        "workload": name,
        "way": way,
        "actors": actors,
        "fragment_steps": LENGTH * each,
        "fragments": fragments,
        "wall": wall / steps * 1e6,
        "bytes": bytes_a_step,
        **{kind: getattr(worked, kind) for kind in KINDS},
        "idle": {kind: getattr(idle, kind) for kind in KINDS},
    }


def main() -> None:
    """Run the benchmark on clusters of every size, print a table, and write the results to a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--seconds", type=float, default=2.5, help="to measure each for, at least (2.5)")
    options = parser.parse_args()
    try:
        import ray
        from ray.cluster_utils import Cluster
    except ImportError:
        parser.exit(1, "Ray is not installed; run: pip install 'gymkernel-tool-rollout[ray]'\n")
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray defines this name
    cluster = Cluster()
    nodes = [cluster.add_node(num_cpus=0, include_dashboard=False, object_store_memory=STORE_BYTES)]
    far: dict[str, Any] = {"num_cpus": max(ACTORS) // NODES, "object_store_memory": STORE_BYTES // 2}
    nodes += [cluster.add_node(**far) for _ in range(NODES)]
    ray.init(cluster.address, log_to_driver=False)
    here = ray.get_runtime_context().get_node_id()
    store = [item.process.pid for node in nodes if node.node_id == here for item in node.all_processes["raylet"]]
    rows = []
    print(f"{'us a step':<34} {'wall':>8} {'bytes':>8} {' '.join(f'{kind:>8}' for kind in KINDS)}")
    try:
        for name in WORKLOADS:
            for way in WAYS:
                for actors in ACTORS:
                    row = measured(name, way, actors, store, options.seconds)
                    rows.append(row)
                    figures = " ".join(f"{row[kind]:>8.3f}" for kind in KINDS)
                    print(
                        f"{f'{name}, {way}, {actors}':<34} {row['wall']:>8.2f} {row['bytes']:>8.0f} {figures}",
                        flush=True,
                    )
    finally:
        ray.shutdown()
        cluster.shutdown()
    if options.json:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "cpus": cores(),
            **{package: version(package) for package in ("gymkernel", "numpy", "ray")},
        }
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
