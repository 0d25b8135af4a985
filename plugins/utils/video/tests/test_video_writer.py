"""Tests of `VideoWriter`: the frames in the file, the memory limit, and when the file is completed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import av
import numpy as np
import pytest

from gymkernel.utils.save_video import capped_cubic_video_schedule
from gymkernel.utils.video import VideoWriter

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Frame = NDArray[np.uint8]


def picture(number: int, height: int = 64, width: int = 96) -> Frame:
    """Return a frame whose background and red bar depend on the number, so that all frames differ."""
    frame = np.full((height, width, 3), 10 * number % 250, np.uint8)
    frame[:, : 8 * (number % 12)] = (255, 0, 0)
    frame[:20] = (0, 200, 90)
    return frame


def decoded(path: Path) -> list[Frame]:
    with av.open(str(path)) as container:
        frames: Any = container.decode(video=0)
        return [frame.to_ndarray(format="rgb24") for frame in frames]


def difference(seen: Frame, expected: Frame) -> float:
    return float(np.abs(seen.astype(int) - expected).mean())


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".mov", ".webm", ".gif", ".MP4"])
@pytest.mark.parametrize("size", [(64, 96), (63, 97)], ids=["even", "odd"])
def test_file_contains_the_frames(tmp_path: Path, suffix: str, size: tuple[int, int]) -> None:
    pictures = [picture(i, *size) for i in range(20)]
    with VideoWriter(tmp_path / f"a{suffix}", fps=10) as video:
        for frame in pictures:
            video.write(frame)

    seen = decoded(video.path)

    assert video.frames == len(seen) == 20
    assert max(difference(a[: size[0], : size[1]], b) for a, b in zip(seen, pictures, strict=True)) < 4
    assert min(difference(a[: size[0], : size[1]], b) for a, b in zip(seen[1:], pictures, strict=False)) > 4


@pytest.mark.parametrize("fps", [30, 12.5, 1, np.int64(60)])
def test_file_has_the_frame_rate(tmp_path: Path, fps: Any) -> None:
    with VideoWriter(tmp_path / "a.mp4", fps) as video:
        for i in range(5):
            video.write(picture(i))

    with av.open(str(video.path)) as container:
        assert container.streams.video[0].average_rate == fps


@pytest.mark.parametrize("shape", [(64, 96), (64, 96, 1), (64, 96, 4)], ids=repr)
def test_grey_and_transparent_frames_are_accepted(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with VideoWriter(tmp_path / "a.gif") as video:
        video.write(np.full(shape, 99, np.uint8))

    assert difference(decoded(video.path)[0], np.full((64, 96, 3), 99, np.uint8)) < 1


def test_frames_are_copied(tmp_path: Path) -> None:
    frame = picture(3)
    with VideoWriter(tmp_path / "a.mp4") as video:
        video.write(frame)
        frame[:] = 0

    assert difference(decoded(video.path)[0], picture(3)) < 4


def test_views_are_valid_frames(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "a.gif") as video:
        video.write(picture(3)[::-1, ::-1])

    assert difference(decoded(video.path)[0], picture(3)[::-1, ::-1]) < 1


def test_options_are_passed_to_the_encoder(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (10, 64, 64, 3), np.uint8)
    for name, options in (("fine.mp4", {"crf": "1"}), ("coarse.mp4", {"crf": "50"})):
        with VideoWriter(tmp_path / name, options=options) as video:
            for frame in noise:
                video.write(frame)

    assert (tmp_path / "fine.mp4").stat().st_size > 4 * (tmp_path / "coarse.mp4").stat().st_size


def test_folder_is_created_and_file_replaced(tmp_path: Path) -> None:
    for number in (1, 2):
        with VideoWriter(tmp_path / "new" / "a.gif") as video:
            for i in range(number):
                video.write(picture(i))

    assert len(decoded(video.path)) == 2
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.gif"]


def test_no_frame_gives_no_file(tmp_path: Path) -> None:
    VideoWriter(tmp_path / "a.mp4").close()

    assert list(tmp_path.iterdir()) == []


class TestWaiting:
    @pytest.fixture
    def gate(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Make the encoder wait after its first frame until the returned event is set."""
        from gymkernel_util_video.writer import Encoder

        gate, real = threading.Event(), Encoder._frames

        def wait_for_gate(self: Any) -> Any:
            first, frames = real(self)
            gate.wait(60)
            return first, frames

        monkeypatch.setattr(Encoder, "_frames", wait_for_gate)
        yield gate
        gate.set()

    def test_writing_does_not_wait_for_the_encoder(self, tmp_path: Path, gate: Any) -> None:
        video = VideoWriter(tmp_path / "a.mp4", queue_size=10)
        for i in range(10):
            video.write(picture(i))
        video.finish()  # returns at once, because the queue is not full

        assert not video.path.exists()
        gate.set()
        video.close()
        assert len(decoded(video.path)) == 10

    def test_number_of_queued_frames_is_limited(self, tmp_path: Path, gate: Any) -> None:
        video = VideoWriter(tmp_path / "a.mp4", queue_size=3)

        def write() -> None:
            for i in range(20):
                video.write(picture(i))

        thread = threading.Thread(target=write)
        thread.start()
        thread.join(0.2)
        waiting = video.frames, thread.is_alive()
        gate.set()
        thread.join()
        video.close()

        assert waiting[0] <= 4
        assert waiting[1]
        assert len(decoded(video.path)) == 20

    def test_large_frames_get_a_short_queue(self, tmp_path: Path) -> None:
        with VideoWriter(tmp_path / "a.mp4") as video:
            video.write(np.zeros((2000, 2000, 3), np.uint8))
            frames = video._encoder.frames
            assert frames is not None
            assert frames.maxsize == 2


