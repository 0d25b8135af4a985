"""Test that a returned value that cannot be unpickled causes an error that names the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.spaces import Box, Discrete
from gymkernel_util_vector.shards.errors import WorkerError
from gymkernel_vector_async import AsyncVectorEnv

PARENT = os.getpid()


def refuse(*_: Any) -> int:
    if os.getpid() == PARENT:
        raise RuntimeError("no licence here")
    return 1


class Reduced:
    def __reduce__(self) -> Any:
        return refuse, (1,)


class Restored:
    def __init__(self) -> None:
        self.x = 1

    def __setstate__(self, state: Any) -> None:
        refuse()


class Made:
    def __new__(cls) -> Any:
        refuse()
        return object.__new__(cls)

    def __reduce_ex__(self, _: Any) -> Any:
        return object.__reduce_ex__(self, 2)


VALUES: dict[str, Callable[[], Any]] = {
    "its function raises": Reduced,
    "its state is refused": Restored,
    "its class makes none": Made,
    "it is in a list": lambda: [1, {"deep": Reduced()}],
}
PHASES = ["reset", "step", "recv", "call"]


class Toy(Env[Any, Any]):
    observation_space = Box(-1, 1, (2,))
    action_space = Discrete(2)

    def __init__(self, phase: str, value: str | None) -> None:
        self.phase, self.value = phase, value

    def _info(self, phase: str) -> dict[str, Any]:
        is_due = self.value is not None and (self.phase == phase or (self.phase, phase) == ("recv", "step"))
        return {"good": 1, "bad": VALUES[str(self.value)]()} if is_due else {"good": 1}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return np.zeros(2, np.float32), self._info("reset")

    def step(self, action: Any) -> Any:
        return np.zeros(2, np.float32), 0.0, False, False, self._info("step")

    def state(self) -> Any:
        return self._info("call")


def maker(phase: str, value: str | None) -> Callable[[], Any]:
    return lambda: Toy(phase, value)


def request(envs: Any, phase: str) -> None:
    if phase == "recv":
        envs.send(np.zeros(4, np.int64), np.arange(4))
        envs.recv()
    elif phase == "step":
        envs.step(np.zeros(4, np.int64))
    elif phase == "call":
        envs.call("state")
    else:
        envs.reset()


@pytest.mark.parametrize(
    "value, phase",
    [
        pytest.param(value, phase, marks=[] if value == "its function raises" or phase == "step" else pytest.mark.slow)
        for value in VALUES
        for phase in PHASES
    ],
)
def test_environment_and_key_are_named(phase: str, value: str) -> None:
    env_fns = [maker(phase, value if i == 2 else None) for i in range(4)]
    with AsyncVectorEnv(env_fns, num_workers=2, context="fork") as envs:
        if phase != "reset":
            envs.reset()
        with pytest.raises((TypeError, WorkerError)) as caught:
            request(envs, phase)

        text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert "environment 2" in text
        assert "unpickled in the process of the vector environment, got the key 'bad': RuntimeError: no licence" in text
        if phase == "recv":
            assert sorted(envs.recv()[-1].tolist()) == [0, 1, 3]
        assert envs.get_attr("phase") == (phase,) * 4  # all workers are still running
