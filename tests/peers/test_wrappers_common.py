"""Tests that TimeLimit, Autoreset, OrderEnforcing, PassiveEnvChecker and RecordEpisodeStatistics match Gymnasium's."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import gymnasium
import pytest
from tests.peers.both import LIBRARIES, same
from tests.peers.test_vector import environment

import gymkernel

CASES: list[tuple[str, dict[str, Any]]] = [
    ("TimeLimit", {"max_episode_steps": 1}),
    ("TimeLimit", {"max_episode_steps": 3}),
    ("Autoreset", {}),
    ("OrderEnforcing", {}),
    ("PassiveEnvChecker", {}),
    ("RecordEpisodeStatistics", {}),
    ("RecordEpisodeStatistics", {"buffer_length": 2, "stats_key": "seen"}),
]
each = pytest.mark.parametrize(
    "name, kwargs", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)


def timeless(results: Any) -> Any:
    """Remove the durations of episodes from results, because they always differ."""
    *values, info = results
    return *values, {
        key: {"r": value["r"], "l": value["l"]} if isinstance(value, dict) and "t" in value else value
        for key, value in info.items()
    }


def play(env: Any, steps: int = 60) -> list[Any]:
    """Return the results of resets and steps. An environment that resets itself is not reset."""
    played = [env.reset(seed=5)]
    itself = type(env).__name__ == "Autoreset"
    for step in range(steps):
        played.append(timeless(env.step(step % 5)))
        if not itself and (played[-1][2] or played[-1][3]):
            played.append(env.reset())
    return played


def wrapped(library: Any, inside: Any, name: str, kwargs: dict[str, Any]) -> Any:
    return getattr(library.wrappers, name)(environment(inside), **kwargs)


@pytest.mark.filterwarnings("ignore::UserWarning")
@each
def test_trajectories_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    ours, theirs = (play(wrapped(library, library, name, kwargs)) for library in LIBRARIES)

    assert same(ours, theirs)


@pytest.mark.filterwarnings("ignore::UserWarning")
@each
def test_trajectories_around_gymnasiums_environment_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    ours, theirs = (play(wrapped(library, gymnasium, name, kwargs)) for library in reversed(LIBRARIES))

    assert same(ours, theirs)


@pytest.mark.parametrize("name", ["step", "render"])
def test_order_is_enforced(name: str) -> None:
    arguments = (0,) if name == "step" else ()
    for library in LIBRARIES:
        env = wrapped(library, library, "OrderEnforcing", {})
        with pytest.raises(library.error.ResetNeeded):
            getattr(env, name)(*arguments)
        assert not env.has_reset


def test_queues_are_the_same() -> None:
    found = []
    for library in LIBRARIES:
        env = wrapped(library, library, "RecordEpisodeStatistics", {"buffer_length": 3})
        play(env)
        found.append((list(env.return_queue), list(env.length_queue), len(env.time_queue), env.episode_count))

    assert found[0] == found[1]


@each
def test_specs_are_equal(name: str, kwargs: dict[str, Any]) -> None:
    found = []
    for library in LIBRARIES:
        env = environment(library)
        env.spec = library.envs.registration.EnvSpec(
            "Sampler-v0", entry_point="somewhere:else", order_enforce=False, disable_env_checker=True
        )
        spec = getattr(library.wrappers, name)(env, **kwargs).spec
        fields = ("max_episode_steps", "order_enforce", "disable_env_checker")
        found.append(
            ([getattr(spec, field) for field in fields], [wrapper.name for wrapper in spec.additional_wrappers])
        )

    assert found[0] == found[1]


GOOD: tuple[Any, Any] = ((0, {}), (0, 1.0, False, False, {}))
FAULTS: dict[str, tuple[Any, Any]] = {
    "reset returns no pair": (0, GOOD[1]),
    "reset returns a list as info": ((0, []), GOOD[1]),
    "step returns four": (GOOD[0], (0, 1.0, False, {})),
    "step returns a list as info": (GOOD[0], (0, 1.0, False, False, [])),
    "reward is NaN": (GOOD[0], (0, float("nan"), False, False, {})),
    "reward is text": (GOOD[0], (0, "1", False, False, {})),
    "flags are text": (GOOD[0], (0, 1.0, "no", False, {})),
    "the observation is outside": ((99, {}), (99, 1.0, False, False, {})),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_checker_reports_what_gymnasiums_reports(fault: str) -> None:
    reset, step = FAULTS[fault]
    for library in LIBRARIES:
        assert complains(library.wrappers.PassiveEnvChecker(faulty(library, reset, step)))


def faulty(library: Any, reset: Any, step: Any) -> Any:
    class Faulty(library.Env):  # type: ignore[misc]
        def __init__(self) -> None:
            self.observation_space, self.action_space = library.spaces.Discrete(3), library.spaces.Discrete(2)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return copy.deepcopy(reset)

        def step(self, action: Any) -> Any:
            return copy.deepcopy(step)

    return Faulty()


def complains(env: Any) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            env.reset(seed=0)
            env.step(0)
        except Exception:  # noqa: BLE001 - the type of the exception may differ
            return True
    return bool(caught)


def test_sound_environment_has_no_findings() -> None:
    assert not complains(gymkernel.wrappers.PassiveEnvChecker(environment(gymkernel)))
