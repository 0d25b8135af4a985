"""Test failures of `RayVectorEnv` in a cluster with a single node, which all tests share."""

from __future__ import annotations

import signal
import threading
import time
import zipfile
from importlib.util import find_spec
from os import kill
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel_vector_ray import RayVectorEnv, WorkerError, WorkerTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_cluster")]
ACTIONS = np.arange(4)
LONG = 500.0
"""How many seconds actors may take to start, which is enough for a busy machine."""


def _no_module() -> Any:
    return __import__("no_such_module")


def make(toys: Any, *args: Any, n: int = 4, length: int = 100, **kwargs: Any) -> Any:
    fns = toys.counters(n, *args, length=length)
    return RayVectorEnv(fns, num_workers=kwargs.pop("num_workers", 2), start_timeout=LONG, **kwargs)


@pytest.fixture
def envs(toys: Any) -> Iterator[Any]:
    with make(toys) as made:
        yield made


def test_each_actor_steps_several_environments(envs: Any) -> None:
    observations, infos = envs.reset(seed=5)
    assert observations.tolist() == [[0, 0, 5], [1, 0, 6], [2, 0, 7], [3, 0, 8]]
    assert infos == {}
    observations, rewards, terminations, truncations, infos = envs.step(ACTIONS)
    assert observations[:, 1].tolist() == [1] * 4
    assert rewards.tolist() == [0, 1, 2, 3]
    assert not (terminations | truncations).any()
    assert len({place.pid for place in envs.places}) == 2
    assert envs.render() == ("0:1", "1:1", "2:1", "3:1")


def test_calls_wait_for_their_own_results(envs: Any) -> None:
    envs.reset_async(seed=1)
    with pytest.raises(AlreadyPendingCallError, match="reset_wait"):
        envs.step_async(ACTIONS)
    envs.reset_wait()
    envs.step_async(ACTIONS)
    assert envs.step_wait()[1].tolist() == [0, 1, 2, 3]
    with pytest.raises(NoAsyncCallError):
        envs.step_wait()
    envs.call_async("wait", 0)
    assert envs.call_wait() == (0, 1, 2, 3)


def test_results_are_received_in_the_order_of_completion(envs: Any) -> None:
    envs.reset(seed=1)
    envs.send(ACTIONS)
    assert envs.poll(None)
    *_, first = envs.recv(1)
    *_, rest = envs.recv()
    with pytest.raises(NoAsyncCallError, match="poll was called, but no results are pending"):
        envs.poll()
    assert sorted([*first, *rest]) == [0, 1, 2, 3]
    envs.send(np.array([7]), [2])
    observations, rewards, _, _, _, ids = envs.recv()
    assert (ids.tolist(), rewards.tolist(), observations.tolist()) == ([2], [7], [[2, 2, 3]])


def test_views_stay_valid_for_the_length_of_the_ring(toys: Any) -> None:
    with make(toys, copy=False, ring=2) as envs:
        first = envs.reset(seed=1)[0]
        second = envs.step(ACTIONS)[0]
        assert first[:, 1].tolist() == [0] * 4
        assert np.shares_memory(first, envs.step(ACTIONS)[0])
        assert second[:, 1].tolist() == [1] * 4


def test_exception_names_environment_action_and_node(toys: Any) -> None:
    def trouble(env: Any) -> None:
        raise ZeroDivisionError("by zero")

    with make(toys, 2, trouble, (1, 3)) as envs:
        envs.reset()
        envs.step(ACTIONS)
        with pytest.raises(ZeroDivisionError, match="environments 1, 3 failed in step") as raised:
            envs.step(ACTIONS)
        error: Any = raised.value
        assert isinstance(error, WorkerError)
        assert error.indices == [1, 3]
        assert f"environment 3 on {envs.places[1]} in step (action np.int64(3)): ZeroDivisionError: by zero" in str(
            error
        )
        assert "traceback of environment 1" in str(error)
        envs.reset()
        assert envs.step(ACTIONS)[1].tolist() == [0, 1, 2, 3]


def test_exiting_environment_raises_like_any_exception(toys: Any) -> None:
    def trouble(env: Any) -> None:
        raise SystemExit(3)

    with (
        make(toys, "reset", trouble, (2,)) as envs,
        pytest.raises(WorkerError, match=r"environment 2 on node .* in reset"),
    ):
        envs.reset()


def test_constructor_exception_leaves_no_actor(toys: Any, ended: Any) -> None:
    pids: list[int] = []

    def trouble(env: Any) -> None:
        raise LookupError(f"no licence {__import__('os').getpid()}")

    with pytest.raises(LookupError, match="environment 3 on node") as raised:
        make(toys, "make", trouble, (3,))
    pids.append(int(str(raised.value).partition("no licence ")[2].split()[0]))
    assert ended(pids)


