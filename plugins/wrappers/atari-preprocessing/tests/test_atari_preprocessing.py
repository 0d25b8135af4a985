"""Tests of `AtariPreprocessing` with a simulated console. The tests in `tests/peers` use the real emulator."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box
from gymkernel.wrappers import AtariPreprocessing

SCREEN = (210, 160, 3)


class Machine:
    """A fake Arcade Learning Environment. The left and right halves of its screen show the time alternately."""

    def __init__(self) -> None:
        self.time = 0

    def lives(self) -> int:
        return 3 - self.time // 10

    def getScreenGrayscale(self, screen: Any) -> None:  # noqa: N802 - the name in ale-py
        screen[:] = 0
        screen[:, 80:] = self.time * (self.time % 2)
        screen[:, :80] = self.time * (1 - self.time % 2)

    def getScreenRGB(self, screen: Any) -> None:  # noqa: N802 - the name in ale-py
        grey = np.empty(screen.shape[:2], np.uint8)
        self.getScreenGrayscale(grey)
        screen[:] = grey[..., None] + np.array([0, 100, 200], np.uint8)


class Game(Env[Any, Any]):
    """A simulated game that lasts 25 frames and gives a reward for each frame."""

    _frameskip = 1

    def __init__(self, frames: int = 25) -> None:
        self.observation_space: Space[Any] = Box(0, 255, SCREEN, np.uint8)
        self.ale, self.frames, self.actions = Machine(), frames, list[int]()

    def get_action_meanings(self) -> list[str]:
        return ["NOOP", "FIRE"]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.ale.time = 0
        self.actions.clear()
        return np.zeros(SCREEN, np.uint8), {"begun": True}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.ale.time += 1
        self.actions.append(action)
        return None, 1.0, self.ale.time == self.frames, False, {"time": self.ale.time}


def sides(observation: Any) -> tuple[int, int]:
    """Return the brightness of the left half and of the right half of a frame."""
    return int(observation[0, 0]), int(observation[0, -1])


def test_action_is_repeated_for_four_frames_with_max_of_two() -> None:
    game = Game()
    env = AtariPreprocessing(game, noop_max=0)
    assert sides(env.reset()[0]) == (0, 0)
    observation, reward, terminated, truncated, info = env.step(1)
    assert game.actions == [1, 1, 1, 1]
    assert sides(observation) == (4, 3)
    assert (reward, terminated, truncated, info) == (4.0, False, False, {"time": 4})


def test_game_over_ends_a_step() -> None:
    env = AtariPreprocessing(Game(frames=6), noop_max=0)
    env.reset()
    env.step(0)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["time"], env.game_over) == (2.0, True, 6, True)


def test_episode_starts_with_noops() -> None:
    game = Game()
    env = AtariPreprocessing(game, noop_max=5)
    counts = set()
    for seed in range(30):
        _, info = env.reset(seed=seed)
        counts.add(len(game.actions))
        assert set(game.actions) == {0}
        assert info == {"begun": True, "time": len(game.actions)}
    assert counts == {1, 2, 3, 4, 5}


def test_game_that_ends_during_noops_restarts() -> None:
    game = Game(frames=3)
    AtariPreprocessing(game, noop_max=8).reset(seed=4)
    assert game.ale.time < 3


def test_life_loss_can_end_an_episode() -> None:
    outcomes = []
    for lost in (False, True):
        env = AtariPreprocessing(Game(), noop_max=0, terminal_on_life_loss=lost)
        env.reset()
        outcomes.append([env.step(0)[1:3] for _ in range(3)])
    assert outcomes[0] == [(4.0, False)] * 3
    assert outcomes[1] == [(4.0, False), (4.0, False), (2.0, True)]


@pytest.mark.parametrize(
    "options, space",
    [
        ({}, Box(0, 255, (84, 84), np.uint8)),
        ({"screen_size": 42}, Box(0, 255, (42, 42), np.uint8)),
        ({"screen_size": (80, 105)}, Box(0, 255, (105, 80), np.uint8)),
        ({"grayscale_newaxis": True}, Box(0, 255, (84, 84, 1), np.uint8)),
        ({"grayscale_obs": False}, Box(0, 255, (84, 84, 3), np.uint8)),
        ({"grayscale_obs": False, "grayscale_newaxis": True}, Box(0, 255, (84, 84, 3), np.uint8)),
        ({"scale_obs": True}, Box(0, 1, (84, 84))),
    ],
    ids=str,
)
def test_observations_are_in_the_space(options: dict[str, Any], space: Box[Any]) -> None:
    env = AtariPreprocessing(Game(), **options)
    assert env.observation_space == space
    assert env.reset(seed=1)[0] in space
    assert env.step(0)[0] in space


def test_scaled_observations_are_divided_by_255() -> None:
    plain, scaled = (AtariPreprocessing(Game(), noop_max=0, scale_obs=item) for item in (False, True))
    for env in (plain, scaled):
        env.reset()
    np.testing.assert_allclose(scaled.step(0)[0] * 255, plain.step(0)[0], rtol=1e-6)


def test_frame_skip_of_one_shows_each_frame() -> None:
    env = AtariPreprocessing(Game(), noop_max=0, frame_skip=1)
    env.reset()
    assert [sides(env.step(0)[0]) for _ in range(3)] == [(0, 1), (2, 0), (0, 3)]


class Skips(Game):
    """A game that skips frames itself."""

    _frameskip = 4


class Fires(Game):
    """A game whose first action is not a no-op."""

    def get_action_meanings(self) -> list[str]:
        return ["FIRE"]


class Thinks(Game):
    """A game whose observations are not screens."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = Space()


@pytest.mark.parametrize(
    "game, options, error, message",
    [
        (Skips, {}, ValueError, r"its _frameskip is 4\); make the environment with frameskip=1$"),
        (Fires, {}, ValueError, r"^AtariPreprocessing expects action 0 to be a no-op, got 'FIRE'; pass noop_max=0$"),
        (Thinks, {}, TypeError, r"^AtariPreprocessing expects the observation space to be a Box of screens, got"),
        (Game, {"frame_skip": 0}, ValueError, r"^AtariPreprocessing expects frame_skip to be at least 1, got 0$"),
        (Game, {"noop_max": -1}, ValueError, r"^AtariPreprocessing expects noop_max to be at least 0, got -1$"),
        (Game, {"screen_size": (1, 2, 3)}, ValueError, r"to be one or two integers of at least 1, got \(1, 2, 3\)$"),
        (Game, {"screen_size": 0}, ValueError, r"to be one or two integers of at least 1, got 0$"),
        (Game, {"screen_size": 8.5}, ValueError, r"to be one or two integers of at least 1, got 8.5$"),
    ],
)
def test_invalid_arguments_are_rejected(game: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AtariPreprocessing(game(), **options)


def test_wrapper_is_recreated_from_json() -> None:
    game = Game()
    game.spec = EnvSpec("Game-v0", entry_point=Game)
    env = AtariPreprocessing(game, screen_size=(80, 105), scale_obs=True)
    assert env.spec is not None
    kwargs = json.loads(json.dumps(env.spec.additional_wrappers[-1].kwargs))
    assert AtariPreprocessing(Game(), **kwargs).observation_space == env.observation_space
