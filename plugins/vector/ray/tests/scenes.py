"""Tests that need their own Ray cluster and process. `python scenes.py NAME` runs a test and prints "passed"."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import pytest

from gymkernel.error import ClosedEnvironmentError
from gymkernel_vector_ray import RayVectorEnv, WorkerError

toys: Any = importlib.import_module("conftest")
counters, ended = toys.counters, toys.ended
LONG = 500.0
ACTIONS = np.arange(4)
SCENES: dict[str, Any] = {}


def scene(function: Any) -> Any:
    SCENES[function.__name__] = function
    return function


def children() -> list[int]:
    """Return the child processes of this process. They belong to Ray if this process has started Ray."""
    found, queue = [], [os.getpid()]
    while queue:
        listed = Path(f"/proc/{(pid := queue.pop())}/task/{pid}/children")
        with contextlib.suppress(OSError):
            below = [int(item) for item in listed.read_text(encoding="ascii").split()]
            found += below
            queue += below
    return found


@scene
def started_here() -> None:
    """Test that Ray is started if no cluster is running, and shut down when the last vector environment is closed."""
    import ray
    from ray._private import services

    services.find_gcs_addresses = functools.cache(set)  # other programs on this machine may use Ray
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = RayVectorEnv(counters(2), num_workers=1, start_timeout=LONG)
    assert any("No Ray cluster is running, so a cluster with" in str(item.message) for item in caught), caught
    assert "RAY_worker_niceness" not in os.environ
    assert first.call("wait", 0) == (0, 1)
    assert os.getpriority(os.PRIO_PROCESS, first.places[0].pid) == os.getpriority(os.PRIO_PROCESS, 0)
    second = RayVectorEnv(counters(2), num_workers=1, start_timeout=LONG, resources={"CPU": 0})
    below = children()
    first.close()
    assert ray.is_initialized()
    assert second.reset()[0].shape == (2, 3)
    second.close()
    assert not ray.is_initialized()
    assert ended(below)
    third = RayVectorEnv(counters(2), num_workers=1, start_timeout=LONG, address="local")
    ray.shutdown()  # another part of the program might do this
    with pytest.raises(ClosedEnvironmentError, match="Ray was shut down"):
        third.reset()
    third.close()
    assert not ray.is_initialized()
    for under_way, wait in (("send", "recv"), ("step_async", "step_wait")):
        fourth: Any = RayVectorEnv(counters(4), num_workers=1, start_timeout=LONG, address="local", on_error="restart")
        fourth.reset()
        getattr(fourth, under_way)(ACTIONS)
        ray.shutdown()
        with pytest.raises(ClosedEnvironmentError, match="Ray was shut down"):
            getattr(fourth, wait)()
        fourth.close()
        assert not ray.is_initialized(), "Ray starts anew where somebody waits for what it lost"
    for address in ("127.0.0.1:1", "nonsense"):
        with pytest.raises(ConnectionError, match=f"Cannot connect to a Ray cluster at {address}"):
            RayVectorEnv(counters(2), address=address)
    assert not ray.is_initialized()


def wait_until_both_actors_hang(program: subprocess.Popen[str], folder: str) -> None:
    """Call `wait_for` in four environments in two actors, and wait until both actors have created a file."""
    while {path.name for path in Path(folder).iterdir()} != {"begun 0", "begun 2"}:
        assert program.poll() is None, "the program has ended"
        time.sleep(0.05)


DRIVER = """
import sys; sys.path.insert(0, {here!r})
from conftest import counters
from gymkernel_vector_ray import RayVectorEnv
envs = RayVectorEnv(counters(4), num_workers=2, start_timeout=500, address={address!r})
envs.reset()
import ray, scenes
print(*(place.pid for place in envs.places), *scenes.children(), flush=True)
envs.call("wait_for", {folder!r})
"""


def killed_driver(address: str) -> list[int]:
    """Kill a driver process while its environments hang, and return the processes that it started."""
    with tempfile.TemporaryDirectory() as folder:
        code = DRIVER.format(here=str(Path(__file__).parent), address=address, folder=folder)
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as driver:
            assert driver.stdout is not None
            pids = [int(pid) for pid in driver.stdout.readline().split()]
            wait_until_both_actors_hang(driver, folder)
            driver.send_signal(signal.SIGKILL)
            driver.wait()
    assert len(pids) >= 2
    return pids


@scene
def driver_with_a_cluster_of_its_own() -> None:
    """Test that a driver that is killed leaves no processes behind."""
    assert ended(killed_driver("local"))


@scene
def small_store() -> None:
    """Test that observations that exceed the object store cause a warning but still arrive."""
    import ray

    ray.init(address="local", num_cpus=2, object_store_memory=80_000_000, include_dashboard=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        envs = RayVectorEnv([functools.partial(toys.Large, i) for i in range(4)], num_workers=2, start_timeout=LONG)
    text = next(str(item.message) for item in caught if "object store" in str(item.message))
    assert "take up 160 MB" in text, text
    assert "has 80 MB" in text, text
    for k in range(3):
        observations = envs.reset()[0] if not k else envs.step(ACTIONS)[0]
        assert observations[:, 0].tolist() == [0, 1, 2, 3]
        assert observations[:, -1].tolist() == [k] * 4
    envs.close()
    ray.shutdown()


INTERRUPTED = """
import pathlib, signal, sys; sys.path.insert(0, {here!r})
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts this may ignore it
import numpy as np
from conftest import counters
from gymkernel_vector_ray import RayVectorEnv
with RayVectorEnv(counters(4), num_workers=2, start_timeout=500, address="local") as envs:
    envs.reset(seed=1)
    try:
        envs.call("wait_for", {folder!r})
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    pathlib.Path({folder!r}, "open").touch()
    print(envs.step(np.arange(4))[0][:, 1].tolist(), flush=True)
