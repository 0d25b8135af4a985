"""Test `AsyncVectorEnv` with environments that do not fail, and test calls in the wrong order."""

from __future__ import annotations

import functools
import multiprocessing
import os
import threading
import time
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel import ops
from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError, ResetNeeded
from gymkernel.vector import AutoresetMode
from gymkernel_util_vector.cores import cores
from gymkernel_vector_async import AsyncVectorEnv, WorkerTimeoutError, _vector_env, _worker_handle

METHODS = ["fork", pytest.param("forkserver", marks=pytest.mark.slow), pytest.param("spawn", marks=pytest.mark.slow)]
ONES = np.ones(4, np.int64)


@pytest.fixture(params=[{}, {"parent_steps": True}, {"shared_memory": False}], ids=["plain", "parent", "pipe"])
def envs(request: Any, toys: Any) -> Any:
    with AsyncVectorEnv(toys.makers(4), num_workers=2, **request.param) as made:
        yield made


def test_reset_gives_every_environment_its_own_seed(envs: Any) -> None:
    observations, infos = envs.reset(seed=7)
    assert observations.tolist() == [[0, 0, 7], [1, 0, 8], [2, 0, 9], [3, 0, 10]]
    assert infos == {}


def test_step_batches_what_the_environments_return(envs: Any) -> None:
    envs.reset(seed=[1, None, 3, None])
    observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 2, 3, 4]))
    assert observations.tolist() == [[0, 1, 1], [1, 1, -1], [2, 1, 3], [3, 1, -1]]
    assert rewards.tolist() == [1, 2, 3, 4]
    assert rewards.dtype == np.float64
    assert not terminations.any()
    assert terminations.dtype == truncations.dtype == np.bool_
    assert infos["steps"].tolist() == [1, 1, 1, 1]


def test_done_environment_is_reset_instead_of_stepped(envs: Any) -> None:
    envs.reset(seed=0)
    for _ in range(4):
        observations, rewards, terminations, _, infos = envs.step(ONES)
    assert terminations.all()
    observations, rewards, terminations, _, infos = envs.step(ONES)
    assert observations[:, 1].tolist() == [0] * 4
    assert not rewards.any()
    assert not terminations.any()
    assert infos == {}


def test_explicit_reset_after_done_is_not_repeated(envs: Any) -> None:
    envs.reset()
    for _ in range(4):
        envs.step(ONES)
    envs.reset()
    observations, rewards, *_ = envs.step(ONES)
    assert observations[:, 1].tolist() == [1] * 4
    assert rewards.tolist() == [1] * 4


def test_partial_reset_resets_only_the_selected(envs: Any) -> None:
    envs.reset(seed=0)
    envs.step(ONES)
    options = {"reset_mask": np.array([False, True, False, True]), "level": 3}
    observations, infos = envs.reset(seed=20, options=options)
    assert observations[:, 1:].tolist() == [[1, 0], [0, 21], [1, 2], [0, 23]]
    assert infos["options"]["level"].tolist() == [0, 3, 0, 3]
    assert infos["_options"].tolist() == [False, True, False, True]
    assert "reset_mask" in options


def test_same_step_resets_immediately_with_final_observation(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(3, 2), num_workers=2, autoreset_mode=AutoresetMode.SAME_STEP) as envs:
        envs.reset()
        envs.step(ONES[:3])
        observations, rewards, terminations, _, infos = envs.step(ONES[:3])
        assert terminations.all()
        assert rewards.tolist() == [1, 1, 1]
        assert observations[:, 1].tolist() == [0, 0, 0]
        assert [item.tolist() for item in infos["final_obs"]] == [[0, 2, -1], [1, 2, -1], [2, 2, -1]]
        assert infos["final_info"]["steps"].tolist() == [2, 2, 2]


def test_disabled_mode_rejects_steps_of_done_environments(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(3, 1), num_workers=2, autoreset_mode="Disabled") as envs:
        envs.reset()
        _, _, terminations, _, _ = envs.step(ONES[:3])
        with pytest.raises(ResetNeeded, match="environments 0, 1, 2 are done"):
            envs.step(ONES[:3])
        envs.reset(options={"reset_mask": terminations})
        assert envs.step(ONES[:3])[1].tolist() == [1, 1, 1]


@pytest.mark.parametrize("method", METHODS)
def test_every_start_method_accepts_lambdas_and_local_functions(toys: Any, method: Any) -> None:
    offset, made = 10, toys.Counter
    with AsyncVectorEnv([lambda: made(offset)] * 3, context=method, num_workers=2) as envs:
        observations, _ = envs.reset()
        assert observations[:, 0].tolist() == [10] * 3
        assert os.getpid() not in envs.call("pid")


