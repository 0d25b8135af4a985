"""Test failures of environments and workers."""

from __future__ import annotations

import builtins
import faulthandler
import multiprocessing
import os
import pickle
import signal
import threading
import time
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import ResetNeeded
from gymkernel_util_vector.shards.errors import failures_error
from gymkernel_util_vector.shards.messages import Failure
from gymkernel_vector_async import AsyncVectorEnv, WorkerError, WorkerTimeoutError, _worker_handle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ONES = np.ones(4, np.int64)


class PickyError(Exception):
    """An exception that can be pickled but not unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def raises(exc: BaseException) -> Any:
    def trouble(env: Any) -> None:
        raise exc

    return trouble


def returns(**parts: Any) -> Any:
    """Return the result of a step with some parts replaced."""

    def trouble(env: Any) -> Any:
        made = {"observation": env._observe(), "reward": 0.0, "terminated": False, "truncated": False, "info": {}}
        return tuple({**made, **parts}.values())

    return trouble


def with_trouble(toys: Any, trouble: Any, at: Any = 2, where: Any = (2,), **kwargs: Any) -> AsyncVectorEnv:
    """Create four environments in two workers. The environments in `where` call `trouble`."""
    made, plain = toys.Troubled, toys.Counter
    fns = [(lambda i=i: made(i, 100, at, trouble)) if i in where else (lambda i=i: plain(i, 100)) for i in range(4)]
    return AsyncVectorEnv(fns, num_workers=2, context="fork", **kwargs)


def segfault() -> None:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def step_often(envs: Any) -> None:
    for _ in range(10):
        envs.step(ONES)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ended(pids: list[int]) -> bool:
    return not any(alive(pid) for pid in pids)


def until(holds: Callable[[], bool]) -> bool:
    """Wait for a condition, because killed processes may exit late. Return whether it became true."""
    for _ in range(3000):
        multiprocessing.active_children()  # reaps processes that have exited
        if holds():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("parent_steps", [False, True])
def test_exception_has_index_action_and_traceback(toys: Any, parent_steps: Any) -> None:
    with with_trouble(toys, raises(KeyError("lost")), parent_steps=parent_steps) as envs:
        envs.reset(seed=5)
        envs.step(ONES)
        with pytest.raises(WorkerError, match=r"environment 2 in step \(action .*7.*KeyError: 'lost'") as caught:
            envs.step(np.array([0, 0, 7, 0]))
        error = caught.value
        assert (error.indices, error.phase) == ([2], "step")
        assert "in trouble" in error.tracebacks[2]
        assert isinstance(error.__cause__, KeyError)
        with pytest.raises(ResetNeeded, match="environment 2"):
            envs.step(ONES)
        observations, _ = envs.reset(options={"reset_mask": np.arange(4) == 2})
        assert observations[:, 1].tolist() == [2, 2, 0, 2]
        assert envs.step(ONES)[1].tolist() == [1] * 4


def test_all_exceptions_are_reported(toys: Any) -> None:
    with with_trouble(toys, raises(ValueError("bad")), where=(0, 1, 3)) as envs:
        envs.reset()
        envs.step(ONES)
        with pytest.raises(WorkerError, match="environments 0, 1, 3 failed in step") as caught:
            envs.step(ONES)
        assert sorted(caught.value.tracebacks) == [0, 1, 3]


@pytest.mark.parametrize("where", [(2,), (0, 1, 3)], ids=["one", "several"])
@pytest.mark.parametrize("at", ["make", "reset", 1])
def test_environment_exceptions_keep_their_class(toys: Any, where: Any, at: Any) -> None:
    def begin() -> None:
        with with_trouble(toys, raises(FileNotFoundError(2, "no such file", "a.xml")), at, where) as envs:
            envs.reset()
            envs.step(ONES)

    with pytest.raises(FileNotFoundError, match=r"a\.xml") as caught:
        begin()
    assert isinstance(caught.value, WorkerError)
    error: Any = caught.value
    assert (error.errno, error.filename, error.args) == (2, "a.xml", (2, "no such file"))
    assert error.indices == sorted(error.causes) == list(where)
    assert all(f"environment {i}" in str(error) for i in where)


def test_exceptions_in_call_keep_their_class(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2), num_workers=2) as envs, pytest.raises(TypeError, match="environments 0, 1"):
        envs.call("add")


@pytest.mark.parametrize(
    "raised,expected,unexpected",
    [
        ((KeyError("a"), IndexError("b")), LookupError, KeyError),
        ((KeyError("a"), ValueError("b")), WorkerError, KeyError),
        ((PickyError(1, 2), PickyError(3, 4)), PickyError, ValueError),
        ((SystemExit(1), SystemExit(2)), WorkerError, SystemExit),
    ],
    ids=["a common base", "nothing in common", "a constructor of its own", "exits"],
)
def test_exceptions_of_several_classes_get_a_common_base(
    toys: Any, raised: Any, expected: Any, unexpected: Any
) -> None:
    def trouble(env: Any) -> None:
        raise raised[env.number % 2]

    with with_trouble(toys, trouble, where=(1, 2)) as envs:
        envs.reset()
        envs.step(ONES)
        with pytest.raises(expected) as caught:
            envs.step(ONES)
    assert not isinstance(caught.value, unexpected)
    assert {i: repr(exc) for i, exc in caught.value.causes.items()} == {1: repr(raised[1]), 2: repr(raised[0])}


def builtin_exceptions() -> list[Exception]:
    """Return an instance of each of Python's built-in exception classes."""
    arguments: dict[str, tuple[Any, ...]] = {
        "UnicodeDecodeError": ("utf-8", b"a", 0, 1, "why"),
        "UnicodeEncodeError": ("utf-8", "a", 0, 1, "why"),
        "UnicodeTranslateError": ("a", 0, 1, "why"),
        "ExceptionGroup": ("two", [ValueError(1), KeyError(2)]),
        "SyntaxError": ("wrong", ("a.py", 3, 1, "x = ", 3, 4)),
    }
    kinds = [kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    made = [kind(*arguments.get(kind.__name__, (2, "text"))) for kind in kinds if kind is not Exception]
    return list({type(exc): exc for exc in made}.values())


ALL = [*builtin_exceptions(), PickyError(1, 2), ResetNeeded("no")]


@pytest.mark.parametrize("exc", ALL, ids=lambda exc: type(exc).__name__)
def test_combined_error_has_every_class_and_can_be_pickled(exc: Any) -> None:
    error = failures_error([Failure.of(exc, 3, "step"), Failure.of(exc, 5, "step")])
    for made in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(made, WorkerError)
        assert isinstance(made, type(exc))
        assert (repr(made.args), made.indices, str(made)) == (repr(exc.args), [3, 5], str(error))
    assert isinstance(failures_error([Failure.of(error, 0, "step")]), type(exc)), "of workers of a worker"


def test_exception_in_reset_shows_the_seed(toys: Any) -> None:
    with (
        with_trouble(toys, raises(ValueError("bad")), "reset") as envs,
        pytest.raises(WorkerError, match=r"environment 2 in reset \(seed 12\): ValueError: bad"),
    ):
        envs.reset(seed=10)


@pytest.mark.parametrize(
    "exc,cause",
    [
        (PickyError(1, 2), True),
        (type("Local", (Exception,), {})("here"), True),
        (ValueError(lambda: 0), True),
        (ValueError(threading.Lock()), True),
        (SystemExit(3), True),
        (KeyboardInterrupt(), True),
    ],
    ids=["two arguments", "local class", "lambda", "not picklable", "exit", "interrupt"],
)
def test_unpicklable_exception_arrives_as_text(toys: Any, exc: Any, cause: Any) -> None:
    with with_trouble(toys, raises(exc)) as envs:
        envs.reset()
        envs.step(ONES)
        with pytest.raises(WorkerError, match=f"environment 2.*{type(exc).__name__}") as caught:
            envs.step(ONES)
        assert (caught.value.__cause__ is not None) == cause
        envs.reset()


@pytest.mark.parametrize(
    "parts,text",
    [
        ({"observation": None}, "shape .3,. and dtype int64 from environment 2, got None"),
        ({"observation": np.zeros(1, np.int64)}, "got shape .1,."),
        ({"observation": np.zeros((3, 1), np.int64)}, "got shape .3, 1."),
        ({"observation": np.array([0.0, 300.7, 0.0])}, "300.7.*cannot represent"),
        ({"observation": np.array(["a", "b", "c"])}, "got array.*dtype <U1"),
        ({"reward": np.zeros(2)}, "reward of environment 2 to be a number, got array"),
        ({"reward": None}, "reward of environment 2 to be a number, got None"),
        ({"info": None}, "info of environment 2 to be a dictionary, got None"),
        ({"info": {"lock": threading.Lock()}}, "info that can be pickled"),
        ({"extra": 1}, "got 6 values"),
    ],
    ids=["none", "broadcastable", "same size", "float", "text", "reward array", "no reward", "no info", "lock", "six"],
)
def test_invalid_results_are_rejected_with_the_index(toys: Any, parts: Any, text: Any) -> None:
    with with_trouble(toys, returns(**parts)) as envs:
        envs.reset()
        envs.step(ONES)
        with pytest.raises(WorkerError, match=f"(?s)environment 2.*{text}"):
            envs.step(ONES)
        envs.reset()
        assert envs.step(ONES)[0][:, 1].tolist() == [1] * 4


def test_convertible_observations_are_accepted(toys: Any) -> None:
    with with_trouble(toys, returns(observation=[7.0, 8, True])) as envs:
        envs.reset()
        envs.step(ONES)
        assert envs.step(ONES)[0][2].tolist() == [7, 8, 1]


def test_checks_can_be_disabled(toys: Any) -> None:
    with with_trouble(toys, returns(observation=np.array([1.9])), check_observations=False) as envs:
        envs.reset()
        envs.step(ONES)
        assert envs.step(ONES)[0][2].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "end,text",
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
        (lambda: os._exit(7), "exit code 7"),
        (segfault, "SIGSEGV"),
    ],
    ids=["killed", "exit", "segfault"],
)
@pytest.mark.parametrize("at", ["reset", 2])
def test_worker_exit_error_names_environments_and_exit_status(toys: Any, end: Any, text: Any, at: Any) -> None:
    envs = with_trouble(toys, lambda env: end(), at)
    if at != "reset":
        envs.reset()
        envs.step(ONES)
    with pytest.raises(WorkerError, match=f"environments 2, 3, .*{text}.*in environment 2") as caught:
        envs.reset() if at == "reset" else envs.step(ONES)
    assert caught.value.indices == [2, 3]
    assert list(caught.value.exit_codes) == [1]
    with pytest.raises(WorkerError, match=r"reset|again"):
        envs.reset()
    envs.close()