def test_unpicklable_function_is_named_before_anything_starts(toys: Any) -> None:
    lock = threading.Lock()
    fns = [*toys.counters(3), lambda: lock]
    with pytest.raises(Exception, match="creates environment 3 cannot be pickled, but workers on other machines need"):
        RayVectorEnv(fns, num_workers=1)


def test_killed_actor_error_names_environments_and_node(toys: Any) -> None:
    def trouble(env: Any) -> None:
        env.die()

    with make(toys, 2, trouble, (3,)) as envs:
        envs.reset()
        envs.step(ACTIONS)
        with pytest.raises(WorkerError, match="with environments 2, 3, ended") as raised:
            envs.step(ACTIONS)
        assert str(raised.value).startswith(f"Worker 1 on {envs.places[1]}")
        assert 'on_error="restart"' in str(raised.value)
        assert raised.value.indices == [2, 3]
        with pytest.raises(WorkerError, match="environments 2, 3"):
            envs.reset()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_killed_actor_is_restarted_without_affecting_others(toys: Any, mode: str) -> None:
    with make(toys, on_error="restart", autoreset_mode=mode, timeout=LONG) as envs:
        envs.reset(seed=5)
        before = envs.step(ACTIONS)[0]
        kill(envs.places[1].pid, signal.SIGKILL)
        observations, rewards, terminations, truncations, infos = envs.step(ACTIONS)
        assert truncations.tolist() == [False, False, True, True]
        assert not terminations.any()
        assert rewards.tolist() == [0, 1, 0, 0]
        assert observations[:2].tolist() == [[0, 2, 5], [1, 2, 6]]
        if mode == "SameStep":
            assert np.array_equal(np.stack(infos["final_obs"][2:]), before[2:])
            assert infos["final_info"]["env_restarted"].tolist() == [False, False, True, True]
        else:
            assert np.array_equal(observations[2:], before[2:])
            assert infos["env_restarted"].tolist() == [False, False, True, True]
            assert f"Worker 1 on node {envs.places[0].address}" in infos["env_error"][2]
        if mode == "Disabled":
            envs.reset(options={"reset_mask": truncations})
        observations = envs.step(ACTIONS)[0]
        assert observations[:, 1].tolist() == [3, 3, *{"NextStep": [0, 0]}.get(mode, [1, 1])]


def test_actor_killed_before_recv_is_restarted(toys: Any) -> None:
    with make(toys, on_error="restart", timeout=LONG) as envs:
        envs.reset(seed=5)
        kill(envs.places[1].pid, signal.SIGKILL)
        envs.send(ACTIONS[:3], [0, 1, 2])
        _, rewards, _, truncations, infos, ids = envs.recv()
        found = dict(zip(ids.tolist(), zip(rewards.tolist(), truncations.tolist(), strict=True), strict=True))
        assert found == {0: (0, False), 1: (1, False), 2: (0, True)}
        assert infos["env_restarted"].sum() == 1
        envs.send(ACTIONS[3:], [3])
        assert envs.recv()[3].tolist() == [True]  # an episode was in progress when the actor died
        observations, *_, truncations, _ = envs.step_masked(ACTIONS, np.array([True] * 4))
        assert observations[:, 1].tolist() == [2, 2, 0, 0]
        assert not truncations.any()


