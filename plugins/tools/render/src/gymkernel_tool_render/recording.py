"""`record`: a policy in an environment, into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from gymkernel.error import DependencyNotInstalled
from gymkernel_util_tools.episodes.runner import Episodes

__all__ = ["LONGEST", "VIDEOS", "Recording", "episodes_for", "frames_per_second", "record", "run_for"]

VIDEOS: Final = (".mp4", ".gif", ".webm", ".mkv", ".mov")
LONGEST: Final = 1000
"""Steps, unless somebody asks for more: an environment may have no end."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What was written.

    Attributes:
        path: the file.
        frames: how many it shows.
        size: width and height of a frame in pixels.
        fps: frames per second; None of a picture.
        episodes: how many began.
        steps: of all episodes together.
        seed: of the first episode.
        shown: of a picture, which frames it shows: 0 is the first reset.
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
    """Run a policy in an environment, and write what it renders to a file.

    Args:
        env: with render mode "rgb_array" (or "rgb_array_list"); it is not closed.
        out: the file. A `.png` shows the last frame, or, with `frames`, several that are evenly spaced; `.mp4`, `.gif`,
            `.webm`, `.mkv` and `.mov` are videos. Its folder is made; a file that is there is replaced.
        policy: see `gymkernel.utils.episodes.Episodes`.
        episodes: how many; None for one, or for as many as `steps` take.
        steps: of all episodes together, at most; None for 1000, and for none at all where a picture shows one frame and
            `episodes` is not given either.
        seed: of the first episode; None for one that is drawn.
        fps: frames per second of a video; None for `metadata["render_fps"]`, else 30.
        frames: how many a `.png` shows.
        notify: called after every reset and step.

    Raises:
        ValueError: an unknown suffix, or `frames` for something else than a `.png`.
        DependencyNotInstalled: a video without gymkernel-util-video.
        EpisodeError: environment or policy failed; a file with the frames before that is there.
    """
    path = Path(out)
    rate = frames_per_second(env, fps) if path.suffix.lower() in VIDEOS else None
    sink = _sink(path, rate, frames)
    if path.suffix.lower() == ".png" and frames == 1 and episodes is None and steps is None:
        steps = 0
    count, begun, taken, size = 0, 0, 0, (0, 0)
    run = Episodes(env, policy, episodes=episodes_for(episodes, steps), seed=seed)
    try:
        for total in run_for(run, steps):
            begun, taken = run.episode + 1, total
            for picture in run.frames():
                sink.write(picture)
                count, size = count + 1, (picture.shape[1], picture.shape[0])
            if notify is not None:
                notify(run)
    finally:
        sink.close()
    shown = tuple(sink.places) if rate is None else ()
    return Recording(path, len(shown) or count, size, rate, begun, taken, run.first_seed, shown)


def episodes_for(episodes: int | None, steps: int | None) -> int | None:
    """How many episodes: those asked for; else one, or without end where steps are asked for."""
    return 1 if episodes is None and steps is None else episodes


def run_for(run: Episodes, steps: int | None) -> Iterator[int]:
    """Iterate over a run for a number of steps of all its episodes; yields how many were taken.

    Args:
        run: what to iterate over.
        steps: at most; None for `LONGEST`.
    """
    most = LONGEST if steps is None else steps
    taken = 0
    for _ in run:
        taken += run.step > 0
        yield taken
        if taken >= most:
            return


def frames_per_second(env: Any, fps: float | None = None) -> float:
    """What is asked for, else what the environment's metadata says, else 30."""
    found = fps or (getattr(env, "metadata", None) or {}).get("render_fps") or 30
    return float(found)


def _sink(path: Path, fps: float | None, frames: int) -> Any:
    """What takes the frames of a file."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        from gymkernel_tool_render.sheet import Sheet

        return Sheet(path, frames)
    if suffix not in VIDEOS:
        raise ValueError(f"Expected a file that ends with .png, {', '.join(VIDEOS)}, got {str(path)!r}")
    if frames != 1:
        raise ValueError(f"Expected a .png for a contact sheet of {frames} frames, got {str(path)!r}")
    try:
        from gymkernel.utils.video import VideoWriter
    except ImportError as exc:
        raise DependencyNotInstalled(
            f"A {suffix} is encoded by gymkernel-util-video; run: pip install 'gymkernel-tool-render[video]' (a .png "
            "needs nothing)"
        ) from exc
    return VideoWriter(path, fps or 30)
