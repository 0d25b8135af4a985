"""Tests of `Episodes`: the order of resets and steps, the seeds, the policies and the errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from gymkernel.error import DependencyNotInstalled
from gymkernel.utils.episodes import EpisodeError, Episodes


class Actions:
    """A space that contains the integers from 0 to 9."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def seed(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def sample(self) -> int:
        return int(self.rng.integers(10))

    def __contains__(self, action: object) -> bool:
        return action in range(10)

    def __repr__(self) -> str:
        return "Digits"


class Walk:
    """An environment whose episodes have three steps. The first observation is the seed."""

    def __init__(self, fails: str = "", render_mode: str | None = None) -> None:
        self.fails, self.render_mode = fails, render_mode
        self.action_space = Actions()
        self.picture: Any = np.zeros((2, 2, 3), np.uint8)
        self.actions: list[Any] = []
        self.at = 0

    def reset(self, *, seed: int) -> tuple[int, dict[str, Any]]:
        if self.fails == "reset":
            raise RuntimeError("no start")
        self.at = 0
        return seed, {"seed": seed}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.at += 1
        self.actions.append(action)
        if self.fails == "step" and self.at == 2:
            raise RuntimeError("the floor gave way")
        return self.at, 0.5, self.at == 3, False, {}

    def render(self) -> Any:
        if self.fails == "render":
            raise DependencyNotInstalled("Drawing needs paint; run: pip install paint")
        return self.picture


def test_each_episode_is_a_reset_and_steps() -> None:
    seen = [(run.episode, run.step, run.observation, run.action, run.reward) for run in Episodes(Walk(), _one, seed=5)]
    assert seen == [(0, 0, 5, None, 0.0), (0, 1, 1, 1, 0.5), (0, 2, 2, 1, 0.5), (0, 3, 3, 1, 0.5)]


def _one(observation: Any) -> int:
    return 1


def test_progress_is_counted() -> None:
    run = Episodes(Walk(), _one, episodes=2, max_steps=4)
    assert [run.done for _ in run] == [0.0, 0.25, 0.5, 1.0, 1.0, 1.25, 1.5, 2.0]
    endless = Episodes(Walk(), _one, episodes=2)
    assert [endless.done for _ in endless] == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0]


def test_every_episode_has_its_own_seed() -> None:
    seeds = [run.info["seed"] for run in Episodes(Walk(), _one, episodes=3, seed=40) if not run.step]
    assert seeds == [40, 41, 42]


def test_random_episode_can_be_repeated_alone() -> None:
    env, again = Walk(), Walk()
    for _ in Episodes(env, episodes=3, seed=40):
        pass
    for _ in Episodes(again, episodes=1, seed=42):
        pass
    assert again.actions == env.actions[-3:]
    assert len(set(map(tuple, np.reshape(env.actions, (3, 3))))) == 3


def test_default_seed_is_random_and_readable() -> None:
    one, two = Episodes(Walk()), Episodes(Walk())
    assert one.first_seed != two.first_seed
    assert next(iter(one)).info == {"seed": one.first_seed}


def test_max_steps_truncates_an_episode() -> None:
    runs = [(run.step, run.cut, run.ended) for run in Episodes(Walk(), _one, episodes=2, max_steps=2, seed=0)]
    assert runs == [(0, False, False), (1, False, False), (2, True, True)] * 2


def test_end_in_the_last_allowed_step_counts_as_an_end() -> None:
    *_, last = ((run.terminated, run.cut) for run in Episodes(Walk(), _one, max_steps=3))
    assert last == (True, False)


def test_missing_number_of_episodes_means_endless() -> None:
    for run in Episodes(Walk(), _one, episodes=None, seed=0):
        if run.episode == 20:
            break
    assert run.seed == 20


def test_policy_class_gets_the_environment_and_episode_starts() -> None:
    begun = []

    class Policy:
        def __init__(self, env: Walk) -> None:
            self.env = env

        def reset(self, seed: int) -> None:
            begun.append(seed)

        def __call__(self, observation: int) -> int:
            return self.env.at

    env = Walk()
    for _ in Episodes(env, Policy, episodes=2, seed=3):
        pass
    assert env.actions == [0, 1, 2] * 2
    assert begun == [3, 4]