def test_max_concurrency_limits_the_workers(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(4), num_workers=3, max_concurrency=2) as envs:
        assert envs.num_workers == 2
    with AsyncVectorEnv(toys.makers(4), max_concurrency=1) as envs:
        assert envs.num_workers == 1
    with pytest.raises(ValueError, match="max_concurrency to be a whole number of at least 1, or None, got 0"):
        AsyncVectorEnv(toys.makers(4), max_concurrency=0)


def test_num_workers_is_limited_by_the_environments(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(3), num_workers=8) as envs:
        assert len(envs.processes) == 3
        assert len(set(envs.call("pid"))) == 3
    with AsyncVectorEnv(toys.makers(5), num_workers=2) as envs:
        assert len(envs.processes) == 2


def test_parent_can_step_a_shard(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(4), num_workers=1, parent_steps=True) as envs:
        assert envs.call("pid")[2:] == (os.getpid(),) * 2
        assert envs.call("pid")[0] != os.getpid()


def test_batches_are_copies_by_default(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2), num_workers=1) as envs:
        first, _ = envs.reset()
        envs.step(ONES[:2])
        assert first[:, 1].tolist() == [0, 0]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("ring", [1, 2, 3])
def test_views_stay_valid_for_the_length_of_the_ring(toys: Any, ring: Any, shared: bool) -> None:
    with AsyncVectorEnv(toys.makers(2, 100), shared, num_workers=2, copy=False, ring=ring) as envs:
        view, _ = envs.reset()
        for _ in range(ring - 1):
            envs.step(ONES[:2])
            assert view[:, 1].tolist() == [0, 0]
        envs.step(ONES[:2])
        assert view[:, 1].tolist() == [ring, ring], "the next buffer is the first one again"


def test_partial_reset_keeps_other_rows_in_the_next_buffer(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2, 100), num_workers=2, copy=False, ring=2) as envs:
        envs.reset()
        envs.step(ONES[:2])
        observations, _ = envs.reset(options={"reset_mask": np.array([True, False])})
        assert observations[:, 1].tolist() == [0, 1]


