"""Tests of Gymnasium's spaces in shared memory."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from gymkernel.vector import AsyncVectorEnv
from gymkernel.vector.utils import Buffer


def test_arrays_of_a_gymnasium_space_fit_a_buffer() -> None:
    buffer = Buffer(spaces.Dict(a=spaces.Box(0, 9, (2,)), b=spaces.Discrete(5)), 2)
    for i in range(2):
        buffer.write(i, {"a": np.full(2, i, np.float32), "b": np.int64(i + 1)})

    batch = buffer.read()

    assert buffer.dense
    assert batch["b"].tolist() == [1, 2]


class Mission(spaces.Space[str]):
    """A third-party space without a zero element."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "go"

    def contains(self, x: Any) -> bool:
        return bool(x == "go")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mission)

    __hash__ = None  # type: ignore[assignment]


class Instructed(gymnasium.Env[Any, Any]):
    """An environment whose observation space is a Dict that contains a `Mission`."""

    def __init__(self) -> None:
        self.observation_space = spaces.Dict(mission=Mission(), place=spaces.Box(0, 1, (2,)))
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return {"mission": "go", "place": np.ones(2, np.float32)}, {}


def test_workers_step_environments_with_third_party_spaces() -> None:
    make: Any = Instructed
    envs = AsyncVectorEnv([make, make])
    observations: Any = envs.reset(seed=1)[0]
    envs.close()

    assert observations["mission"] == ("go", "go")
    assert observations["place"].shape == (2, 2)