def test_worker_exit_between_steps_is_detected(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(4), num_workers=2) as envs:
        envs.reset()
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="environments 0, 1"):
            envs.step(ONES)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system says that a process has ended")
def test_exit_status_is_known_with_a_busy_fork_server(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_worker_handle, "GRACE_PERIOD", 0.05)
    with AsyncVectorEnv(toys.makers(4), num_workers=2, context="forkserver") as envs:
        envs.reset()
        server = vars(forkserver)["_forkserver"]._forkserver_pid
        os.kill(server, signal.SIGSTOP)
        goes_on = threading.Timer(0.3, os.kill, (server, signal.SIGCONT))
        goes_on.start()
        try:
            os.kill(envs.processes[0].pid, signal.SIGKILL)
            with pytest.raises(WorkerError, match=r"environments 0, 1, was killed by SIGKILL") as caught:
                envs.step(ONES)
        finally:
            goes_on.join()
            os.kill(server, signal.SIGCONT)
        assert caught.value.exit_codes == {0: -signal.SIGKILL}


@pytest.mark.parametrize(
    "ignore", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["hears", "ignores SIGTERM"]
)
def test_hanging_environment_is_named_and_close_kills_it(toys: Any, ignore: Any) -> None:
    def hang(env: Any) -> None:
        if ignore:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)

    for seconds in (0.2, 2.0, 20.0):  # on a busy machine, even environments that do not hang need more time
        envs = with_trouble(toys, hang, where=(3,))
        envs.reset()
        envs.step(ONES)
        envs.step_async(ONES)
        with pytest.raises(WorkerTimeoutError) as caught:
            envs.step_wait(timeout=seconds)
        processes = [process.pid for process in envs.processes]
        envs.close()
        assert until(partial(ended, processes))
        if caught.value.indices == [2, 3] and "at work: environment 2" not in str(caught.value):
            break
    assert caught.value.indices == [2, 3]
    assert "environments 2, 3; at work: environment 3" in str(caught.value)


