"""Test the messages for incorrect uses of `RayVectorEnv`, and that it still works afterwards."""

from __future__ import annotations

import copy
import pickle
import signal
import time
from os import kill
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import AlreadyPendingCallError, NoAsyncCallError, ResetNeeded
from gymkernel_vector_ray import RayVectorEnv, WorkerError, WorkerTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]
ACTIONS = np.arange(4)
LONG = 500.0
"""How many seconds actors may take to start, which is enough for a busy machine."""


def make(toys: Any, *args: Any, **kwargs: Any) -> Any:
    return RayVectorEnv(toys.counters(4, *args), num_workers=kwargs.pop("num_workers", 2), start_timeout=LONG, **kwargs)


@pytest.fixture
def envs(toys: Any) -> Iterator[Any]:
    with make(toys) as made:
        yield made


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"num_workers": -1}, ValueError, "num_workers to be a whole number of at least 1, or None, got -1"),
    ({"num_workers": 2.5}, TypeError, "num_workers to be a whole number of at least 1, or None, got 2.5"),
    ({"num_workers": "auto"}, TypeError, "num_workers to be a whole number of at least 1, or None, got 'auto'"),
    ({"num_workers": True}, TypeError, "num_workers to be a whole number of at least 1, or None, got True"),
    ({"max_concurrency": 1.5}, TypeError, "max_concurrency to be a whole number of at least 1, or None, got 1.5"),
    ({"ring": "2"}, TypeError, "ring to be a whole number of at least 1, got '2'"),
    ({"ring": None}, TypeError, "ring to be a whole number of at least 1, got None"),
    ({"ring": 10**30}, ValueError, "ring to be at most 1,000,000 buffers, got 1000000000"),
    ({"max_restarts": -1}, ValueError, "max_restarts to be a whole number of at least 0, or None, got -1"),
    ({"on_error": ["raise"]}, ValueError, r"on_error to be 'raise' or 'restart', got \['raise'\]"),
    ({"copy": "no"}, TypeError, "copy to be True or False, got 'no'"),
    ({"check_observations": None}, TypeError, "check_observations to be True or False, got None"),
    ({"timeout": 0}, ValueError, "timeout to be a number of seconds above 0, or None, got 0"),
    ({"timeout": "1"}, TypeError, "timeout to be a number of seconds above 0, or None, got '1'"),
    ({"start_timeout": -1}, ValueError, "start_timeout to be a number of seconds above 0, or None, got -1"),
    ({"start_timeout": float("nan")}, ValueError, "start_timeout to be a number of seconds above 0, or None, got nan"),
    ({"resources": ["CPU"]}, TypeError, "resources to be a mapping from names to amounts"),
    ({"resources": {"CPU": "1"}}, TypeError, "resources to map names to numbers, got 'CPU': '1'"),
    ({"resources": {"CPU": float("nan")}}, ValueError, "the resources of each worker to be at least 0, got CPU: nan"),
    ({"resources": {"object_store_memory": 1}}, ValueError, "object_store_memory, which Ray cannot reserve"),
    ({"runtime_env": "uv"}, TypeError, "runtime_env to be a mapping with a Ray runtime environment"),
    ({"placement": None}, TypeError, "'spread', 'pack' or a scheduling strategy of Ray"),
    ({"placement": "SPREAD"}, ValueError, "'spread', 'pack' or a scheduling strategy of Ray"),
    ({"address": 6379}, TypeError, "address to be a cluster's address"),
    ({"address": ""}, ValueError, "address to be a cluster's address"),
    ({"autoreset_mode": "never"}, ValueError, "autoreset_mode to be one of 'NextStep', .* got 'never'"),
]


