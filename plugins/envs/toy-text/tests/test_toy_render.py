"""Tests of rendered images. `UPDATE_GOLDEN=1 pytest ...` writes new golden images, which must be inspected."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import DependencyNotInstalled
from gymkernel_env_toy_text import (
    BlackjackEnv,
    BlackjackVectorEnv,
    CliffWalkingEnv,
    CliffWalkingVectorEnv,
    FrozenLakeEnv,
    FrozenLakeVectorEnv,
    TaxiEnv,
    TaxiVectorEnv,
)

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent / "golden"
SIZES = {BlackjackEnv: (376, 384), FrozenLakeEnv: (256, 256), CliffWalkingEnv: (256, 768), TaxiEnv: (456, 536)}
Frame = np.ndarray[Any, Any]


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make pygame use a dummy video driver. Skip the test if pygame, an optional dependency, is not installed."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame")


def frame(cls: Any, state: int, last: int | None = None, **options: Any) -> Frame:
    env = cls(render_mode="rgb_array", **options)
    env.reset(seed=0)
    env.s, env.lastaction = state, last
    if cls is TaxiEnv and last is not None:
        env.taxi_orientation = last
    picture: Frame = env.render()
    return picture


def table(player: list[int], dealer: list[int], top: str, *, stuck: bool) -> Frame:
    env = BlackjackEnv(render_mode="rgb_array")
    env.reset(seed=0)
    env.player, env.dealer, env._stuck = player, dealer, stuck
    env.dealer_top_card_value_str, env.dealer_top_card_suit = top[:-1], top[-1]
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    return picture


SCENES: dict[str, Callable[[], Frame]] = {
    "frozen_lake": lambda: frame(FrozenLakeEnv, 6),
    "frozen_lake_in_the_water": lambda: frame(FrozenLakeEnv, 5),
    "frozen_lake_8x8": lambda: frame(FrozenLakeEnv, 10, map_name="8x8"),
    "cliff_walking": lambda: frame(CliffWalkingEnv, 17),
    "taxi": lambda: frame(TaxiEnv, TaxiEnv.encode(2, 2, 3, 0)),
    "taxi_taken": lambda: frame(TaxiEnv, TaxiEnv.encode(2, 3, 4, 1), 2),
    "blackjack": lambda: table([1, 10], [9, 5], "9D", stuck=False),
    "blackjack_beyond": lambda: table([10, 6, 3, 2, 9], [10, 4, 8], "KC", stuck=True),
}


@pytest.mark.parametrize("name", SCENES)
def test_frames_equal_the_reviewed_hashes(window: Any, name: str) -> None:
    seen, file = SCENES[name](), GOLDEN / f"{name}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        window.image.save(window.surfarray.make_surface(seen.swapaxes(0, 1)), file)
    golden = window.surfarray.array3d(window.image.load(file)).swapaxes(0, 1)
    assert seen.shape == golden.shape
    apart = np.abs(seen.astype(int) - golden).max(axis=2)
    # Edges and letters differ slightly between versions of pygame-ce.
    assert apart.mean() < 1.5
    assert (apart > 60).mean() < 0.01


def test_frame_hashes_distinguish_scenes(window: Any) -> None:
    apart = np.abs(SCENES["taxi"]().astype(int) - SCENES["taxi_taken"]()).max(axis=2)
    assert (apart > 60).mean() > 0.01


@pytest.mark.parametrize("cls", SIZES)
def test_frames_do_not_share_memory(window: Any, cls: Any) -> None:
    env = cls(render_mode="rgb_array")
    env.reset(seed=1)
    first, again = env.render(), env.render()
    assert first.shape == (*SIZES[cls], 3)
    assert first.dtype == np.uint8
    assert first.flags.c_contiguous
    first[:] = 0
    assert again.any()
    env.close()
    env.close()


def test_large_lake_is_rendered_at_the_same_size(window: Any) -> None:
    assert frame(FrozenLakeEnv, 3, map_name="8x8").shape == (512, 512, 3)
    assert frame(FrozenLakeEnv, 0, desc=["S" + "F" * 19] * 20).shape == (512, 512, 3)


@pytest.mark.parametrize("row, column", [(0, 3), (2, 1)])
def test_agent_is_drawn_at_its_position(window: Any, row: int, column: int) -> None:
    changed = (frame(FrozenLakeEnv, 4 * row + column) != frame(FrozenLakeEnv, 8)).any(axis=2)
    changed[128:192, :64] = False  # the penguin from the second frame
    rows, columns = np.nonzero(changed)
    assert rows.min() >= 64 * row
    assert rows.max() < 64 * (row + 1)
    assert columns.min() >= 64 * column
    assert columns.max() < 64 * (column + 1)


@pytest.mark.parametrize("cls", SIZES)
@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_rendering_does_not_change_the_trajectory(window: Any, cls: Any, mode: str) -> None:
    drawn, plain = cls(render_mode=mode), cls()
    drawn.metadata = {**drawn.metadata, "render_fps": 10_000}
    assert drawn.reset(seed=4)[0] == plain.reset(seed=4)[0]
    for _ in range(4):
        if mode == "rgb_array":
            drawn.render()
        assert drawn.step(1)[:4] == plain.step(1)[:4]
    assert drawn.reset()[0] == plain.reset()[0]
    drawn.close()


class FakeTime:
    """A fake `time` module whose clock advances only when `sleep` is called."""

    def __init__(self) -> None:
        self.now, self.waited = 100.0, [0.0]

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def test_window_respects_render_fps(window: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeTime()
    monkeypatch.setattr("gymkernel_env_toy_text.screen.time", clock)
    env: Any = CliffWalkingEnv(render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 4}
    env.reset(seed=1)
    env.step(0)
    clock.now += 0.1  # the time that the program itself needs
    env.step(0)
    clock.now += 7
    env.step(0)
    assert clock.waited[1:] == pytest.approx([0.25, 0.25, 0.15, 0])
    env.metadata = {**env.metadata, "render_fps": 0}
    env.step(0)
    assert clock.waited[-1] == 0
    env.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux shows them")
def test_window_leaves_no_thread(window: Any) -> None:
    """Count the threads, because with an additional thread, no later AsyncVectorEnv could fork its workers."""
    program = """
