"""Tests of `RecordVideo`, in which the recorded files are decoded."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import av
import numpy as np
import pytest

from gymkernel import Env
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.wrappers import RecordVideo
from gymkernel.wrappers.vector import RecordVideo as OfMany
from gymkernel_wrapper_record_video.vector import grid, tile

if TYPE_CHECKING:
    from pathlib import Path


class Film(Env[Any, Any]):
    """An environment with episodes of four steps. The grey level of a frame depends on the step and the episode."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 12}  # noqa: RUF012 - as in `Env`
    episode = -1

    def __init__(self, render_mode: str | None = "rgb_array") -> None:
        self.render_mode, self.kept, self.fails = render_mode, [], False  # type: ignore[var-annotated]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        if self.fails:
            raise RuntimeError("reset")
        self.episode, self.time = self.episode + 1, 0
        self.kept.append(self.frame())
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if self.fails:
            raise RuntimeError("step")
        self.time += 1
        self.kept.append(self.frame())
        return 0, 0.0, self.time == 4, False, {}

    def frame(self) -> Any:
        return np.full((32, 48, 3), min(40 * self.time, 200) + 10 * (self.episode % 2), np.uint8)

    def render(self) -> Any:
        if self.render_mode != "rgb_array_list":
            return self.frame()
        kept, self.kept = self.kept, []
        return kept


def play(env: Any, episodes: int) -> None:
    for _ in range(episodes):
        env.reset()
        for _ in range(4):
            env.step(0)


def videos(folder: Path) -> dict[str, list[int]]:
    """Return the grey levels of all frames, keyed by file."""
    found = {}
    for path in sorted(folder.iterdir()):
        with av.open(str(path)) as container:
            frames: Any = container.decode(video=0)
            found[path.name] = [round(float(frame.to_ndarray(format="rgb24").mean())) for frame in frames]
    return found


def near(greys: list[int], expected: list[int]) -> bool:
    return len(greys) == len(expected) and bool(np.allclose(greys, expected, atol=2))


EVEN, ODD = [0, 40, 80, 120, 160], [10, 50, 90, 130, 170]


def test_episode_trigger_selects_episodes(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: episode in {0, 3})
    play(env, 5)
    env.close()

    found = videos(tmp_path)

    assert list(found) == ["rl-video-episode-0.mp4", "rl-video-episode-3.mp4"]
    assert near(found["rl-video-episode-0.mp4"], EVEN)
    assert near(found["rl-video-episode-3.mp4"], ODD)


def test_default_trigger_records_cubic_episodes(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path)
    play(env, 10)
    env.close()

    assert list(videos(tmp_path)) == [f"rl-video-episode-{i}.mp4" for i in (0, 1, 8)]


def test_step_trigger_and_video_length(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, step_trigger=lambda step: step == 2, video_length=4, name_prefix="my")
    play(env, 3)
    env.close()

    found = videos(tmp_path)

    assert list(found) == ["my-step-2.mp4"]
    assert near(found["my-step-2.mp4"], [120, 160, 10, 50, 90])  # continues after the end of the episode


def test_frame_rate_comes_from_environment_or_argument(tmp_path: Path) -> None:
    for name, fps, expected in (("own", None, 12), ("given", 25, 25)):
        env = RecordVideo(Film(), tmp_path, name_prefix=name, fps=fps)
        play(env, 1)
        env.close()
        with av.open(str(tmp_path / f"{name}-episode-0.mp4")) as container:
            assert container.streams.video[0].average_rate == expected
        assert env.frames_per_sec == expected


def test_counters_and_recording_flag(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: episode == 1)
    seen = [(env.episode_id, env.step_id, env.recording)]
    for _ in range(2):
        play(env, 1)
        seen.append((env.episode_id, env.step_id, env.recording))
    env.close()

    assert seen == [(-1, -1, False), (0, 3, False), (1, 7, True)]
    assert not env.recording


def test_recordings_can_be_started_and_stopped_manually(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: False)
    env.reset()
    env.start_recording("mine")
    env.step(0)
    env.step(0)
    env.stop_recording()

    assert near(videos(tmp_path)["mine.mp4"], [40, 80])  # the file is complete before the environment is closed
    with pytest.raises(ValueError, match=r"^No video is being recorded; call start_recording first$"):
        env.stop_recording()


