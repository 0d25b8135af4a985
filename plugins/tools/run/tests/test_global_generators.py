"""Test that environments whose creation draws from NumPy's global generator are started as in Gymnasium."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel_tool_run.global_generators import GlobalGeneratorError, _Detector

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = """
    import numpy as np
    import gymnasium as gym
    from gymnasium.vector import AsyncVectorEnv

    class Walk(gym.Env):
        observation_space, action_space = gym.spaces.Box(-9, 9, (1,)), gym.spaces.Discrete(2)

        def __init__(self, length):
            self.length = length

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return np.zeros(1, np.float32), {}

        def step(self, action):
            return np.ones(1, np.float32), 0.0, False, False, {}
"""


class Closing:
    """An environment that reports when it is closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_the_first_creation_that_draws_is_detected() -> None:
    np.random.seed(7)  # noqa: NPY002 - the test is about this generator
    envs: list[Any] = []

    def create() -> Any:
        np.random.rand()  # noqa: NPY002 - the test is about this generator
        envs.append(Closing())
        return envs[-1]

    detector = _Detector(create)

    with pytest.raises(GlobalGeneratorError, match=r"create.* draws from NumPy's global generator"):
        detector()
    assert envs[0].closed
    assert detector() is envs[1]


def test_other_generators_are_not_detected() -> None:
    def create() -> float:
        return random.random() + np.random.default_rng().random()  # noqa: S311 - a test

    assert 0 <= _Detector(create)() < 2


@pytest.mark.slow
def test_each_environment_begins_with_the_state_of_the_programs_generator(outputs: Callable[[str], list[str]]) -> None:
    drawn, processes, following, expected = outputs(f"""{PROGRAM}
    if __name__ == "__main__":
        np.random.seed(7)
        envs = AsyncVectorEnv([lambda: Walk(np.random.uniform()) for _ in range(5)], context="fork")
        print(*envs.get_attr("length"))
        print(len(envs.processes), len(envs.env_fns), envs.reset(seed=1)[0].shape)
        envs.close()
        print(np.random.uniform())
        np.random.seed(7)
        print(np.random.uniform(size=2)[1])
    """)

    # The first environment is also created in the program's own process, before the other processes start.
    assert following == expected
    assert drawn.split() == [expected] * 5
    assert processes == "5 5 (5, 1)"


@pytest.mark.slow
def test_other_environments_share_processes(outputs: Callable[[str], list[str]]) -> None:
    assert outputs(f"""{PROGRAM}
    def broken():
        np.random.rand()
        raise OSError("no track")

    if __name__ == "__main__":
        for options in ({{"num_workers": 2}}, {{"max_concurrency": 1}}):
            envs = AsyncVectorEnv([lambda: Walk(np.random.rand()) for _ in range(5)], **options)
            print(len(envs.processes))
            envs.close()
        functions = [lambda: Walk(3)] * 2
        envs = AsyncVectorEnv(functions)
        print(envs.env_fns == functions)
        envs.close()
        for wrong in ([], [3], 7):
            try:
                AsyncVectorEnv(wrong)
            except (TypeError, ValueError) as exc:
                print(type(exc).__name__, "env_fns" in str(exc))
        try:
            AsyncVectorEnv([broken, lambda: Walk(3)])
        except OSError as exc:
            print("OSError", "no track" in str(exc))
    """) == ["2", "1", "True", "ValueError True", "TypeError True", "TypeError True", "OSError True"]