import os
import gymkernel as gym

env = gym.make("CliffWalking-v1", render_mode="human")
env.reset(seed=1)
env.step(0)
env.close()
if child := os.fork():
    os.waitpid(child, 0)
    print(len(os.listdir("/proc/self/task")))
else:
    os._exit(0)
"""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("cls", SIZES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_has_its_own_renderer(window: Any, cls: Any, copied: Any) -> None:
    env = cls(render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    twin = copied(env)
    env.close()
    assert (twin.render() == first).all()


@pytest.mark.parametrize("cls", SIZES)
def test_background_is_painted_once_and_not_modified(window: Any, cls: Any) -> None:
    one, other = (cls(render_mode="rgb_array") for _ in range(2))
    one.reset(seed=1)
    first = one.render()
    other.reset(seed=2)
    for action in (0, 1, 0, 1):
        other.step(action)
        other.render()
    assert one._screen._sprites is other._screen._sprites
    assert one._screen._canvas is not other._screen._canvas
    assert (one.render() == first).all()


@pytest.mark.parametrize(
    "cls, single",
    [
        (BlackjackVectorEnv, BlackjackEnv),
        (FrozenLakeVectorEnv, FrozenLakeEnv),
        (CliffWalkingVectorEnv, CliffWalkingEnv),
        (TaxiVectorEnv, TaxiEnv),
    ],
)
def test_vectorised_form_renders_a_frame_per_row(window: Any, cls: Any, single: Any) -> None:
    envs, singles = cls(3, render_mode="rgb_array"), [single(render_mode="rgb_array") for _ in range(3)]
    envs.reset(seed=1)
    for i, env in enumerate(singles):
        env.reset(seed=1 + i)
    for actions in (None, [0, 1, 0], [0, 1, 1]):
        if actions:
            done = envs.step(actions)[2]
            for env, action in zip(singles, actions, strict=True):
                env.step(action)
        frames = envs.render()
        assert all((mine == env.render()).all() for mine, env in zip(frames, singles, strict=True))
        if actions and done.any():
            break
    envs.close()


@pytest.mark.slow
@pytest.mark.parametrize("cls", SIZES)
def test_rgb_arrays_need_no_display(window: Any, cls: Any) -> None:
    program = f"""
import gymkernel_env_toy_text as toys
env = toys.{cls.__name__}(render_mode="rgb_array")
env.reset(seed=1)
print(env.render().shape)
"""
    done = subprocess.run([sys.executable, "-c", program], env={}, capture_output=True, text=True, check=True)
    assert done.stdout == f"{(*SIZES[cls], 3)}\n"


@pytest.mark.parametrize("cls", SIZES)
def test_missing_pygame_error_names_the_pip_command(monkeypatch: pytest.MonkeyPatch, cls: Any) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = cls(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "gymkernel-env-toy-text\[render\]"'):
        env.render()
    assert env.step(0)[3] is False


def test_ansi_rendering_does_not_need_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = gym.make("Taxi-v4", render_mode="ansi")
    env.reset(seed=1)
    assert "+---------+" in env.render()
