"""Tests that an environment's own info may have any key, even a reserved one, and that this affects no other results.

Vector environments and wrappers write "final_obs", "env_restarted" and other keys into infos, and masks under "_key".
An environment's own values under such keys must not be mistaken for these values, whatever the backend, mode, step
method or wrapper.
"""

from __future__ import annotations

import copy
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.wrappers.test_vectorized_wrappers import FIRST, NESTED, Case, assert_same

import gymkernel as gym
from gymkernel import plugins
from gymkernel.infos import batch_infos
from gymkernel.vector import AutoresetMode, SyncVectorEnv
from gymkernel.vector.utils import info_of, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

N, STEPS = 4, 14
KEYS = [
    "final_obs",
    "_final_obs",
    "__final_obs",
    "final_info",
    "_final_info",
    "env_restarted",
    "_env_restarted",
    "env_error",
    "_env_error",
    "terminal_observation",
    "terminal_info",
    "_began",
    "__began",
    "_time",
    "_",
]
OWN = {"began", "time"}
"""Two ordinary keys, whose masks have the names "_began" and "_time"."""
VALUES: dict[str, Any] = {
    "bool": True,
    "none": None,
    "text": "mine",
    "number": 7,
    "array": np.arange(3.0),
    "dict": {"x": 1, "final_obs": 2, "_x": None},
    "list": [1, "a"],
    "empty": {},
}
PLACES: dict[str, Callable[[int, int], bool]] = {
    "everywhere": lambda number, step: True,
    "reset": lambda number, step: step == 0,
    "step": lambda number, step: step > 0,
    "some": lambda number, step: number % 2 == 1 and step % 2 == 0,
}
MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


class Hostile(gym.Wrapper[Any, Any, Any, Any]):
    """An environment that adds reserved keys to infos, always with the same kind of value or with all kinds in turn."""

    def __init__(self, env: Any, number: int, kind: str, place: str) -> None:
        super().__init__(env)
        self.number, self.kind, self.place, self.at = number, kind, place, 0

    def _with_keys(self, info: dict[str, Any]) -> dict[str, Any]:
        if not PLACES[self.place](self.number, self.at):
            return info
        kinds = list(VALUES) if self.kind == "mixed" else [self.kind]
        values = {key: VALUES[kinds[(k + self.number + self.at) % len(kinds)]] for k, key in enumerate(KEYS)}
        first = {key: values[key] for key in KEYS[::2]}
        return copy.deepcopy({**first, **info, **values})  # put some keys before the other keys, and some after them

    def reset(self, **kwargs: Any) -> Any:
        self.at = 0
        observation, info = self.env.reset(**kwargs)
        return observation, self._with_keys(info)

    def step(self, action: Any) -> Any:
        self.at += 1
        *values, info = self.env.step(action)
        return *values, self._with_keys(info)


def hostile(case: Case, number: int, kind: str, place: str) -> Any:
    return Hostile(case.env(), number, kind, place)


def stripped(info: Any, *, ended: bool = False) -> Any:
    """Remove reserved keys from an info, except for those of the vector environment at the end of an episode."""
    kept = ("final_obs", "final_info") if ended else ()
    rest = {key: value for key, value in info.items() if key not in KEYS or key in kept}
    if ended:
        rest["final_info"] = stripped(rest["final_info"])
    return rest


def assert_alike(got: Any, wanted: Any, space: Any, mode: AutoresetMode) -> None:
    """Assert that results of reset, step or recv are equal, apart from reserved keys in the infos."""
    assert_same(list(iterate(space, got[0])), list(iterate(space, wanted[0])))
    assert_same(got[1:4] if len(got) > 2 else (), wanted[1:4] if len(wanted) > 2 else ())
    ended = (wanted[2] | wanted[3]) & (mode is AutoresetMode.SAME_STEP) if len(wanted) > 2 else np.zeros(N, np.bool_)
    infos, expected = (item[4 if len(item) > 2 else 1] for item in (got, wanted))
    for i in range(N):
        mine, theirs = (item[i] if isinstance(item, list) else info_of(item, i) for item in (infos, expected))
        assert_same(stripped(mine, ended=bool(ended[i])), theirs)
        if isinstance(infos, dict) and mine.keys() & OWN:
            for key in mine.keys() & OWN:
                assert infos[f"_{key}"].dtype == np.bool_
                assert infos[f"_{key}"][i]


def play(
    case: Case, mode: AutoresetMode, kind: str, place: str, backend: Any = SyncVectorEnv, *, way: str = "step"
) -> int:
    """Step environments with and without reserved keys, compare the results, and count the finished episodes."""
    makers = [partial(hostile, case, i, kind, place) for i in range(N)]
    envs = case.vector(backend(makers, autoreset_mode=mode))
    clean = case.vector(SyncVectorEnv([case.env] * N, autoreset_mode=mode))
    space, draw, count = clean.observation_space, np.random.default_rng(5), 0
    try:
        assert_alike(envs.reset(seed=7), clean.reset(seed=7), space, mode)
        clean.action_space.seed(3)
        done = np.zeros(N, np.bool_)
        for _ in range(STEPS):
            actions = clean.action_space.sample()
            if way == "masked":
                mask = draw.random(N) < 0.7
                got, wanted = (item.step_masked(copy.deepcopy(actions), mask) for item in (envs, clean))
            elif way == "recv":
                envs.send(copy.deepcopy(actions))
                got, wanted = in_order(envs.recv(N)), clean.step(actions)
            else:
                got, wanted = envs.step(copy.deepcopy(actions)), clean.step(actions)
            assert_alike(got, wanted, space, mode)
            done = wanted[2] | wanted[3]
            count += int(done.sum())
            if mode is AutoresetMode.DISABLED and done.any():
                options = {"reset_mask": done}
                assert_alike(envs.reset(options=options), clean.reset(options=options), space, mode)
    finally:
        envs.close()
        clean.close()
    return count