def test_new_recording_ends_the_previous_one(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: True)
    env.reset()
    env.start_recording("mine")
    env.step(0)
    env.close()

    assert {name: len(frames) for name, frames in videos(tmp_path).items()} == {
        "mine.mp4": 1,
        "rl-video-episode-0.mp4": 1,
    }


@pytest.mark.parametrize("what", ["step", "reset"])
def test_error_finishes_the_video(tmp_path: Path, what: str) -> None:
    env = RecordVideo(Film(), tmp_path)
    play(env, 1)
    env.unwrapped.fails = True  # type: ignore[attr-defined]

    with pytest.raises(RuntimeError, match=what):
        env.step(0) if what == "step" else env.reset()

    assert near(videos(tmp_path)["rl-video-episode-0.mp4"], EVEN)


def test_endless_episode_keeps_no_frames_in_memory(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path)
    env.reset()
    for _ in range(300):
        env.step(0)

    writer: Any = env._writer
    assert writer.frames == 301
    assert writer._encoder.frames.qsize() <= writer._encoder.frames.maxsize <= 64
    env.close()


def test_collected_frames_are_recorded_and_kept(tmp_path: Path) -> None:
    env = RecordVideo(Film("rgb_array_list"), tmp_path)
    play(env, 1)
    rendered = env.render()
    env.close()

    assert [int(frame.mean()) for frame in rendered] == EVEN
    assert near(videos(tmp_path)["rl-video-episode-0.mp4"], EVEN)


def test_invalid_frame_ends_the_video(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path)
    env.reset()
    env.unwrapped.render = lambda: "text"  # type: ignore[method-assign]

    with pytest.warns(UserWarning, match="RecordVideo stopped recording: render returned str instead of an array"):
        env.step(0)

    assert not env.recording
    env.close()


def test_video_without_frames_warns(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: False)
    env.start_recording("empty")

    with pytest.warns(UserWarning, match=r"RecordVideo does not write empty.mp4, because no frame was recorded"):
        env.close()

    assert list(tmp_path.iterdir()) == []


def test_overwriting_videos_warns(tmp_path: Path) -> None:
    (tmp_path / "rl-video-episode-0.mp4").touch()

    with pytest.warns(UserWarning, match=r"will replace videos in .*, such as rl-video-episode-0.mp4; pass another"):
        RecordVideo(Film(), tmp_path)


def test_finished_videos_can_be_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = RecordVideo(Film(), tmp_path, disable_logger=False)
    play(env, 1)
    env.close()

    assert "rl-video-episode-0.mp4: 5 frames" in capsys.readouterr().err


def test_gc_trigger_collects_garbage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gc

    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    env = RecordVideo(Film(), tmp_path, episode_trigger=lambda episode: True, gc_trigger=lambda episode: episode == 1)
    play(env, 3)
    env.close()

    assert len(collected) == 1


def test_copy_does_not_record(tmp_path: Path) -> None:
    env = RecordVideo(Film(), tmp_path)
    env.reset()

    twin = copy.deepcopy(env)

    assert (env.recording, twin.recording) == (True, False)
    env.close()
    twin.close()
    assert len(videos(tmp_path)["rl-video-episode-0.mp4"]) == 1


@pytest.mark.parametrize("mode", [None, "human", "ansi"])
def test_render_mode_without_frames_is_rejected(tmp_path: Path, mode: str | None) -> None:
    with pytest.raises(ValueError, match=f"^RecordVideo expects a render mode that returns arrays, .*{mode}"):
        RecordVideo(Film(mode), tmp_path)


def test_wrapper_is_recreated_from_spec_and_json(tmp_path: Path) -> None:
    kwargs = json.loads(json.dumps(RecordVideo(Film(), tmp_path, video_length=3, fps=5)._saved_kwargs))

    again = RecordVideo(Film(), **kwargs)

    assert (again.video_folder, again.frames_per_sec, again._saved_kwargs) == (str(tmp_path), 5, kwargs)