class TestEnding:
    def test_exception_finishes_the_file(self, tmp_path: Path) -> None:
        def fail() -> None:
            with VideoWriter(tmp_path / "a.mp4") as video:
                video.write(picture(0))
                raise RuntimeError("stop")

        with pytest.raises(RuntimeError, match="stop"):
            fail()

        assert len(decoded(tmp_path / "a.mp4")) == 1

    def test_garbage_collection_finishes_the_file(self, tmp_path: Path) -> None:
        video = VideoWriter(tmp_path / "a.mp4")
        video.write(picture(0))
        del video
        gc.collect()

        assert len(decoded(tmp_path / "a.mp4")) == 1

    @pytest.mark.parametrize("end", ["pass", "raise SystemExit(3)", "1 / 0"])
    def test_interpreter_exit_finishes_the_file(self, tmp_path: Path, end: str) -> None:
        path = tmp_path / "a.mp4"
        script = f"""
import numpy as np
from gymkernel.utils.video import VideoWriter
video = VideoWriter({str(path)!r})
for i in range(30):
    video.write(np.full((64, 64, 3), i, np.uint8))
{end}
"""
        subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)

        assert len(decoded(path)) == 30

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork exists only on POSIX systems")
    @pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
    def test_forked_process_does_not_touch_the_file(self, tmp_path: Path) -> None:
        video = VideoWriter(tmp_path / "a.mp4")
        video.write(picture(0))
        child = os.fork()
        if not child:
            video.close()
            os._exit(0)
        os.waitpid(child, 0)
        video.write(picture(1))
        video.close()

        assert len(decoded(video.path)) == 2

    def test_closing_twice_is_allowed(self, tmp_path: Path) -> None:
        video = VideoWriter(tmp_path / "a.mp4")
        video.write(picture(0))
        video.close()
        video.close()

        assert video.closed
        assert len(decoded(video.path)) == 1

    def test_closed_writer_rejects_frames(self, tmp_path: Path) -> None:
        video = VideoWriter(tmp_path / "a.mp4")
        video.close()

        with pytest.raises(ValueError, match=r"^The video .*a.mp4 is closed. Create a new VideoWriter$"):
            video.write(picture(0))

    def test_no_thread_is_left(self, tmp_path: Path) -> None:
        before = threading.active_count()
        with VideoWriter(tmp_path / "a.mp4") as video:
            video.write(picture(0))

        assert threading.active_count() == before

    def test_failing_encoder_raises_and_leaves_no_file(self, tmp_path: Path) -> None:
        video = VideoWriter(tmp_path / "a.mp4", options={"crf": "much"}, queue_size=1)

        def write() -> None:
            for i in range(100):
                video.write(picture(i))

        with pytest.raises(OSError, match=r"^The video .*a.mp4 could not be written: "):
            write()
        with pytest.raises(OSError, match="could not be written"):
            video.close()

        assert list(tmp_path.iterdir()) == []

    def test_uncreatable_folder_raises_in_close(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        video = VideoWriter(tmp_path / "file" / "a.mp4")
        video.write(picture(0))

        with pytest.raises(OSError, match="could not be written"):
            video.close()


class TestRefused:
    @pytest.mark.parametrize("name", ["a.txt", "a", "mp4"])
    def test_unknown_suffix_is_rejected(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ValueError, match=r"^VideoWriter expects a path that ends with .mp4, .*, got "):
            VideoWriter(tmp_path / name)

    @pytest.mark.parametrize("fps", [0, -1, np.nan, None])
    def test_rate_of_none_is_rejected(self, tmp_path: Path, fps: Any) -> None:
        with pytest.raises(ValueError, match=r"^VideoWriter expects fps above 0, got "):
            VideoWriter(tmp_path / "a.mp4", fps)

    @pytest.mark.parametrize("fps", ["3", [3]])
    def test_non_numeric_rate_is_rejected(self, tmp_path: Path, fps: Any) -> None:
        with pytest.raises(TypeError, match=r"^VideoWriter expects fps above 0, got "):
            VideoWriter(tmp_path / "a.mp4", fps)

    def test_empty_queue_is_rejected(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"^VideoWriter expects a queue_size of at least 1, got 0$"):
            VideoWriter(tmp_path / "a.mp4", queue_size=0)

    @pytest.mark.parametrize(
        "frame",
        [
            np.zeros((64, 64, 3)),
            np.zeros((64, 64, 2), np.uint8),
            np.zeros((0, 64, 3), np.uint8),
            np.zeros(3, np.uint8),
            "text",
            None,
        ],
        ids=["floats", "two channels", "empty", "a line", "text", "None"],
    )
    def test_invalid_frame_is_rejected(self, tmp_path: Path, frame: Any) -> None:
        with (
            VideoWriter(tmp_path / "a.mp4") as video,
            pytest.raises(ValueError, match=r"^Expected a uint8 frame of shape \(height, width, 3\), got"),
        ):
            video.write(frame)

    def test_frame_with_a_different_size_is_rejected(self, tmp_path: Path) -> None:
        with VideoWriter(tmp_path / "a.mp4") as video:
            video.write(picture(0))
            with pytest.raises(
                ValueError,
                match=r"^Expected a frame of shape \(64, 96, 3\), like the first .*, got shape \(32, 96, 3\)",
            ):
                video.write(picture(0, height=32))

        assert len(decoded(video.path)) == 1


def test_repr_shows_path_and_rate(tmp_path: Path) -> None:
    video = VideoWriter(tmp_path / "a.mp4")

    assert repr(video).endswith("a.mp4', 0 frames, open)")


def test_default_episodes_are_cubes_and_thousands() -> None:
    assert [i for i in range(5001) if capped_cubic_video_schedule(i)] == [
        *(i**3 for i in range(10)),
        *(1000 * i for i in range(1, 6)),
    ]
