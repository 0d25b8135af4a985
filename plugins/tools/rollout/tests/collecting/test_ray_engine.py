"""Test that the `ray` engine returns the same fragments as `sync`, and that it handles lost processes and nodes.

All tests use one cluster of simulated nodes: a head, and two nodes with the resource `far`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.rollouts.ray_program import run_ray_program

from gymkernel.envs.registration import register, registry
from gymkernel.error import Error
from gymkernel_tool_rollout import collecting
from gymkernel_tool_rollout.collecting import CollectTimeoutError, Failure, ShardLostError

pytestmark = [pytest.mark.slow]
ray = pytest.importorskip("ray", reason="the extra ray")
cluster_utils = pytest.importorskip("ray.cluster_utils", reason="the extra ray")
FAR: dict[str, Any] = {"resources": {"CPU": 1, "far": 1}}
LONG = 500.0
"""How many seconds processes may take to start, which is enough for a busy machine."""


def collect(*args: Any, **kwargs: Any) -> Any:
    """Call `collect` with a longer time limit for starting the processes."""
    more = {"start_timeout": LONG} if kwargs.get("engine") == "ray" else {}
    return collecting.collect(*args, **{**more, **kwargs})


def processes(collector: Any) -> list[tuple[int, str]]:
    """Return the process and the node of each shard before collecting starts."""

    def place(_: Any) -> tuple[int, str]:
        return os.getpid(), ray.get_runtime_context().get_node_id()

    return ray.get([shard.__ray_call__.remote(place) for shard in collector._engine._shards])  # type: ignore[no-any-return]


def assert_runs(program: str) -> None:
    """Run a program that starts Ray, and check that it exits without an error."""
    ended = run_ray_program("-c", textwrap.dedent(program).format(here=str(Path(__file__).parent)))
    assert ended.returncode == 0, ended.stderr


def gone(pid: int) -> None:
    """Wait until a process that Ray was asked to kill has exited."""
    for _ in range(30_000):
        if not Path(f"/proc/{pid}/fd/0").exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} goes on")


ALONE = """
    import os, sys, warnings
    sys.path.insert(0, {here!r})
    import conftest as toys
    from gymkernel.rollouts import collect
    assert "ray" not in sys.modules
    list(collect(toys.walks(2), toys.odd, engine="async", num_steps=4, seed=1))
    assert "ray" not in sys.modules
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = list(collect(toys.walks(2), toys.odd, engine="ray", num_steps=4, seed=1, start_timeout=500))
    import ray
    assert not ray.is_initialized()
    assert sum("No Ray cluster is running" in str(one.message) for one in caught) == 1, caught
    assert toys.same(ours, list(collect(toys.walks(2), toys.odd, num_steps=4, seed=1, num_shards=len(ours))))