def test_number_of_restarts_is_limited(toys: Any) -> None:
    with make(toys, on_error="restart", max_restarts=0) as envs:
        envs.reset()
        kill(envs.places[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerError) as raised:
            envs.step(ACTIONS)
        assert "max_restarts" in raised.value.__notes__[0]


def test_hanging_environment_times_out_and_its_answer_is_dropped(toys: Any, tmp_path: Path) -> None:
    with make(toys) as envs:
        envs.reset(seed=1)
        envs.call_async("wait_for", str(tmp_path))
        with pytest.raises(
            WorkerTimeoutError, match=r"call did not end within 0.1 s for environments 0, 1 on node"
        ) as raised:
            envs.call_wait(0.1)
        assert raised.value.indices == [0, 1, 2, 3]
        tmp_path.joinpath("open").touch()
        assert envs.step(ACTIONS)[0][:, 1].tolist() == [1] * 4
        envs.send(ACTIONS)
        assert len(envs.recv(timeout=LONG)[5]) == 4


def test_close_kills_a_hanging_environment(toys: Any, ended: Any) -> None:
    envs = make(toys)
    envs.reset()
    pids = [place.pid for place in envs.places]
    envs.call_async("wait", 10_000)
    with pytest.raises(WorkerTimeoutError):
        envs.call_wait(0.1)
    envs.close()  # otherwise, the test would reach its time limit long before the call times out
    assert ended(pids)


def test_close_leaves_nothing_in_the_cluster(toys: Any, ended: Any) -> None:
    import ray

    free, total = ray.available_resources(), ray.cluster_resources()["CPU"]
    envs = make(toys)
    envs.reset()
    envs.step(ACTIONS)
    pids = [place.pid for place in envs.places]
    envs.close()
    assert ended(pids)
    assert ray.is_initialized()
    for _ in range(3000):
        now = ray.available_resources()
        if now.get("CPU") == total and now["object_store_memory"] >= free["object_store_memory"]:
            break
        time.sleep(0.1)
    assert now["CPU"] == total
    assert now["object_store_memory"] >= free["object_store_memory"]
    with pytest.raises(ClosedEnvironmentError):
        envs.reset()


def test_unclosed_vector_env_is_cleaned_up_when_collected(toys: Any, ended: Any) -> None:
    envs = make(toys)
    pids = [place.pid for place in envs.places]
    del envs
    assert ended(pids)


def test_unsupported_operations_are_explained(toys: Any) -> None:
    class OnlyHere:
        def __reduce__(self) -> Any:
            return _no_module, ()

    whichever = r"with environments (0, 1|2, 3), failed .*no_such_module"  # both environments fail in the same way
    with make(toys) as envs, pytest.raises(WorkerError, match=whichever):
        envs.reset(options={"value": OnlyHere()})


def test_uninstallable_packages_are_reported(toys: Any) -> None:
    with pytest.raises(WorkerError, match=r"could not start .*during construction"):
        make(toys, runtime_env={"uv": ["/no/such/package"]})


def wheel(folder: Path) -> Path:
    """Return a wheel with a single module, so that nothing needs to be built or downloaded."""
    made = folder / "ray_only_there-1.0-py3-none-any.whl"
    about = "ray_only_there-1.0.dist-info"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("ray_only_there.py", "VALUE = 7\n")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: ray-only-there\nVersion: 1.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return made


@pytest.mark.skipif(not (find_spec("uv") and find_spec("virtualenv")), reason="what Ray installs packages with")
def test_packages_are_installed_only_for_the_actors(toys: Any, tmp_path: Path) -> None:
    class Needing(toys.Counter):  # type: ignore[misc]
        def answer(self) -> int:
            return int(__import__("ray_only_there").VALUE)

    packages = {"uv": [str(wheel(tmp_path))]}
    with RayVectorEnv([Needing] * 2, num_workers=1, runtime_env=packages, start_timeout=LONG) as envs:
        assert envs.reset(seed=1)[0].shape == (2, 3)
        assert envs.call("answer") == (7, 7)
    assert find_spec("ray_only_there") is None


def test_missing_resources_error_shows_request_and_capacity(toys: Any) -> None:
    with (
        pytest.warns(
            UserWarning, match=r"room for 0 of 2 workers.* each worker requests CPU: 3, licence: 1.* waits 2 s"
        ),
        pytest.raises(WorkerTimeoutError) as raised,
    ):
        RayVectorEnv(toys.counters(4), num_workers=2, resources={"CPU": 3, "licence": 1}, start_timeout=2)
    message = str(raised.value)
    assert "did not start 2 workers within 2 s, for environments 0 to 3" in message
    assert "Each worker requests CPU: 3, licence: 1" in message
    assert "CPU: 2, licence: 0" in message
    assert "Request less with num_workers or resources" in message


@pytest.mark.parametrize("start_timeout", [None, 2])
def test_timeout_limits_the_wait_for_actors(toys: Any, start_timeout: Any) -> None:
    timeout = 1.5 if start_timeout is None else 300
    with (
        pytest.warns(UserWarning, match=r"idle cluster has room for 2 of 3 workers"),
        pytest.raises(WorkerTimeoutError, match=f"did not start .* within {start_timeout or 1.5} s"),
    ):
        RayVectorEnv(toys.counters(4), num_workers=3, timeout=timeout, start_timeout=start_timeout)


def test_actors_without_resources_fit_everywhere(toys: Any) -> None:
    with make(toys, num_workers=4, resources={"CPU": 0}) as envs:  # warnings are errors in this test
        assert envs.reset()[0].shape == (4, 3)


def test_different_cluster_address_is_rejected(toys: Any) -> None:
    with pytest.raises(ConnectionError, match="already"):
        RayVectorEnv(toys.counters(2), address="192.0.2.1:6379")


@pytest.mark.parametrize(
    "wrong, text",
    [
        ({"placement": "everywhere"}, "placement"),
        ({"resources": {"CPU": -1}}, "CPU: -1"),
        ({"on_error": "ignore"}, "on_error"),
        ({"ring": 0}, "ring"),
        ({"num_workers": 0}, "num_workers"),
        ({"max_concurrency": 0}, "max_concurrency"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else next(iter(value)),
)
def test_invalid_options_are_rejected(toys: Any, wrong: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        RayVectorEnv(toys.counters(2), **wrong)