class Films(VectorEnv[Any, Any, Any]):
    """A vector environment with six `Film` environments, whose episodes have four, five, ... steps."""

    num_envs = 6
    render_mode = "rgb_array"

    def __init__(self, mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> None:
        self.metadata = {"autoreset_mode": mode, "render_fps": 12}
        self.mode = mode

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        if options is None:
            self.time = np.zeros(6, np.int64)
        else:
            self.time[options["reset_mask"]] = 0
        return self.time.copy(), {}

    def step(self, actions: Any) -> Any:
        return self.step_masked(actions, np.ones(6, np.bool_))

    def step_masked(self, actions: Any, mask: Any) -> Any:
        limit = 4 + np.arange(6)
        ended = self.time >= limit
        self.time = np.where(mask, np.where(ended, 0, self.time + 1), self.time)
        done = (self.time >= limit) & mask
        if self.mode is AutoresetMode.SAME_STEP:
            self.time[done] = 0
        return self.time.copy(), np.zeros(6), done, np.zeros(6, np.bool_), {}

    def render(self) -> Any:
        return tuple(np.full((32, 48, 3), 40 * self.time[0] + i, np.uint8) for i in range(6))


def test_vector_frames_are_recorded_in_a_grid(tmp_path: Path) -> None:
    envs = OfMany(Films(), tmp_path, video_aspect_ratio=(2, 1), episode_trigger=lambda episode: episode < 2)
    envs.reset()
    for _ in range(11):
        envs.step(0)
    envs.close()

    found = videos(tmp_path)

    assert list(found) == ["rl-video-episode-0.mp4", "rl-video-episode-1.mp4"]
    assert near(found["rl-video-episode-0.mp4"], EVEN)
    assert near(found["rl-video-episode-1.mp4"], EVEN)
    with av.open(str(tmp_path / "rl-video-episode-0.mp4")) as container:
        assert (container.streams.video[0].width, container.streams.video[0].height) == (3 * 48, 2 * 32)


def test_only_the_first_environment_can_be_recorded(tmp_path: Path) -> None:
    envs = OfMany(Films(), tmp_path, record_first_only=True)
    envs.reset()
    envs.step(0)
    envs.close()

    with av.open(str(tmp_path / "rl-video-episode-0.mp4")) as container:
        assert (container.streams.video[0].width, container.streams.video[0].height) == (48, 32)


def test_same_step_mode_misses_the_last_frame(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="In SAME_STEP mode, RecordVideo cannot record the last frame of an episode"):
        envs = OfMany(Films(AutoresetMode.SAME_STEP), tmp_path, episode_trigger=lambda episode: True)
    envs.reset()
    for _ in range(5):
        envs.step(0)
    envs.close()

    found = videos(tmp_path)

    assert near(found["rl-video-episode-0.mp4"], EVEN[:-1])
    assert near(found["rl-video-episode-1.mp4"], EVEN[:2])


def test_reset_of_other_rows_does_not_count_as_an_episode(tmp_path: Path) -> None:
    envs = OfMany(Films(AutoresetMode.DISABLED), tmp_path, episode_trigger=lambda episode: False)
    envs.reset()
    seen = []
    for mask in ([False] + [True] * 5, [True] + [False] * 5):
        envs.reset(options={"reset_mask": np.array(mask)})
        seen.append(envs.episode_id)

    assert seen == [0, 1]


def test_masked_step_of_other_rows_does_not_count(tmp_path: Path) -> None:
    envs = OfMany(Films(), tmp_path, episode_trigger=lambda episode: True)
    envs.reset()
    for _ in range(4):
        envs.step(0)
    envs.step_masked(0, np.array([False] + [True] * 5))
    before = envs.episode_id
    envs.step(0)
    envs.close()

    assert (before, envs.episode_id) == (0, 1)


@pytest.mark.parametrize(
    "number, ratio, expected", [(6, (1, 1), (2, 3)), (6, (9, 1), (1, 6)), (5, (1, 1), (1, 5)), (16, (1, 1), (4, 4))]
)
def test_grid_is_full_and_near_the_aspect_ratio(number: int, ratio: tuple[int, int], expected: tuple[int, int]) -> None:
    frames = [np.full((30, 30, 3), i, np.uint8) for i in range(number)]

    whole = tile(frames, *grid(number, (30, 30, 3), ratio))

    assert (whole.shape[0] // 30, whole.shape[1] // 30) == expected
    assert whole[::30, ::30, 0].ravel().tolist() == list(range(number))


def test_vector_wrapper_is_recreated_from_spec_and_json(tmp_path: Path) -> None:
    kwargs = json.loads(json.dumps(OfMany(Films(), tmp_path, (2, 1), fps=5)._saved_kwargs))

    assert OfMany(Films(), **kwargs).frames_per_sec == 5
