"""A plugin that was written for 0.1.0 works as it did, and is told what is called otherwise now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env, ObservationWrapper, forms, vector, vectorized
from gymkernel.spaces import Box, Discrete
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import batch_space

RENAMED = {
    "StandIn": "EnvView",
    "VectorActionForm": "VectorizedActionWrapper",
    "VectorForm": "VectorizedWrapper",
    "VectorObservationForm": "VectorizedObservationWrapper",
    "VectorRewardForm": "VectorizedRewardWrapper",
    "lead": "batch_axes",
}


@pytest.mark.parametrize("old, new", RENAMED.items(), ids=list(RENAMED))
def test_the_old_names_are_the_new_things(old: str, new: str) -> None:
    place: Any = vector if old.startswith("Vector") else vector.utils
    assert getattr(forms, old) is getattr(vectorized, new) is getattr(place, old) is getattr(place, new)


class Counts(Env[Any, Any]):
    """Observes how many steps there were, in all episodes."""

    observation_space = Box(0, 99, (1,))
    action_space = Discrete(2)
    count = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return np.array([self.count], np.float32), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.count += 1
        return np.array([self.count], np.float32), 0.0, self.count % 3 == 0, False, {}


class Two(VectorEnv[Any, Any, Any]):
    """Two of them, in step."""

    num_envs = 2
    metadata = {"autoreset_mode": AutoresetMode.DISABLED}  # noqa: RUF012 - as this API has it
    single_observation_space = Counts.observation_space
    single_action_space = Counts.action_space
    observation_space = batch_space(single_observation_space, 2)
    action_space = batch_space(single_action_space, 2)

    def __init__(self) -> None:
        self.one = Counts()

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.stack([self.one.reset()[0]] * 2), {}

    def step(self, actions: Any) -> Any:
        observation, reward, *flags, _ = self.one.step(0)
        return np.stack([observation] * 2), np.full(2, reward), *(np.full(2, flag) for flag in flags), {}


def most_of() -> Any:
    """The class of such a plugin: the greatest observation of the episode."""

    class Most(ObservationWrapper[Any, Any, Any]):
        batched = True

        def __init__(self, env: Any) -> None:
            super().__init__(env)
            self.most = np.zeros((*forms.lead(env), 1), np.float32)

        def on_reset(self, where: Any = ...) -> None:
            super().on_reset(where)
            self.most[where] = 0

        def observation(self, observation: Any, where: Any = ...) -> Any:
            self.most[where] = np.maximum(self.most, observation)[where]
            return self.most.copy()

    return Most


def test_it_begins_where_an_episode_does() -> None:
    most = most_of()
    env = most(Counts())

    assert [env.reset()[0].item(), *(env.step(0)[0].item() for _ in range(3))] == [0, 1, 2, 3]
    env.env.count = 0
    assert env.reset()[0].item() == 0


def test_it_does_so_around_many() -> None:
    most = most_of()
    envs = type("VectorMost", (forms.VectorObservationForm,), {"single": most})(Two())

    assert [envs.reset()[0].tolist(), *(envs.step([0, 0])[0].tolist() for _ in range(2))] == [
        [[k]] * 2 for k in range(3)
    ]
    envs.env.one.count = 0
    assert envs.reset()[0].tolist() == [[0], [0]]
