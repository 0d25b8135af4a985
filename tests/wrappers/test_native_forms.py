"""Tests that wrappers give the same results around a vectorised environment as around n single environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.vector import AutoresetMode, SyncVectorEnv
from gymkernel.vector.utils import info_of, iterate

SEEDS = [3, 1, 4, 1, 5]
N = len(SEEDS)
ARRAYS = ("FrozenLake-v1", "CartPole-v1", "functional/CartPole-v1")
IDS = (*ARRAYS, "Blackjack-v1")
LIMIT = ("TimeLimit", {"max_episode_steps": 6})
REPEAT = ("RepeatAction", {"num_repeats": 3})
STICKY = ("StickyAction", {"repeat_action_probability": 0.4})
LONG = ("StickyAction", {"repeat_action_probability": 0.4, "repeat_action_duration": (1, 3)})
SKIP = ("MaxAndSkipObservation", {"skip": 3})
STACKS: dict[str, Any] = {"limit": [LIMIT], "repeat": [REPEAT], "sticky": [STICKY], "long": [LONG]}
STACKS |= {"limit and repeat": [LIMIT, REPEAT], "repeat and limit": [REPEAT, LIMIT], "three": [LIMIT, STICKY, REPEAT]}
STACKS |= {"skip": [SKIP], "limit and skip": [LIMIT, SKIP], "skip and more": [SKIP, LIMIT, STICKY]}
CASES = [(env_id, name) for env_id in IDS for name in STACKS if env_id in ARRAYS or SKIP not in STACKS[name]]
CASES += [(env_id, name) for env_id in ("Pendulum-v1", "Taxi-v4") for name in ("three", "long", "skip and more")]
MODES = list(AutoresetMode)
EACH_IN_TURN = [
    pytest.param(*case, mode, id=f"{'-'.join(case)}-{mode.name}", marks=[] if k == number % 3 else [pytest.mark.slow])
    for number, case in enumerate(CASES)
    for k, mode in enumerate(MODES)
]
"""One autoreset mode for each case. The tests that are marked as slow cover the other modes."""


def wrapped(env: Any, stack: Any, place: Any) -> Any:
    for name, kwargs in stack:
        env = getattr(place, name)(env, **kwargs)
    return env


def both(env_id: str, stack: Any, mode: AutoresetMode) -> tuple[Any, Any]:
    own = gym.make_vec(env_id, N, autoreset_mode=mode)
    assert not isinstance(own, SyncVectorEnv)
    singles = [lambda: wrapped(gym.make(env_id), stack, gym.wrappers)] * N
    return wrapped(own, stack, gym.wrappers.vector), SyncVectorEnv(singles, autoreset_mode=mode)


def plain(value: Any) -> Any:
    """Convert arrays to Python values, and remove the infos that single environments do not have."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if not (key == "final_info" and not item)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def shown_by_each(envs: Any, batch: Any, infos: Any) -> Any:
    """Return the observation and the info of each environment."""
    rows = [plain(row) for row in iterate(envs.observation_space, batch)]
    return rows, [plain(info_of(infos, i)) for i in range(N)]


@pytest.mark.parametrize("env_id, name, mode", EACH_IN_TURN)
def test_wrapped_vectorised_form_equals_wrapped_single_environments(
    env_id: str, name: str, mode: AutoresetMode
) -> None:
    own, singles = both(env_id, STACKS[name], mode)
    assert shown_by_each(own, *own.reset(seed=SEEDS)) == shown_by_each(singles, *singles.reset(seed=SEEDS))
    singles.action_space.seed(2)
    draw, ended = np.random.default_rng(5), 0
    for k in range(30):
        actions, mask = singles.action_space.sample(), draw.random(N) < 0.6
        results = [envs.step_masked(actions, mask) if k % 4 == 3 else envs.step(actions) for envs in (own, singles)]
        mine, theirs = results
        assert shown_by_each(own, mine[0], mine[4]) == shown_by_each(singles, theirs[0], theirs[4])
        np.testing.assert_array_equal(mine[1], theirs[1].astype(mine[1].dtype))
        assert [item.tolist() for item in mine[2:4]] == [item.tolist() for item in theirs[2:4]]
        done = theirs[2] | theirs[3]
        ended += done.sum()
        if (mode is AutoresetMode.DISABLED and done.any()) or k % 20 == 19:
            options = {"reset_mask": done | (np.arange(N) == k % 3)}
            assert shown_by_each(own, *own.reset(options=options)) == shown_by_each(
                singles, *singles.reset(options=options)
            )
    assert ended or env_id in {"Pendulum-v1", "Taxi-v4"}