"""


def test_local_cluster_lives_as_long_as_the_collector() -> None:
    """This test must run first, because it requires that no cluster is running."""
    if importlib.import_module("ray._private.services").find_gcs_addresses():
        pytest.skip("somebody's cluster runs on this machine, and would be joined")
    assert_runs(ALONE)


@pytest.fixture(scope="module")
def cluster() -> Any:
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # avoids a warning about Ray's default
    started = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 3, "include_dashboard": False})
    started.far = [started.add_node(num_cpus=1, resources={"far": 1}) for _ in range(2)]
    started.connect()
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def _limit() -> None:
    """Replace the fixture in conftest.py with one without a time limit, because Ray is slow to notice a lost node."""


@pytest.mark.parametrize("options", [{}, {"shared_memory": False}, FAR])
@pytest.mark.parametrize("much", [{"num_steps": 60}, {"num_episodes": 7}, {"num_steps": 60, "max_staleness": 0}])
def test_fragments_equal_those_of_the_local_engine(cluster: Any, toys: Any, much: Any, options: Any) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "fragment_length": 4, "seed": 1, **much}
    ours = list(collect(toys.walks(3), toys.odd, engine="ray", **arguments, **options))
    assert toys.same(ours, list(collect(toys.walks(3), toys.odd, **arguments)))
    assert ours[0]["observations"].flags.writeable == ("shared_memory" not in options)


def test_nested_observations_and_objects_equal_the_local_engine(cluster: Any, toys: Any) -> None:
    def policy(observations: Any) -> Any:
        return observations["at"][:, 1].astype(np.int64), {"a": {"b": observations["at"]}}

    arguments: dict[str, Any] = {"num_shards": 2, "fragment_length": 5, "seed": 1, "num_steps": 30}
    ours = list(collect([toys.Nested] * 3, policy, engine="ray", **arguments))
    assert toys.same(ours, list(collect([toys.Nested] * 3, policy, **arguments)))


def test_reserved_info_keys_change_nothing(cluster: Any, toys: Any) -> None:
    keys = ("final_obs", "_final_obs", "final_info", "env_restarted", "episode")

    class Speaking(toys.Walk):  # type: ignore[misc]
        def reset(self, **kwargs: Any) -> Any:
            return super().reset(**kwargs)[0], dict.fromkeys(keys, "mine")

        def step(self, action: Any) -> Any:
            return *super().step(action)[:4], dict.fromkeys(keys, None)

    arguments: dict[str, Any] = {"num_shards": 2, "fragment_length": 5, "seed": 1, "num_episodes": 9, "num_envs": 3}
    ours = list(collect(Speaking, toys.odd, engine="ray", **arguments))
    assert toys.same(ours, list(collect(toys.Walk, toys.odd, **arguments)))


@pytest.mark.parametrize(
    "returned, message",
    [
        (lambda seen: np.full(len(seen), 0.5), "got dtype float64; choose integers"),
        (lambda seen: (seen[:, 1].astype(int), {"a": seen} if seen[0, 1] else {}), r"\['a'\] is unexpected"),
    ],
)
def test_invalid_policy_results_are_rejected(cluster: Any, toys: Any, returned: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(collect(toys.walks(2), returned, engine="ray", num_steps=20, seed=1))


def test_updates_reach_every_process(cluster: Any, toys: Any) -> None:
    def found(engine: str) -> Any:
        collector = collect(
            toys.walks(3), toys.Always(0), num_shards=2, num_steps=60, fragment_length=3, seed=1, engine=engine
        )
        fragments = []
        for k, fragment in enumerate(collector):
            fragments.append((dict(fragment.copy()), fragment.policy_version, fragment.shard))
            if k % 2:
                collector.update(toys.Always(k))
        return fragments

    assert str(found("ray")) == str(found("sync"))


def test_registered_ids_reach_every_process(cluster: Any, toys: Any) -> None:
    register("RolloutWalk-v0", toys.Walk, disable_env_checker=True, order_enforce=False)
    try:
        arguments: dict[str, Any] = {"num_envs": 2, "num_shards": 2, "num_steps": 20, "seed": 1}
        ours = list(collect("RolloutWalk-v0", toys.odd, engine="ray", **arguments))
        assert toys.same(ours, list(collect("RolloutWalk-v0", toys.odd, **arguments)))
    finally:
        registry.pop("RolloutWalk-v0")


def test_exception_keeps_type_and_index(cluster: Any, toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 3 and env.steps == 1:
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost") as caught:
        list(collect(toys.walks(4, trouble), toys.odd, engine="ray", num_shards=2, seed=1))
    assert "It comes from environment 3, number 1 of shard 1 (environments 2 to 3)." in caught.value.__notes__


def test_sys_exit_in_another_process_names_the_caller(cluster: Any, toys: Any) -> None:
    def leave(given: Any) -> Any:
        if getattr(given, "number", 3) == 3:
            sys.exit(4)

    arguments: dict[str, Any] = {"engine": "ray", "num_shards": 2, "seed": 1}
    with pytest.raises(Error, match=r"^sys.exit\(4\) was called in leave \([^)]+, line \d+\)") as caught:
        list(collect(toys.walks(4, leave), toys.odd, **arguments))
    assert "It comes from environment 3, number 1 of shard 1 (environments 2 to 3)." in caught.value.__notes__
    with pytest.raises(Error, match=r"^sys.exit\(4\) was called by the policy in leave \([^)]+, line"):
        list(collect(toys.walks(4), leave, **arguments))


def test_uncreatable_and_unpicklable_objects_are_reported(cluster: Any, toys: Any) -> None:
    def make() -> Any:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        collect([*toys.walks(2), make], toys.odd, engine="ray", num_shards=2, seed=1)
    lock = __import__("threading").Lock()
    with pytest.raises(Exception, match="The function that creates environment 2 cannot be pickled"):
        collect([*toys.walks(2), lambda: lock], toys.odd, engine="ray", num_shards=2, seed=1)


def test_exited_process_loses_no_finished_fragment(cluster: Any, toys: Any) -> None:
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 120, "fragment_length": 5, "seed": 1}
    collector = collect(toys.walks(4), toys.odd, engine="ray", on_error="restart", **arguments)
    engine: Any = collector._engine
    (pid, _), _ = processes(collector)
    found = [next(collector) for _ in range(4)]
    ray.kill(engine._shards[0])
    gone(pid)
    found += list(collector)
    untroubled = list(collect(toys.walks(4), toys.odd, **arguments))
    assert toys.same(found[:4], untroubled[:4])
    assert toys.same(found[1::2], untroubled[1::2])
    assert (collector.num_restarts, collector.num_steps) == (1, 120)


def patient(collector: Any) -> Any:
    """Return the next fragment, and repeat the request after every timeout."""
    while True:
        with contextlib.suppress(CollectTimeoutError):
            return next(collector)


@pytest.mark.parametrize("how", ["killed", "raises"])
@pytest.mark.parametrize("options", [{}, {"shared_memory": False}])
def test_failure_while_a_request_waits(cluster: Any, toys: Any, tmp_path: Path, how: str, options: Any) -> None:
    """Check that the process is restarted only once, and that only the two requested fragments are collected again."""
    gate, count = tmp_path / "open", [0]

    def trouble(env: Any) -> None:
        count[0] += env.number == 0
        if env.number == 0 and count[0] == 13:
            while not gate.exists():
                time.sleep(0.01)
            if how == "raises":
                raise LookupError("lost")

    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 60, "fragment_length": 5, "seed": 1}
    collector = collect(
        toys.walks(2, trouble), toys.odd, engine="ray", on_error="restart", timeout=0.5, **arguments, **options
    )
    engine: Any = collector._engine
    (pid, _), _ = processes(collector)
    found = [patient(collector) for _ in range(4)]
    with pytest.raises(CollectTimeoutError):
        next(collector)
    assert [request.ticket.serial for request in engine._requests.of(0)] == [2, 3]
    if how == "killed":
        ray.kill(engine._shards[0])
        gone(pid)
    gate.touch()
    found += [patient(collector) for _ in range(8)]
    assert next(collector, None) is None
    assert (collector.num_restarts, collector.num_steps) == (1, 60)
    untroubled = list(collect(toys.walks(2), toys.odd, **arguments))
    assert toys.same(found[:4], untroubled[:4])
    assert toys.same(found[1::2], untroubled[1::2])
    here = list(collect(toys.walks(2, trouble), toys.odd, on_error="restart", **arguments))
    assert toys.same(found, here if how == "raises" else found)


def test_requests_to_an_exited_process_are_repeated(cluster: Any, toys: Any, tmp_path: Path) -> None:
    """The process exits after the previous fragment was returned and the next one was requested."""
    gate, count = tmp_path / "open", [0]

    def trouble(env: Any) -> None:
        count[0] += 1
        if env.number == 0 and count[0] == 13 and not gate.exists():
            time.sleep(1000)

    arguments: dict[str, Any] = {"num_steps": 60, "fragment_length": 5, "seed": 1, "num_shards": 1}
    collector = collect(
        toys.walks(1, trouble), toys.odd, engine="ray", on_error="restart", timeout=0.5, max_staleness=None, **arguments
    )
    engine: Any = collector._engine
    ((pid, _),) = processes(collector)
    found = [patient(collector)]
    ray.kill(engine._shards[0])
    gone(pid)
    gate.touch()
    engine._requests.lose(0, 0, Failure("its process ended", lost=True))  # using a fragment later would also do this
    engine._shards[0] = None
    found += [patient(collector) for _ in range(11)]
    assert next(collector, None) is None
    assert (collector.num_restarts, collector.num_steps) == (1, 60)


def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give processes enough time to close on their own, however busy the machine is."""
    for name in ("GRACE_SECONDS", "CLOSE_SECONDS"):
        monkeypatch.setattr(f"gymkernel_tool_rollout.collecting.engines.ray_engine.{name}", LONG)


