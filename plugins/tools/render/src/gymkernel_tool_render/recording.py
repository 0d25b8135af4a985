"""The function `record`, which runs a policy in an environment and writes the frames to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from gymkernel.error import DependencyNotInstalled
from gymkernel_util_tools.episodes import Episodes

__all__ = ["LONGEST", "VIDEOS", "Recording", "episodes_for", "frames_per_second", "record", "run_for"]

VIDEOS: Final = (".mp4", ".gif", ".webm", ".mkv", ".mov")
LONGEST: Final = 1000
"""The default maximum number of steps, which is necessary because an episode may never end."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A description of a file that `record` has written.

    Attributes:
        path: the path of the file.
        frames: the number of frames in the file.
        size: the width and height of a frame in pixels.
        fps: the frames per second; None for an image.
        episodes: the number of episodes that were started.
        steps: the total number of steps in all episodes.
        seed: the seed of the first episode.
        shown: the numbers of the frames that an image shows, where 0 is the frame after the first reset.
    """

    path: Path
    frames: int
    size: tuple[int, int]
    fps: float | None
    episodes: int
    steps: int
    seed: int
    shown: tuple[int, ...] = ()

    def __str__(self) -> str:
        width, height = self.size
        many = "s" * (self.frames != 1)
        what = f"{self.path}: {self.frames} frame{many} of {width}x{height}"
        if self.fps is not None:
            what += f", {self.frames / self.fps:.1f} s at {self.fps:g} frames per second"
        elif self.frames > 1:
            what += f" (numbers {', '.join(map(str, self.shown))})"
        episodes = f"{self.episodes} episode{'s' * (self.episodes != 1)}"
        return f"{what}; {episodes}, {self.steps} step{'s' * (self.steps != 1)}, seed {self.seed}"


def record(
    env: Any,
    out: str | PathLike[str],
    policy: str | Callable[..., Any] = "random",
    *,
    episodes: int | None = None,
    steps: int | None = None,
    seed: int | None = None,
    fps: float | None = None,
    frames: int = 1,
    notify: Callable[[Episodes], Any] | None = None,
) -> Recording:
    """Run a policy in an environment, and write the rendered frames to a file.

    Args:
        env: an environment with render mode "rgb_array" or "rgb_array_list". The environment is not closed at the end.
        out: the path of the file. A `.png` file shows the last frame or, with `frames`, several evenly spaced frames.
            `.mp4`, `.gif`, `.webm`, `.mkv` and `.mov` files are videos. The folder is created if necessary, and an
            existing file is replaced.
        policy: the policy, as in `gymkernel.utils.episodes.Episodes`.
        episodes: the number of episodes; None for one episode, or for an unlimited number if `steps` is given.
        steps: the maximum total number of steps in all episodes; None for 1000. If neither `steps` nor `episodes` is
            given, a `.png` file with a single frame shows the state after the reset.
        seed: the seed of the first episode; None for a random seed.
        fps: the frames per second of a video; None for `metadata["render_fps"]`, or 30 if the metadata has no value.
        frames: the number of frames that a `.png` file shows.
        notify: a function that is called with the `Episodes` object after every reset and step; None for no function.

    Raises:
        ValueError: if the suffix is unknown, or `frames` was given for a video.
        DependencyNotInstalled: if the file is a video, but gymkernel-util-video is not installed.
        EpisodeError: if the environment or the policy failed. The file contains the frames before the failure.
    """
    path = Path(out)
    rate = frames_per_second(env, fps) if path.suffix.lower() in VIDEOS else None
    writer = _open_writer(path, rate, frames)
    if path.suffix.lower() == ".png" and frames == 1 and episodes is None and steps is None:
        steps = 0
    count, started, taken, size = 0, 0, 0, (0, 0)
    run = Episodes(env, policy, episodes=episodes_for(episodes, steps), seed=seed)
    try:
        for total in run_for(run, steps):
            started, taken = run.episode + 1, total
            for picture in run.frames():
                writer.write(picture)
                count, size = count + 1, (picture.shape[1], picture.shape[0])
            if notify is not None:
                notify(run)
    finally:
        writer.close()
    shown = tuple(writer.places) if rate is None else ()
    return Recording(path, len(shown) or count, size, rate, started, taken, run.first_seed, shown)


def episodes_for(episodes: int | None, steps: int | None) -> int | None:
    """Return the number of episodes to run, or None for an unlimited number.

    Args:
        episodes: the requested number of episodes; None for one episode, or for an unlimited number if `steps` is
            given.
        steps: the requested number of steps, or None.
    """
    return 1 if episodes is None and steps is None else episodes


def run_for(run: Episodes, steps: int | None) -> Iterator[int]:
    """Iterate over a run until the maximum number of steps is reached. Yield the number of steps taken so far.

    Args:
        run: the run to iterate over.
        steps: the maximum total number of steps in all episodes; None for `LONGEST`.
    """
    limit = LONGEST if steps is None else steps
    taken = 0
    for _ in run:
        taken += run.step > 0
        yield taken
        if taken >= limit:
            return


def frames_per_second(env: Any, fps: float | None = None) -> float:
    """Return the frame rate to use, in frames per second.

    Args:
        env: the environment.
        fps: the requested frame rate; None for the rate in the environment's metadata, or 30 if there is none.
    """
    rate = fps or (getattr(env, "metadata", None) or {}).get("render_fps") or 30
    return float(rate)


def _open_writer(path: Path, fps: float | None, frames: int) -> Any:
    """Return a writer that suits the file's suffix."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        from gymkernel_tool_render.sheet import Sheet

        return Sheet(path, frames)
    if suffix not in VIDEOS:
        raise ValueError(f"Expected a file that ends with .png, {', '.join(VIDEOS)}, got {str(path)!r}")
    if frames != 1:
        raise ValueError(f"Expected a .png file for a contact sheet of {frames} frames, got {str(path)!r}")
    try:
        from gymkernel.utils.video import VideoWriter
    except ImportError as exc:
        raise DependencyNotInstalled(
            f"Writing a {suffix} file requires gymkernel-util-video; run: pip install 'gymkernel-tool-render[video]' "
            "(a .png file requires no other package)"
        ) from exc
    return VideoWriter(path, fps or 30)