def test_parts_without_arrays_are_sent_every_step(toys: Any) -> None:
    class Speaker(toys.Counter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = toys.Record({"place": toys.Line(), "word": toys.Word()})

        def _observe(self) -> Any:
            return {"place": np.full(3, self.steps, np.float32), "word": f"step {self.steps}"}

    with AsyncVectorEnv([Speaker] * 3, num_workers=2) as envs:
        observations, _ = envs.reset()
        assert observations["word"] == ("step 0",) * 3
        for step in (1, 2):
            observations, *_ = envs.step(ONES[:3])
            assert observations["word"] == (f"step {step}",) * 3
            assert observations["place"].tolist() == [[step] * 3] * 3
        observations, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
        assert observations["word"] == ("step 2", "step 0", "step 2")


def test_environment_can_keep_its_action(toys: Any) -> None:
    class Keeper(toys.Counter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(length=100)
            self.action_space = toys.Line((2,), np.float64)
            self.kept: list[Any] = []

        def step(self, action: Any) -> Any:
            self.kept.append(action)
            return (*super().step(action[0])[:4], {})

    with AsyncVectorEnv([Keeper] * 2, num_workers=1) as envs:
        envs.reset()
        for k in range(3):
            envs.step(np.full((2, 2), float(k)))
        envs.step(np.full((2, 2), 3, np.float32))
        kept = envs.get_attr("kept")
        assert [[a.tolist() for a in item] for item in kept] == [[[float(k)] * 2 for k in range(4)]] * 2
        assert kept[0][3].dtype == np.float32, "as the sync backend hands it on"


@pytest.mark.parametrize("actions", [[1, 1, 1], np.ones(5, np.int64), np.ones(3, np.int32)], ids=str)
def test_wrong_number_of_actions_is_rejected_before_stepping(envs: Any, actions: Any) -> None:
    envs.reset()
    with pytest.raises(ValueError, match="Expected 4 actions"):
        envs.step(actions)
    observations, rewards, *_ = envs.step([1, 2, 3, 4])
    assert observations[:, 1].tolist() == [1] * 4
    assert rewards.tolist() == [1, 2, 3, 4]


def test_methods_and_attributes_of_environments_are_accessible(envs: Any) -> None:
    assert envs.call("add", 1, y=2) == (3, 4, 5, 6)
    assert envs.call("number") == envs.get_attr("number") == (0, 1, 2, 3)
    envs.set_attr("number", [9, 8, 7, 6])
    assert envs.get_attr("number") == (9, 8, 7, 6)
    envs.set_attr("number", 5)
    assert envs.get_attr("number") == (5,) * 4
    assert envs.render() == ("5:0",) * 4
    envs.reset(seed=3)
    assert envs.np_random_seed == (3, 4, 5, 6)
    assert len(envs.np_random) == 4
    with pytest.raises(ValueError, match="each of the 4 environments, got 2"):
        envs.set_attr("number", [1, 2])


def test_async_and_wait_calls_are_separate(envs: Any) -> None:
    envs.reset_async(seed=1)
    assert envs.reset_wait(timeout=30)[0][:, 2].tolist() == [1, 2, 3, 4]
    envs.step_async(ONES)
    assert envs.step_wait(timeout=30)[1].tolist() == [1] * 4
    envs.call_async("add", 1)
    assert envs.call_wait(timeout=30) == (1, 2, 3, 4)


def test_calls_out_of_order_are_rejected(envs: Any) -> None:
    envs.reset()
    for wait in (envs.reset_wait, envs.step_wait, envs.call_wait, envs.recv):
        with pytest.raises(NoAsyncCallError):
            wait()
    envs.step_async(ONES)
    for call in (lambda: envs.step_async(ONES), envs.reset_async, lambda: envs.call("add", 1), lambda: envs.send(ONES)):
        with pytest.raises(AlreadyPendingCallError, match="step_wait") as caught:
            call()
        assert caught.value.name == "step"
    envs.step_wait()
    envs.send(ONES)
    with pytest.raises(AlreadyPendingCallError, match="recv"):
        envs.step(ONES)
    envs.recv()
    envs.step(ONES)


def test_step_before_reset_is_rejected(envs: Any) -> None:
    with pytest.raises(ResetNeeded, match="environments 0 to 3 were never reset"):
        envs.step(ONES)
    observations, _ = envs.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert observations[1].tolist() == [0, 0, 0]
    with pytest.raises(ResetNeeded, match="environments 1, 2"):
        envs.step(ONES)


def test_closed_vector_env_raises_and_can_be_closed_again(envs: Any) -> None:
    envs.close()
    envs.close()
    calls: list[Any] = [envs.reset, lambda: envs.step(ONES), lambda: envs.call("add", 1), envs.render, envs.recv]
    for call in calls:
        with pytest.raises(ClosedEnvironmentError, match="make a new one"):
            call()


def test_close_closes_the_environments(toys: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_worker_handle,):  # on a busy machine, workers take longer to receive the request
        monkeypatch.setattr(module, "GRACE_PERIOD", 50.0)

    class Closing(toys.Counter):  # type: ignore[misc]
        def close(self) -> None:
            (tmp_path / str(self.number)).touch()

    AsyncVectorEnv([functools.partial(Closing, n) for n in range(3)], num_workers=2).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2"]


def test_late_answer_is_dropped(toys: Any) -> None:
    gate = multiprocessing.get_context("fork").Semaphore(0)

    def wait(env: Any) -> None:
        gate.acquire()

    def slow() -> Any:
        return toys.Troubled(1, 100, 1, wait)

    with AsyncVectorEnv([toys.Counter, slow], num_workers=2, context="fork") as envs:
        envs.reset()
        for seconds in (0.05, 1.0, 20.0):  # on a busy machine, the other environment needs more time
            envs.step_async(np.array([1, 2]))
            with pytest.raises(WorkerTimeoutError) as caught:
                envs.step_wait(timeout=seconds)
            if caught.value.indices == [1]:
                break
            gate.release()
            envs.reset()
        assert caught.value.indices == [1]
        assert "for environment 1; at work: environment 1." in str(caught.value)
        assert isinstance(caught.value, multiprocessing.TimeoutError)
        envs.step_async(np.array([3, 4]))
        gate.release()
        observations, rewards, *_ = envs.step_wait()
        assert rewards.tolist() == [3, 4]
        assert observations[:, 1].tolist() == [2, 2]


def test_incompatible_spaces_error_names_the_indices(toys: Any) -> None:
    class Other(toys.Counter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = toys.Line((4,), np.int64)

    class Mute(toys.Counter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.action_space = toys.Line((2,), np.int64)

    with pytest.raises(RuntimeError, match=r"one observation space.*environment 0 .*environments 2, 3"):
        AsyncVectorEnv([toys.Counter, toys.Counter, Other, Other], num_workers=2)
    with pytest.raises(RuntimeError, match=r"one action space.*environment 3"):
        AsyncVectorEnv([toys.Counter, toys.Counter, toys.Counter, Mute], num_workers=2)


@pytest.mark.parametrize(
    "arguments,text",
    [
        ({"worker": print}, "worker= is not supported"),
        ({"observation_mode": "other"}, "observation_mode"),
        ({"autoreset_mode": "other"}, "other"),
        ({"num_workers": 0}, "num_workers"),
        ({"ring": 0}, "ring"),
        ({"on_error": "ignore"}, "on_error"),
    ],
)
def test_invalid_arguments_are_rejected_with_an_explanation(toys: Any, arguments: Any, text: Any) -> None:
    with pytest.raises(ValueError, match=text):
        AsyncVectorEnv(toys.makers(2), **arguments)


def test_empty_env_fns_and_non_functions_are_rejected() -> None:
    with pytest.raises(ValueError, match="at least one"):
        AsyncVectorEnv([])
    with pytest.raises(TypeError, match="index 0"):
        AsyncVectorEnv([3])  # type: ignore[list-item]


def test_custom_context_is_used(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(1), context=multiprocessing.get_context("fork")) as envs:
        assert envs.reset()[0].shape == (1, 3)


def test_idle_worker_uses_no_cpu_time(toys: Any) -> None:
    class Clock(toys.Counter):  # type: ignore[misc]
        def used(self) -> float:
            return time.process_time()

    with AsyncVectorEnv([Clock] * 2, num_workers=1) as envs:
        envs.reset()
        envs.call("used")
        time.sleep(0.1)  # wait until the worker has stopped polling
        for _ in range(3):  # repeated, because a pause of the whole machine may be measured as part of a step
            before = envs.call("used")[0]
            time.sleep(0.5)
            used = envs.call("used")[0] - before
            if used < 0.1:
                break
        assert used < 0.1


@pytest.mark.parametrize("waits", [True, False])
def test_too_few_workers_for_waiting_environments_warn_once(toys: Any, waits: bool) -> None:
    class Waiting(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            time.sleep(0.001) if waits else sum(range(10_000))
            return super().step(action)

    with AsyncVectorEnv([Waiting] * (2 * cores() + 2)) as envs, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        envs.reset()
        for _ in range(80):
            envs.step(np.ones(envs.num_envs, np.int64))
    texts = [str(item.message) for item in seen]
    assert len(texts) == waits
    assert all(f"num_workers={envs.num_envs} would be faster" in text for text in texts)


@pytest.mark.parametrize("waits", [True, False])
def test_automatic_number_of_workers_follows_the_work(toys: Any, monkeypatch: pytest.MonkeyPatch, waits: bool) -> None:
    # All steps are measured, because on a busy machine the first steps may not be typical.
    monkeypatch.setattr(_vector_env, "time", SimpleNamespace(monotonic=lambda: 0.0))

    class Waiting(toys.Counter):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            time.sleep(0.002) if waits else sum(range(10_000))
            return super().step(action)

    n = 4 * cores() + 2
    with AsyncVectorEnv([Waiting] * n, num_workers="auto") as envs:
        envs.reset(seed=1)
        assert envs.step(np.ones(n, np.int64))[0].shape[0] == n
        assert envs.num_workers == (n if waits else cores())


def test_ctrl_c_in_the_parents_shard_reaches_the_program(toys: Any) -> None:
    made = toys.Troubled

    def interrupt(env: Any) -> None:
        raise KeyboardInterrupt

    with AsyncVectorEnv([lambda: made(0, 9, 1, interrupt)] * 2, num_workers=1, parent_steps=True) as envs:
        envs.reset()
        with pytest.raises(KeyboardInterrupt):
            envs.step(ONES[:2])


def test_message_larger_than_the_socket_buffer_arrives(toys: Any) -> None:
    class Reader(toys.Counter):  # type: ignore[misc]
        def doze(self) -> None:
            time.sleep(0.05)

        def size(self, data: bytes) -> int:
            return len(data)

    with AsyncVectorEnv([Reader] * 2, num_workers=2, timeout=20) as envs:
        envs.reset()
        for _ in range(3):
            envs.call("doze")
            assert envs.call("size", bytes(20_000_000)) == (20_000_000, 20_000_000)


@pytest.mark.parametrize("num_workers", [1, 2])
@pytest.mark.parametrize("pickles", [True, False])
def test_different_spaces_are_those_of_each_environment(toys: Any, num_workers: int, pickles: bool) -> None:
    """Test this with spaces whose class cannot be imported by name, and with spaces that cannot be pickled."""

    class Limited(toys.Line):  # type: ignore[misc]
        def __init__(self, *limits: int) -> None:
            super().__init__((3,), np.int64)
            self.limits, self.held = limits, None if pickles else threading.Lock()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Limited) and self.limits == other.limits

        __hash__ = None  # type: ignore[assignment]

    @ops.batch_differing_spaces.register(Limited)
    def _(space: Limited, spaces: list[Limited]) -> Limited:
        return Limited(*(item.limits[0] for item in spaces))

    def maker(limit: int) -> Any:
        def make() -> Any:
            env = toys.Counter(limit)
            env.observation_space = Limited(limit)
            return env

        return make

    functions = [maker(limit) for limit in (5, 3, 5, 8)]
    made: Any = AsyncVectorEnv(functions, num_workers=num_workers, context="fork", observation_mode="different")
    with made as envs:
        assert envs.observation_space.limits == (5, 3, 5, 8)