@pytest.mark.slow
def test_timeout_applies_to_every_call(toys: Any) -> None:
    for seconds in (1.5, 5.0, 20.0):  # the earlier calls may need more time on a busy machine
        try:
            envs = with_trouble(toys, lambda env: time.sleep(1000), timeout=seconds)
        except WorkerTimeoutError:
            continue
        with envs:
            with suppress(WorkerTimeoutError):
                envs.reset()
                envs.step(ONES)
                with pytest.raises(WorkerTimeoutError, match=f"step did not end within {seconds:g} s") as caught:
                    envs.step(ONES)
                envs.close(terminate=True)
                break
            envs.close(terminate=True)
    assert 2 in caught.value.indices


def test_constructor_exception_is_raised_unchanged(toys: Any) -> None:
    with pytest.raises(LookupError, match="nothing there") as caught:
        with_trouble(toys, raises(LookupError("nothing there")), "make", (1, 2))
    assert "environments 1, 2 failed in construction" in str(caught.value)
    assert isinstance(caught.value, WorkerError)
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("metadata", [None, ["human"], "human"], ids=repr)
def test_metadata_in_a_worker_must_be_a_dictionary(toys: Any, metadata: Any) -> None:
    with pytest.raises(TypeError, match="metadata of Troubled to be a dictionary, got ") as caught:
        with_trouble(toys, lambda env: setattr(env, "metadata", metadata), "make", (1, 2))
    assert "environments 1, 2 failed in construction" in str(caught.value)