"""


@scene
def control_c() -> None:
    """Test that Ctrl-C, which a terminal sends to all processes of a program, interrupts a call but ends no actor."""
    with tempfile.TemporaryDirectory() as folder:
        code = INTERRUPTED.format(here=str(Path(__file__).parent), folder=folder)
        command = [sys.executable, "-c", code]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as program:
            wait_until_both_actors_hang(program, folder)
            os.killpg(program.pid, signal.SIGINT)
            lines, errors = program.communicate()
    assert lines.splitlines() == ["interrupted", "[1, 1, 1, 1]"], (lines, errors)


def step_for_ever(envs: Any) -> None:
    while True:
        envs.step(ACTIONS)
        time.sleep(0.2)


def on_two_nodes(cpus: float, **kwargs: Any) -> Any:
    """Create a vector environment with two actors, which run on two nodes because neither node has room for both."""
    envs = RayVectorEnv(counters(4), num_workers=2, resources={"CPU": cpus}, start_timeout=LONG, **kwargs)
    assert len({place.node_id for place in envs.places}) == 2, envs.places
    return envs


@scene
def several_nodes() -> None:
    """Test that actors are spread over nodes, and that losing a node raises an error or recreates its environments."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)

    actors = killed_driver(cluster.address)[:2]  # simulates another program in the cluster
    assert ended(actors)

    envs = RayVectorEnv(counters(4), start_timeout=LONG)
    assert envs.num_workers == 4
    assert len({place.node_id for place in envs.places}) == 2, "spread over the nodes"
    envs.close()

    filling, raising = on_two_nodes(1.5), on_two_nodes(0.3)  # this requires that both nodes are free
    restarting = on_two_nodes(0.2, on_error="restart", timeout=LONG)
    filling.close()
    for item in (raising, restarting):
        item.reset(seed=1)
        item.step(ACTIONS)
    lost = restarting.places[1]
    node = next(item for item in nodes if item.node_id == lost.node_id)
    cluster.remove_node(node, allow_graceful=False)

    for step in range(2, 1000):
        observations, _, _, truncations, infos = restarting.step(ACTIONS)
        assert observations[:2, 1].tolist() == [step] * 2, "the others never notice"
        assert not truncations[:2].any()
        if truncations[2:].all():
            break
        time.sleep(0.2)
    assert infos["env_restarted"].tolist() == [False, False, True, True]
    assert str(lost) in infos["env_error"][2], infos
    assert restarting.places[1].node_id == restarting.places[0].node_id
    assert restarting.step(ACTIONS)[0][:, 1].tolist() == [step + 1] * 2 + [0] * 2
    assert restarting.step(ACTIONS)[0][:, 1].tolist() == [step + 2] * 2 + [1] * 2
    restarted_on = restarting.places[0].node_id
    restarting.close()

    gone = next(worker for worker, place in enumerate(raising.places) if place.node_id == lost.node_id)
    text = str(raising.places[gone])
    with pytest.raises(WorkerError) as raised:
        step_for_ever(raising)
    assert f"Worker {gone} on {text}" in str(raised.value), raised.value
    assert "lost" in str(raised.value).partition("Its state")[0], raised.value
    assert "create a new RayVectorEnv" in str(raised.value), raised.value
    raising.close()
    again = RayVectorEnv(counters(4), num_workers=2, start_timeout=LONG)  # Ray may first use the lost node
    assert {place.node_id for place in again.places} == {restarted_on}
    again.close()
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    SCENES[sys.argv[1]]()
    sys.stdout.write("passed\n")
