"""Test that each worker gets one environment if a process can have only one instance, as with emulators."""

from __future__ import annotations

import os
import sys
from typing import Any

import cloudpickle
import numpy as np
import pytest

from gymkernel import Env
from gymkernel.vector.utils.arguments import OnePerProcessError
from gymkernel_vector_async import AsyncVectorEnv, WorkerError

cloudpickle.register_pickle_by_value(sys.modules[__name__])

METHODS = ["fork", pytest.param("forkserver", marks=pytest.mark.slow), pytest.param("spawn", marks=pytest.mark.slow)]


def console(toys: Any, limited: bool = True) -> Any:
    """Return a function that creates an environment of which only one instance can exist per process."""

    class Console(Env[Any, Any]):
        metadata = {"render_modes": [], "one_per_process": limited}  # noqa: RUF012 - the API requires a class attribute
        observation_space, action_space = toys.Line((), np.int64), toys.Line((), np.int64)

        def __init__(self) -> None:
            alive = getattr(sys, "_console", None)
            if alive == os.getpid():
                raise RuntimeError("this process already has a console")
            sys._console = os.getpid()  # type: ignore[attr-defined]

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return np.int64(os.getpid()), {}

        def step(self, action: Any) -> Any:
            return np.int64(os.getpid()), 0.0, False, False, {}

        def close(self) -> None:
            sys._console = None  # type: ignore[attr-defined]

    return Console


@pytest.mark.parametrize("context", METHODS)
@pytest.mark.parametrize(
    "options", [{}, {"parent_steps": True}, {"num_workers": "auto"}], ids=["default", "parent", "auto"]
)
def test_each_environment_has_its_own_process_by_default(toys: Any, context: str, options: Any) -> None:
    n = os.cpu_count() or 1
    envs: Any = AsyncVectorEnv([console(toys)] * (n + 2), context=context, **options)
    with envs:
        observations, _ = envs.reset(seed=1)
        envs.step(np.zeros(n + 2, np.int64))

        assert envs.num_workers == n + 2 - ("parent_steps" in options)
        assert len(set(observations.tolist())) == n + 2
    assert getattr(sys, "_console", None) is None


@pytest.mark.parametrize(
    "options", [{"num_workers": 1}, {"max_concurrency": 1}, {"num_workers": 1, "parent_steps": True}]
)
def test_too_few_requested_processes_raise(toys: Any, options: Any) -> None:
    with pytest.raises(OnePerProcessError, match="Console allows only one environment per process") as caught:
        AsyncVectorEnv([console(toys)] * 3, **options)

    assert isinstance(caught.value, WorkerError)
    assert "unless num_workers or max_concurrency limits the number" in str(caught.value)
    assert getattr(sys, "_console", None) is None


def test_enough_requested_workers_are_accepted(toys: Any) -> None:
    with AsyncVectorEnv([console(toys)] * 3, num_workers=7) as envs:
        assert envs.num_workers == 3


def test_exceptions_of_env_fns_are_raised_unchanged(toys: Any) -> None:
    with pytest.raises(RuntimeError, match="already has a console") as caught:
        AsyncVectorEnv([console(toys, limited=False)] * 3, num_workers=1)

    assert not isinstance(caught.value, OnePerProcessError)


def test_failed_start_closes_the_environments_of_this_process(toys: Any) -> None:
    def fail() -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        AsyncVectorEnv([fail, console(toys)], num_workers=1, parent_steps=True)

    assert getattr(sys, "_console", None) is None