def test_constructor_that_exits_its_process_is_named(toys: Any) -> None:
    with pytest.raises(WorkerError, match="environments 0, 1, ended with exit code 4 during construction"):
        with_trouble(toys, lambda env: os._exit(4), "make", (0,))


def test_unpicklable_functions_are_named(toys: Any) -> None:
    made, lock = toys.Counter, threading.Lock()
    with pytest.raises(pickle.PicklingError, match=r"environment 1 cannot be pickled.*context='fork'"):
        AsyncVectorEnv([made, lambda: made(lock)], context="spawn", num_workers=1)


def test_missing_attribute_is_only_an_attribute_error(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(4), num_workers=2) as envs:
        for ask in (envs.get_attr, envs.call):
            with pytest.raises(AttributeError, match="nothing") as caught:
                ask("nothing")
            assert "environments 0 to 3" in str(caught.value)
        envs.reset()
        envs.step(ONES)


def test_raising_method_is_named(toys: Any) -> None:
    with (
        AsyncVectorEnv(toys.makers(2), num_workers=2) as envs,
        pytest.raises(WorkerError, match=r"environments 0, 1 failed in call"),
    ):
        envs.call("add")


def test_raising_environment_is_recreated_with_restart(toys: Any) -> None:
    with with_trouble(toys, raises(ValueError("bad")), on_error="restart") as envs:
        envs.reset()
        envs.step(ONES)
        observations, rewards, terminations, truncations, infos = envs.step(ONES)
        assert truncations.tolist() == [False, False, True, False]
        assert not terminations.any()
        assert observations[2].tolist() == [2, 1, -1], "the last observation that there was"
        assert infos["env_restarted"].tolist() == infos["_env_restarted"].tolist() == truncations.tolist()
        assert infos["env_error"][2] == "ValueError: bad"
        observations, rewards, *_ = envs.step(ONES)
        assert observations[:, 1].tolist() == [3, 3, 0, 3]
        assert rewards.tolist() == [1, 1, 0, 1]


def test_exited_worker_is_restarted_with_restart(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(4, 100), num_workers=2, on_error="restart") as envs:
        envs.reset(seed=0)
        envs.step(ONES)
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        observations, rewards, _, truncations, infos = envs.step(ONES)
        assert truncations.tolist() == infos["env_restarted"].tolist() == [True, True, False, False]
        assert observations.tolist() == [[0, 1, 0], [1, 1, 1], [2, 2, 2], [3, 2, 3]]
        assert rewards.tolist() == [0, 0, 1, 1]
        assert "SIGKILL" in infos["env_error"][0]
        observations, _, _, truncations, _ = envs.step(ONES)
        assert observations[:, 1].tolist() == [0, 0, 3, 3]
        assert not truncations.any()


@pytest.mark.parametrize("how", ["raises", "ends"])
def test_same_step_starts_an_episode_after_a_restart(toys: Any, how: Any) -> None:
    trouble = raises(ValueError("bad")) if how == "raises" else lambda env: os._exit(1)
    with with_trouble(toys, trouble, on_error="restart", autoreset_mode="SameStep") as envs:
        envs.reset(seed=0)
        envs.step(ONES)
        observations, _, _, truncations, infos = envs.step(ONES)
        assert truncations[2]
        assert observations[2, 1] == 0
        assert infos["final_obs"][2].tolist() == [2, 1, 2]
        assert infos["env_restarted"][2]
        assert infos["final_info"]["env_restarted"][2]
        envs.step(ONES)


def test_reset_is_repeated_in_a_restarted_worker(toys: Any, tmp_path: Any) -> None:
    def once(env: Any) -> None:
        if not (tmp_path / "ended").exists():
            (tmp_path / "ended").touch()
            os._exit(1)

    with with_trouble(toys, once, "reset", on_error="restart") as envs:
        observations, infos = envs.reset(seed=5)
        assert observations[:, 2].tolist() == [5, 6, 7, 8]
        assert infos["env_restarted"].tolist() == [False, False, True, True]
        assert envs.step(ONES)[1].tolist() == [1] * 4


