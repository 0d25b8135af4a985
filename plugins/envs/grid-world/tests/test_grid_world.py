from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel_env_grid_world import GRID_WORLD, GridWorldEnv

if TYPE_CHECKING:
    from pathlib import Path


def placed(agent: Any, target: Any = (0, 0), **options: Any) -> GridWorldEnv:
    env = GridWorldEnv(**options)
    env.reset(seed=0, options={"agent": agent, "target": target})
    return env


def test_registered_spec() -> None:
    assert GRID_WORLD.max_episode_steps == 100
    assert gym.spec(GRID_WORLD.id) is GRID_WORLD
    env: Any = gym.make(GRID_WORLD, size=7).unwrapped
    assert env.size == 7


@pytest.mark.parametrize("action, place", [(0, [3, 2]), (1, [2, 3]), (2, [1, 2]), (3, [2, 1])])
def test_actions_move_the_agent(action: int, place: list[int]) -> None:
    observation, reward, terminated, truncated, info = placed([2, 2]).step(action)
    assert observation["agent"].tolist() == place
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info == {"distance": sum(place)}


@pytest.mark.parametrize("agent, action", [([4, 4], 0), ([4, 4], 1), ([0, 1], 2), ([1, 0], 3)])
def test_agent_stays_inside_the_grid(agent: list[int], action: int) -> None:
    assert placed(agent).step(action)[0]["agent"].tolist() == agent


def test_episode_ends_at_the_target() -> None:
    assert placed([1, 0]).step(2)[1:] == (1.0, True, False, {"distance": 0})


def test_start_and_target_differ_and_cover_the_grid() -> None:
    env, seen = GridWorldEnv(2), set()
    env.reset(seed=0)
    for _ in range(200):
        observation, info = env.reset()
        assert observation in env.observation_space
        assert info["distance"] > 0
        seen.add((*observation["agent"].tolist(), *observation["target"].tolist()))
    assert len(seen) == 12


def test_one_position_can_be_given() -> None:
    env = GridWorldEnv(2)
    env.reset(seed=0)
    for _ in range(30):
        observation, info = env.reset(options={"target": [1, 1]})
        assert observation["target"].tolist() == [1, 1]
        assert info["distance"] > 0


@pytest.mark.parametrize(
    "options",
    [{"agent": [5, 0]}, {"agent": [-1, 0]}, {"target": 3}, {"target": [0.5, 1]}, {"agent": [1, 1], "target": [1, 1]}],
)
def test_invalid_positions_are_rejected(options: dict[str, Any]) -> None:
    env = placed([3, 3])
    with pytest.raises(ValueError, match="Expected"):
        env.reset(seed=1, options=options)
    assert env.step(0)[0]["agent"].tolist() == [4, 3]


@pytest.mark.parametrize("action", [4, -1, 1.0, None, "1"])
def test_invalid_action_is_rejected(action: Any) -> None:
    with pytest.raises(InvalidAction, match="0, 1, 2 or 3"):
        placed([2, 2]).step(action)


@pytest.mark.parametrize("size", [1, 2.5, True, "5"])
def test_invalid_size_is_rejected(size: Any) -> None:
    with pytest.raises(ValueError, match="Expected size"):
        GridWorldEnv(size)


def test_step_before_reset_is_rejected() -> None:
    with pytest.raises(ResetNeeded):
        GridWorldEnv().step(0)
    with pytest.raises(ResetNeeded):
        GridWorldEnv(render_mode="ansi").render()


def test_observations_belong_to_the_caller() -> None:
    env = placed([2, 2])
    first = env.step(0)[0]
    first["agent"][:], first["target"][:] = 9, 9
    second = env.step(0)[0]
    assert second["agent"].tolist() == [4, 2]
    assert second["target"].tolist() == [0, 0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(copied: Any) -> None:
    env = placed([2, 2])
    twin = copied(env)
    assert env.step(1)[4] == twin.step(1)[4]
    assert env.reset()[1] == twin.reset()[1]


def test_ansi_rendering() -> None:
    env = placed([1, 2], [0, 0], size=3, render_mode="ansi")
    assert env.render() == ". A .\n. . .\nT . ."
    env.step(0)
    assert env.render() == ". . A\n. . .\nT . .\n→"


def test_rendering() -> None:
    env = placed([1, 2], [0, 0], size=3, render_mode="rgb_array")
    picture: Any = env.render()
    assert picture.shape == (192, 192, 3)
    assert picture.dtype == np.uint8
    assert picture[32, 96].tolist() == [45, 95, 139]
    assert picture[160, 32].tolist() == [88, 166, 106]
    assert picture[96, 96].tolist() == [247, 248, 250]
    with pytest.raises(UnsupportedMode):
        GridWorldEnv(render_mode="human")
    assert placed([1, 1]).render() is None


def test_video_recording(tmp_path: Path) -> None:
    for heavy in ("av", "gymkernel_wrapper_record_video"):
        pytest.importorskip(heavy, reason="it is heavy, and installed by name")
    env = gym.wrappers.RecordVideo(gym.make(GRID_WORLD.id, render_mode="rgb_array"), tmp_path)
    env.reset(seed=1)
    for action in (0, 1, 1):
        env.step(action)
    env.close()
    assert [file.name for file in tmp_path.glob("*.mp4")] == ["rl-video-episode-0.mp4"]