@pytest.mark.parametrize("policy", ["rnadom", 3, type("Dumb", (), {"__init__": lambda self, env: None})])
def test_invalid_policy_is_rejected(policy: Any) -> None:
    with pytest.raises(TypeError, match="Expected the policy to be 'random'"):
        Episodes(Walk(), policy)


def test_vector_environments_are_rejected() -> None:
    env: Any = Walk()
    env.num_envs = 2
    with pytest.raises(TypeError, match="single environment"):
        Episodes(env)


def run_to_the_end(env: Any, policy: Any = _one) -> None:
    for run in Episodes(env, policy, episodes=2, seed=9):
        run.frames()


def test_failing_step_is_reported_with_its_place() -> None:
    with pytest.raises(EpisodeError) as caught:
        run_to_the_end(Walk("step"))
    assert str(caught.value).startswith(
        "step failed in episode 0, step 2 (seed 9, action 1): RuntimeError: the floor gave way [test_episodes.py:"
    )
    assert str(caught.value).endswith(", step]")
    assert isinstance(caught.value.__cause__, RuntimeError)
    found = caught.value
    assert (found.what, found.episode, found.step, found.seed, found.action) == ("step", 0, 2, 9, 1)


def test_failure_after_an_invalid_action_says_so() -> None:
    with pytest.raises(EpisodeError, match=r"action 77\).*; the action is not an element of Digits$"):
        run_to_the_end(Walk("step"), lambda observation: 77)


def test_failing_reset_is_reported() -> None:
    with pytest.raises(EpisodeError, match=r"^reset failed in episode 0, step 0 \(seed 9\): RuntimeError: no start"):
        run_to_the_end(Walk("reset"))


def test_failing_policy_is_not_blamed_on_the_environment() -> None:
    with pytest.raises(EpisodeError, match=r"^the policy failed in episode 0, step 1 \(seed 9\): ZeroDivisionError"):
        run_to_the_end(Walk(), lambda observation: 1 // 0)


def test_failing_start_of_a_policy_is_reported() -> None:
    class Policy:
        def __init__(self, env: Walk) -> None: ...

        def reset(self, seed: int) -> None:
            raise KeyError(seed)

        def __call__(self, observation: int) -> int:
            return 0

    with pytest.raises(EpisodeError, match=r"^the policy failed in episode 0, step 0 \(seed 9\): KeyError: 9"):
        run_to_the_end(Walk(), Policy)


def test_gymkernel_error_has_no_episode_or_step() -> None:
    with pytest.raises(EpisodeError, match=r"pip install paint$"):
        run_to_the_end(Walk("render"))


def test_old_step_api_is_a_failure_of_step() -> None:
    env: Any = Walk()
    env.step = lambda action: (0, 0.0, True, {})
    with pytest.raises(EpisodeError, match=r"^step failed .* not enough values to unpack \(expected 5, got 4\)"):
        run_to_the_end(env)


def test_error_can_be_pickled() -> None:
    with pytest.raises(EpisodeError) as caught:
        run_to_the_end(Walk("reset"))
    found = pickle.loads(pickle.dumps(caught.value))
    assert (found.what, found.seed, found.step) == ("reset", 9, 0)


class TestPictures:
    def run(self, picture: Any) -> Episodes:
        env = Walk(render_mode="rgb_array")
        env.picture = picture
        return next(iter(Episodes(env, _one, seed=0)))

    def test_one(self) -> None:
        picture = np.ones((2, 4, 3), np.uint8)
        [found] = self.run(picture).frames()
        assert found is picture

    def test_collected(self) -> None:
        pictures = [np.ones((2, 4, 3), np.uint8)] * 3
        assert self.run(pictures).frames() == pictures

    @pytest.mark.parametrize("picture", [None, "text", np.zeros((2, 2, 3)), np.zeros(3, np.uint8), [None]])
    def test_none(self, picture: Any) -> None:
        with pytest.raises(
            EpisodeError, match=r"render failed.*uint8 array of shape \(height, width, 3\), got .*'rgb_array'"
        ):
            self.run(picture).frames()

    def test_text(self) -> None:
        assert self.run("a b").text() == "a b"

    def test_no_text(self) -> None:
        with pytest.raises(EpisodeError, match="got NoneType"):
            self.run(None).text()