def test_number_of_restarts_is_limited(toys: Any) -> None:
    with with_trouble(toys, raises(ValueError("bad")), 1, on_error="restart", max_restarts=2) as envs:
        envs.reset()
        with pytest.raises(WorkerError, match=r"environment 2.*bad"):
            step_often(envs)
    envs = with_trouble(toys, lambda env: os._exit(1), 1, on_error="restart", max_restarts=1)
    envs.reset()
    with pytest.raises(WorkerError, match="exit code 1") as caught:
        step_often(envs)
    assert "max_restarts" in caught.value.__notes__[0]
    envs.close()


@pytest.mark.parametrize("end, text", [(lambda: os._exit(1), "exit code 1"), (lambda: 1 // 0, "ZeroDivisionError")])
@pytest.mark.parametrize("limit, starts, note", [(3, 3, "the limit (max_restarts)"), (None, 10, "failed each time")])
def test_failing_recreations_are_limited(
    toys: Any, tmp_path: Path, end: Any, text: str, limit: Any, starts: int, note: str
) -> None:
    made = tmp_path / "made"

    def make() -> Any:
        with made.open("a") as file:
            file.write("x")
        if made.stat().st_size > 1:
            end()
        return toys.Counter(0, 100)

    with AsyncVectorEnv([make], num_workers=1, context="fork", on_error="restart", max_restarts=limit) as envs:
        envs.reset()
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match=f"{text}[^.]*construction|construction: {text}") as caught:
            envs.step(np.zeros(1, np.int64))
        assert note in caught.value.__notes__[0]
    assert made.stat().st_size == 1 + starts


def test_environments_can_start_processes_with_daemon_false(toys: Any) -> None:
    class Nested(toys.Counter):  # type: ignore[misc]
        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            import multiprocessing

            child = multiprocessing.get_context("fork").Process(target=int)
            child.start()
            child.join()
            return super().reset(seed=seed)

    with AsyncVectorEnv([Nested] * 2, daemon=False, num_workers=1) as envs:
        envs.reset()
    with AsyncVectorEnv([Nested] * 2, num_workers=1) as envs, pytest.raises(WorkerError, match="pass daemon=False"):
        envs.reset()


def test_too_large_observation_error_shows_both_sizes(toys: Any) -> None:
    class Huge(toys.Counter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.observation_space = toys.Line((10**8, 10**6))

    with pytest.raises(MemoryError, match=r"needs 8\d*\.\d GB of shared memory, but only .* are available"):
        AsyncVectorEnv([Huge] * 2, num_workers=1)


def test_opening_and_closing_leaks_nothing(toys: Any) -> None:
    with AsyncVectorEnv(toys.makers(2)):
        pass
    before = toys.descriptors()
    kept = [AsyncVectorEnv(toys.makers(2), num_workers=2) for _ in range(3)]
    for made in kept:
        made.reset()
        made.close()
    for _ in range(4):
        AsyncVectorEnv(toys.makers(2), num_workers=2).close()
    made = AsyncVectorEnv(toys.makers(2))
    del made
    assert until(lambda: toys.descriptors() == before)


def test_fork_with_other_threads_warns(toys: Any) -> None:
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    try:
        with pytest.warns(RuntimeWarning, match="forkserver"):
            AsyncVectorEnv(toys.makers(1), context="fork").close()
        with AsyncVectorEnv(toys.makers(1)) as envs:
            assert type(envs.processes[0]).__name__ == "ForkServerProcess"
    finally:
        gate.set()
        thread.join()


def test_fork_with_other_threads_is_no_error_in_tests(toys: Any) -> None:
    """pyproject.toml ignores the warning, because other tests may have left threads running."""
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    try:
        AsyncVectorEnv(toys.makers(1), context="fork").close()
    finally:
        gate.set()
        thread.join()


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_worker_that_cannot_start_says_why(toys: Any, method: str) -> None:
    class Fleeting(toys.Counter):  # type: ignore[misc]
        asked = 0

        @property
        def action_space(self) -> Any:
            type(self).asked += 1
            if self.asked > 2:
                raise LookupError("the action space is gone")
            return self._actions

        @action_space.setter
        def action_space(self, value: Any) -> None:
            self._actions = value

    def begin() -> None:
        with AsyncVectorEnv([Fleeting, Fleeting], num_workers=1, context=method) as envs:
            envs.reset()

    with pytest.raises(WorkerError, match="the action space is gone"):
        begin()