def in_order(received: Any) -> Any:
    """Return the result of `recv` in the order of the environments."""
    observations, *columns, infos, indices = received
    order = np.argsort(indices)
    sorted_infos = batch_infos([(k, info_of(infos, int(i))) for k, i in enumerate(order)], N)
    return observations[order], *(column[order] for column in columns), sorted_infos


class Bare(Case):
    """A test case in which no wrapper is around the environment."""

    def vector(self, envs: Any) -> Any:
        return envs


BARE = Bare("")


@MODES
@pytest.mark.parametrize(
    "kind, place",
    [
        pytest.param(kind, place, marks=[] if kind == "mixed" or place == "everywhere" else pytest.mark.slow)
        for kind in (*VALUES, "mixed")
        for place in PLACES
    ],
)
def test_reserved_keys_in_this_process(kind: str, place: str, mode: AutoresetMode) -> None:
    assert play(BARE, mode, kind, place) > 0
    assert play(BARE, mode, kind, place, way="masked" if mode is not AutoresetMode.DISABLED else "step") > 0


BACKENDS = [
    pytest.param("async", {}, marks=pytest.mark.slow),
    pytest.param("async", {"shared_memory": False}, marks=pytest.mark.slow),
    pytest.param("async", {"num_workers": 2, "on_error": "restart"}, marks=pytest.mark.slow),
    pytest.param("ray", {"num_workers": 2, "start_timeout": 500}, marks=pytest.mark.ray),
]


@MODES
@pytest.mark.parametrize("way", ["step", "masked", "recv"])
@pytest.mark.parametrize("backend, options", BACKENDS)
def test_reserved_keys_in_other_processes(
    request: pytest.FixtureRequest, backend: str, options: dict[str, Any], way: str, mode: AutoresetMode
) -> None:
    if backend == "ray":
        request.getfixturevalue("ray_cluster")
    make = partial(plugins.get("vector", {"async": "AsyncVectorEnv", "ray": "RayVectorEnv"}[backend]), **options)
    kinds = [*VALUES, "mixed"] if not options and way == "step" and mode is AutoresetMode.SAME_STEP else ["mixed"]
    if mode is AutoresetMode.DISABLED and way == "masked":
        way = "step"
    for kind in kinds:
        assert play(BARE, mode, kind, "everywhere", make, way=way) > 0
    assert play(BARE, mode, "mixed", "some", make, way=way) > 0


WRAPPERS = [
    *FIRST,
    Case("NormalizeObservation"),
    Case("NormalizeReward"),
    Case("RecordEpisodeStatistics"),
    Case("DictInfoToList"),
    Case("TimeLimit", {"max_episode_steps": 3}, NESTED),
    Case("MaxAndSkipObservation", {"skip": 3}),
]


PAIRS = [
    pytest.param(
        case,
        mode,
        place,
        id=f"{case}-{place}-{mode.name}",
        marks=[] if place == "some" and k == number % len(case.modes) else pytest.mark.slow,
    )
    for number, case in enumerate(WRAPPERS)
    for k, mode in enumerate(case.modes)
    for place in PLACES
]
"""One autoreset mode for each wrapper, with keys in some infos. The tests marked as slow cover the other cases."""


@pytest.mark.parametrize("case, mode, place", PAIRS)
def test_reserved_keys_in_wrappers(
    case: Case, mode: AutoresetMode, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)  # RecordEpisodeStatistics records the duration of episodes
    play(case, mode, "mixed", place)


def test_statistics_do_not_overwrite_a_key_of_an_environment() -> None:
    envs = gym.wrappers.vector.RecordEpisodeStatistics(SyncVectorEnv([partial(Own, Case("").env(), "episode")] * 2))
    envs.reset(seed=1)

    def play_an_episode() -> None:
        while not envs.step(np.zeros(2, np.int64))[2].any():
            pass

    with pytest.raises(
        ValueError, match=r"The environments already use the info key 'episode'; pass another stats_key"
    ):
        play_an_episode()


class Own(gym.Wrapper[Any, Any, Any, Any]):
    """An environment that adds one key to infos, including those of resets."""

    def __init__(self, env: Any, key: str, value: Any = "mine") -> None:
        super().__init__(env)
        self.own = {key: value}

    def reset(self, **kwargs: Any) -> Any:
        observation, info = self.env.reset(**kwargs)
        return observation, {**info, **self.own}

    def step(self, action: Any) -> Any:
        *values, info = self.env.step(action)
        return *values, {**info, **self.own}


@pytest.mark.parametrize(
    "name, keys",
    [("Autoreset", ("final_obs", "final_info")), ("AutoResetWrapper", ("terminal_observation", "terminal_info"))],
)
def test_single_environment_with_autoreset(name: str, keys: tuple[str, str]) -> None:
    observation, info = keys
    make = getattr(gym.wrappers, name)
    options = {"autoreset_mode": "SameStep"} if name == "Autoreset" else {}
    env, clean = make(Own(Own(Case("").env(), observation), info), **options), make(Case("").env(), **options)
    env.reset(seed=3)
    clean.reset(seed=3)
    ended = 0
    for _ in range(STEPS):
        got, wanted = env.step(1), clean.step(1)
        assert_same(got[:4], wanted[:4])
        if wanted[2] or wanted[3]:
            ended += 1
            assert_same(got[4][observation], wanted[4][observation])
            assert_same(got[4][info], {**wanted[4][info], observation: "mine", info: "mine"})
        else:
            assert got[4][observation] == "mine"
    assert ended