@pytest.mark.parametrize(
    "wrong, error, text", WRONG, ids=[f"{k}-{next(iter(item[0]))}" for k, item in enumerate(WRONG)]
)
def test_invalid_arguments_are_rejected_with_an_explanation(
    toys: Any, wrong: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        RayVectorEnv(toys.counters(2), **wrong)


@pytest.mark.parametrize("wrong", ["CartPole-v1", None, lambda: None])
def test_invalid_env_fns_are_rejected(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"env_fns to be a list of functions .*make_vec\(id, n, .ray.\)"):
        RayVectorEnv(wrong)


def test_non_environment_is_reported(toys: Any) -> None:
    fns: list[Any] = [*toys.counters(1), lambda: 3]
    with pytest.raises(TypeError, match=r"environment 1 on node .* Expected the function to make an environment"):
        RayVectorEnv(fns, num_workers=1, start_timeout=LONG)


def test_calls_out_of_order_change_nothing(envs: Any) -> None:
    with pytest.raises(ResetNeeded, match="environment 2 was never reset"):
        envs.send(ACTIONS[:1], [2])
    envs.reset(seed=1)
    with pytest.raises(NoAsyncCallError, match="no results are pending; call send first"):
        envs.recv()
    for actions in (ACTIONS[:3], np.arange(5), np.zeros((1, 4), np.int64)):
        with pytest.raises(ValueError, match="Expected 4 actions"):
            envs.step(actions)
    envs.send(ACTIONS[:2], [0, 1])
    with pytest.raises(ValueError, match="are already performing a step"):
        envs.send(ACTIONS[:2], [1, 2])
    with pytest.raises(AlreadyPendingCallError, match="call recv"):
        envs.step(ACTIONS)
    with pytest.raises(NoAsyncCallError, match="between 1 and 2, the number"):
        envs.recv(3)
    assert sorted(envs.recv()[5]) == [0, 1]
    with pytest.raises(AttributeError, match="missing"):
        envs.call("missing")
    with pytest.raises(ValueError, match="each of the 4 environments, got 2"):
        envs.set_attr("number", [1, 2])
    with pytest.raises(TypeError):
        envs.set_attr("number", __import__("threading").Lock())
    assert envs.step(ACTIONS)[0][:, 1].tolist() == [2, 2, 1, 1]


def test_vector_env_cannot_be_copied_or_pickled(envs: Any) -> None:
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(
            TypeError, match="cannot be pickled or copied, because its environments are in other processes"
        ):
            way(envs)
    assert envs.reset(seed=1)[0].shape == (4, 3)


def test_late_result_is_received_later(toys: Any, tmp_path: Path) -> None:
    gate = str(tmp_path / "open")

    def late(env: Any) -> None:
        import os
        import time

        while not os.path.exists(gate):  # noqa: PTH110 - the function runs in another process
            time.sleep(0.01)

    with make(toys, 1, late, (3,)) as envs:
        envs.reset(seed=1)
        envs.send(ACTIONS)
        with pytest.raises(
            WorkerTimeoutError, match=r"recv did not end within 0.1 s .* No result is lost: call recv again"
        ):
            envs.recv(timeout=0.1)
        tmp_path.joinpath("open").touch()
        assert sorted(envs.recv()[5]) == [0, 1, 2, 3]
        tmp_path.joinpath("open").unlink()
        envs.reset(seed=1)
        envs.timeout = 0.1
        with pytest.raises(WorkerTimeoutError, match=r"step_masked did not .* Answers that arrive later are dropped"):
            envs.step_masked(ACTIONS, np.array([False, False, True, True]))
        tmp_path.joinpath("open").touch()


@pytest.mark.parametrize("under_way", ["reset_async", "step_async", "call_async", "send"])
def test_vector_env_can_be_closed_during_a_call(toys: Any, ended: Any, under_way: str) -> None:
    envs = make(toys)
    envs.reset(seed=1)
    arguments = {"reset_async": (), "call_async": ("wait", 0.2)}.get(under_way, (ACTIONS,))
    getattr(envs, under_way)(*arguments)
    pids = [place.pid for place in envs.places]
    envs.close()
    envs.close()
    assert ended(pids)
    assert envs.places == []


def test_exception_in_the_program_leaves_no_actor(toys: Any, ended: Any) -> None:
    pids: list[int] = []

    def program() -> None:
        with make(toys) as envs:
            envs.reset()
            pids.extend(place.pid for place in envs.places)
            envs.step_async(ACTIONS)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        program()
    assert ended(pids)


def test_two_vector_envs_are_independent(toys: Any) -> None:
    with make(toys, resources={"CPU": 0}) as one, make(toys, resources={"CPU": 0}) as other:
        for envs in (one, other):
            envs.reset(seed=1)
        one.step_async(ACTIONS)
        other.step_async(ACTIONS + 10)
        assert other.step_wait()[1].tolist() == [10, 11, 12, 13]
        assert one.step_wait()[1].tolist() == [0, 1, 2, 3]
        one.close()
        assert other.step(ACTIONS)[0][:, 1].tolist() == [2] * 4


def test_placement_group_determines_the_number_of_actors(toys: Any) -> None:
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy

    node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    with make(toys, num_workers=None, placement=node) as envs:
        assert envs.num_workers == 2
    group = placement_group([{"CPU": 1}])
    ray.get(group.ready(), timeout=LONG)
    inside: Any = PlacementGroupSchedulingStrategy(group)
    with make(toys, num_workers=None, placement=inside) as envs:
        assert envs.num_workers == 1
        assert envs.reset(seed=1)[0].shape == (4, 3)
    with (
        pytest.warns(UserWarning, match="room for 1 of 2 workers"),
        pytest.raises(WorkerTimeoutError, match=r"bundle 0 of the placement group has CPU: 1. .* change the placement"),
    ):
        RayVectorEnv(toys.counters(2), num_workers=2, placement=inside, start_timeout=2)
    remove_placement_group(group)
    while any(
        group.id.hex() in name for name in ray.cluster_resources()
    ):  # without this, an actor may be started in the removed group
        time.sleep(0.1)
    with pytest.raises(WorkerTimeoutError, match="of the placement group, which is removed, has CPU: 1"):
        RayVectorEnv(toys.counters(2), num_workers=1, placement=inside, start_timeout=2)


def test_call_to_an_exited_actor_reports_the_restart(toys: Any) -> None:
    with make(toys, on_error="restart", max_restarts=1, timeout=LONG) as envs:
        envs.reset(seed=1)
        kill(envs.places[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match=r"environments 0, 1, .* during call. .* recreated in another actor"):
            envs.call("wait", 0)
        assert envs.call("wait", 0) == (0, 1, 2, 3)
        with pytest.raises(ResetNeeded, match="environments 0, 1 were"):
            envs.step(ACTIONS)
        envs.reset(seed=1)
        kill(envs.places[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="create a new RayVectorEnv") as raised:
            envs.step(ACTIONS)
        assert "on_error" not in str(raised.value)
        assert "1 times, which is the limit (max_restarts)" in raised.value.__notes__[0]


def test_all_exited_actors_are_restarted(toys: Any) -> None:
    with make(toys, on_error="restart", timeout=LONG) as envs:
        envs.reset(seed=1)
        for place in envs.places:
            kill(place.pid, signal.SIGKILL)
        *_, truncations, infos = envs.step(ACTIONS)
        assert truncations.all()
        assert infos["env_restarted"].all()
        assert envs.step(ACTIONS)[0][:, 1].tolist() == [0] * 4