def test_shards_with_pending_requests_are_closed(
    cluster: Any, toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the processes close on their own: they abandon the current fragment and do not start another one."""
    unhurried(monkeypatch)

    class Closing(toys.Walk):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            time.sleep(0.001)  # a fragment takes more than 15 minutes
            return super().step(action)

        def close(self) -> None:
            (tmp_path / f"closed {self.number}").touch()

    makers: list[Any] = [lambda number=number: Closing(number) for number in range(2)]
    collector = collect(makers, toys.odd, engine="ray", num_shards=2, seed=1, fragment_length=10**6, timeout=1)
    with pytest.raises(CollectTimeoutError):
        next(collector)
    collector.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["closed 0", "closed 1"]


@pytest.mark.parametrize("options", [{}, FAR], ids=["here", "far"])
def test_uncloseable_environments_are_named_and_slow_ones_awaited(
    cluster: Any, toys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    unhurried(monkeypatch)
    toys.assert_closing_is_told("ray", tmp_path, 3, start_timeout=LONG, **options)


def test_exited_process_is_reported(cluster: Any, toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 3:
            toys.kill()

    with pytest.raises(ShardLostError, match=r"Shard 1 \(environments 2 to 3\) ended in fragment 0"):
        list(collect(toys.walks(4, trouble), toys.odd, engine="ray", num_shards=2, seed=1))


def test_hang_is_reported_with_its_place(cluster: Any, toys: Any) -> None:
    def trouble(env: Any) -> None:
        if env.number == 1 and env.steps == 1:
            time.sleep(1000)

    with collect(toys.walks(2, trouble), toys.odd, engine="ray", num_shards=2, seed=1, timeout=0.5) as fragments:
        patient(fragments)
        said = ""
        while "shard 1 (environment 1), at time step 1 of 128" not in said:  # the shard may not have reached this step
            with pytest.raises(CollectTimeoutError, match=r"from shard 1 \(environment 1\)") as caught:
                next(fragments)
            said = str(caught.value)


def test_full_cluster_error_shows_request_and_capacity(cluster: Any, toys: Any) -> None:
    with (
        pytest.warns(UserWarning, match=r"has room for 0 of \d+ shards.* each shard requests CPU: 1, moon: 2"),
        pytest.raises(
            CollectTimeoutError, match=r"Each shard requests \{'CPU': 1, 'moon': 2\}; the cluster has \{.*'CPU': "
        ),
    ):
        collect(toys.walks(2), toys.odd, engine="ray", resources={"CPU": 1, "moon": 2}, start_timeout=1)


def test_nothing_is_left_after_close(cluster: Any, toys: Any) -> None:
    collector = collect(toys.walks(4), toys.odd, engine="ray", num_shards=2, seed=1)
    pids = [pid for pid, _ in processes(collector)]
    next(collector)
    collector.close()
    total = ray.cluster_resources()["CPU"]
    for _ in range(3000):
        left = [pid for pid in pids if Path(f"/proc/{pid}/fd/0").exists()]
        free = ray.available_resources().get("CPU", 0)
        if not left and free == total:
            break
        time.sleep(0.1)
    assert not left, "a process is left"
    assert free == total
    assert ray.is_initialized()  # this program did not start the cluster


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"resources": ["CPU"]}, TypeError, "resources to be a mapping from names to amounts"),
    ({"resources": {"CPU": "1"}}, TypeError, "to map names to numbers, got 'CPU': '1'"),
    ({"resources": {"CPU": -1}}, ValueError, "the resources of each shard to be at least 0, got CPU: -1"),
    ({"runtime_env": "uv"}, TypeError, "runtime_env to be a mapping with a Ray runtime environment"),
    ({"placement": "everywhere"}, ValueError, "scheduling strategy of Ray .*, got 'everywhere'"),
    ({"start_timeout": 0}, ValueError, "start_timeout to be a number of seconds above 0"),
    ({"address": 6379}, TypeError, "address to be a cluster's address"),
    ({"address": "192.0.2.1:6379"}, ConnectionError, "is already connected to Ray at "),
    ({"bogus": 1}, TypeError, "no option bogus"),
]


@pytest.mark.parametrize(
    "wrong, error, text", WRONG, ids=[f"{k}-{next(iter(item[0]))}" for k, item in enumerate(WRONG)]
)
@pytest.mark.parametrize("shards", [1, None])
def test_invalid_option_is_rejected_with_an_explanation(
    cluster: Any, toys: Any, shards: Any, wrong: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        collect(toys.walks(2), toys.odd, engine="ray", num_shards=shards, **wrong)


def test_number_of_shards_follows_the_cluster(cluster: Any, toys: Any) -> None:
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    def shards(**options: Any) -> int:
        with collect(toys.walks(6), toys.odd, engine="ray", num_steps=6, seed=1, **options) as fragments:
            return len(list(fragments))

    assert shards(resources={"CPU": 1, "far": 1}) == 2
    assert shards(resources={"CPU": 2}) == 1
    group = placement_group([{"CPU": 1}])
    ray.get(group.ready())
    assert shards(placement=PlacementGroupSchedulingStrategy(group)) == 1
    remove_placement_group(group)


def test_failure_during_creation_is_not_a_lack_of_resources(cluster: Any, toys: Any) -> None:
    arguments: dict[str, Any] = {"engine": "ray", "num_shards": 1, "seed": 1}
    with pytest.raises(
        ShardLostError, match=r"shard 0 .* died on node .*, while it created its environments: its proc"
    ):
        collect([lambda: os._exit(1)] * 2, toys.odd, **arguments)
    for seconds in (5, 50, 500):  # on a busy machine, the process needs more time to start
        with pytest.raises(CollectTimeoutError, match=f" within {seconds} s") as caught:
            collect([lambda: time.sleep(10_000)] * 2, toys.odd, start_timeout=seconds, **arguments)
        if "did not start" not in str(caught.value):
            break
    assert re.search(r"environments of shard 0 .* on node .* were not created within", str(caught.value))


def test_uninstallable_packages_are_reported_once(cluster: Any, toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(request: Any, timeout: float | None = None) -> Any:
        raise ray.exceptions.RuntimeEnvSetupError("No solution found" + 900 * "." + "no versions of nothing")

    monkeypatch.setattr(ray, "get", get)  # Ray itself takes half a minute to raise this error
    with pytest.raises(RuntimeError, match=r"process of shard 0 .* could not start .*Failed to set up .*of nothing"):
        collect(toys.walks(2), toys.odd, engine="ray", num_shards=1, start_timeout=500)


def test_non_array_actions_are_reported(cluster: Any, toys: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected actions of the policy \(version 0\) .*, got \[\[0\], \[0, 0\]\]"):
        list(collect(toys.walks(2), lambda observations: [[0], [0, 0]], engine="ray", num_shards=1, seed=1))


SHUT_DOWN = """
    import sys
    sys.path.insert(0, {here!r})
    import conftest as toys
    import ray
    from gymkernel.error import ClosedEnvironmentError
    from gymkernel.rollouts import collect
    for on_error in ("raise", "restart"):
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        options = dict(num_shards=1, on_error=on_error, start_timeout=500)
        fragments = collect(toys.walks(2), toys.odd, engine="ray", seed=1, **options)
        next(fragments)
        ray.shutdown()
        try:
            next(fragments)
        except ClosedEnvironmentError as exc:
            assert "Ray was shut down" in str(exc), exc
        else:
            raise AssertionError("it went on")
        assert not ray.is_initialized(), "Ray starts anew where somebody waits for what it lost"
        fragments.close()
    for address in ("127.0.0.1:1", "nonsense"):
        try:
            collect(toys.walks(2), toys.odd, engine="ray", num_shards=1, seed=1, address=address)
        except ConnectionError as exc:
            assert f"Cannot connect to a Ray cluster at {{address}}" in str(exc), exc
        else:
            raise AssertionError("it went on")
    assert not ray.is_initialized()
"""


def test_shut_down_cluster_is_not_awaited() -> None:
    assert_runs(SHUT_DOWN)


def test_lost_node_is_handled(cluster: Any, toys: Any) -> None:
    """This test must run last, because it replaces a node."""
    arguments: dict[str, Any] = {"num_shards": 2, "num_steps": 400, "fragment_length": 5, "seed": 1}
    collector = collect(
        toys.walks(4), toys.odd, engine="ray", on_error="restart", max_restarts=None, **FAR, **arguments
    )
    (pid,) = [pid for pid, node in processes(collector) if node == cluster.far[0].node_id]
    found = [next(collector) for _ in range(4)]
    cluster.remove_node(cluster.far[0], allow_graceful=False)
    cluster.add_node(num_cpus=1, resources={"far": 1})
    gone(pid)  # Ray removes the actor a while after its node
    found += list(collector)
    untroubled = list(collect(toys.walks(4), toys.odd, **arguments))
    assert toys.same(found[:4], untroubled[:4])
    assert collector.num_steps == 400
    assert collector.num_restarts >= 1
    alike = [toys.same(found[k::2], untroubled[k::2]) for k in range(2)]
    assert sorted(alike) == [False, True]  # the shard on the other node is not affected
