"""The class `VideoWriter`, which writes frames to a video file without waiting for the encoder."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
import weakref
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import av
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VideoWriter"]

H264: Final = ("libx264", "yuv420p", {"crf": "20", "preset": "veryfast"})
SUFFIXES: Final[dict[str, tuple[str, str, dict[str, str]]]] = {
    ".mp4": H264,
    ".mkv": H264,
    ".mov": H264,
    ".webm": ("libvpx-vp9", "yuv420p", {"crf": "30", "b": "0", "deadline": "realtime", "cpu-used": "6"}),
    ".gif": ("gif", "pal8", {}),
}
"""The encoder, the pixel format and the default encoder options for each file suffix."""
MEMORY: Final = 32 * 2**20
"""The maximum size in bytes of all frames in an encoder's queue."""
_numbers = itertools.count()


class VideoWriter:
    """A video file to which frames are written one at a time.

    A separate thread encodes the frames. `write` copies the frame into a queue and returns. To limit memory use,
    `write` waits if the queue is full. Until the file is complete, its name begins with a dot. An open writer is
    closed, and its file is completed, at the end of a `with` block (even after an exception), when the writer is
    garbage collected, and when the interpreter exits.

    Args:
        path: the path of the file. The suffix determines the format: .mp4, .mkv and .mov files contain H.264, .webm
            files contain VP9, and in .gif files, each frame has its own palette. The folder is created if necessary,
            and an existing file is replaced.
        fps: the number of frames per second, greater than 0.
        options: options for the FFmpeg encoder, which override the defaults. For example, `{"crf": "17"}` improves the
            image quality.
        queue_size: the maximum number of frames that wait for the encoder. If None, the queue holds as many frames as
            fit into 32 MiB, but at least 2 and at most 64.

    Attributes:
        path: the absolute path of the file.
        frames: the number of frames written so far.

    Raises:
        TypeError: if `fps` is not a number.
        ValueError: if the suffix is unknown, or if `fps` is None or not greater than 0.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "black.gif")
    >>> with VideoWriter(path, fps=5) as video:
    ...     video.write(np.zeros((32, 32, 3), np.uint8))
    >>> path.exists(), video.frames
    (True, 1)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        fps: float = 30,
        *,
        options: dict[str, str] | None = None,
        queue_size: int | None = None,
    ) -> None:
        self.path = Path(path).absolute()
        if self.path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"VideoWriter expects a path that ends with {', '.join(SUFFIXES)}, got {str(path)!r}")
        message = f"VideoWriter expects fps above 0, got {fps!r}"
        if fps is not None and not hasattr(fps, "__float__"):
            raise TypeError(message)
        if fps is None or not fps > 0:
            raise ValueError(message)
        if queue_size is not None and queue_size < 1:
            raise ValueError(f"VideoWriter expects a queue_size of at least 1, got {queue_size!r}")
        self.frames = 0
        self.closed = False
        self._shape: tuple[int, ...] | None = None
        self._encoder = Encoder(self.path, fps, options or {}, queue_size)
        self._finalizer = weakref.finalize(self, self._encoder.finish)

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a copy of a frame to the video.

        Args:
            frame: a uint8 array of shape (height, width, 3). Arrays of shape (height, width) or (height, width, 1) are
                greyscale images. An alpha channel is ignored. All frames must have the same shape. If the format
                requires an even width and height, the last row or column of an odd frame is repeated.

        Raises:
            ValueError: if the frame has the wrong shape or dtype, or if the writer is closed.
            OSError: if the encoder has failed.
        """
        if self.closed:
            raise ValueError(f"The video {self.path} is closed. Create a new VideoWriter")
        picture = _to_rgb(frame)
        if self._shape is None:
            self._shape = picture.shape
        elif picture.shape != self._shape:
            raise ValueError(
                f"Expected a frame of shape {self._shape}, like the first frame of {self.path}, "
                f"got shape {picture.shape}"
            )
        self._encoder.put(picture)
        self.frames += 1

    def finish(self) -> None:
        """Stop accepting frames, and let the encoder complete the file in the background.

        Call `close` to wait for the file.
        """
        self.closed = True
        self._encoder.end()

    def close(self) -> None:
        """Complete the file, and wait until the encoder has written it.

        If no frame was written, no file is created. Calling this method again has no effect.

        Raises:
            OSError: if the encoder has failed. The incomplete file is removed.
        """
        self.closed = True
        self._finalizer.detach()
        self._encoder.finish()
        self._encoder.raise_error()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"VideoWriter({str(self.path)!r}, {self.frames} frames, {state})"


def _to_rgb(frame: Any) -> NDArray[np.uint8]:
    picture = np.asarray(frame)
    if picture.ndim == 2:
        picture = picture[..., None]
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] not in {1, 3, 4} or 0 in picture.shape:
        raise ValueError(
            f"Expected a uint8 frame of shape (height, width, 3), got a {picture.dtype} {type(frame).__name__} "
            f"of shape {np.shape(frame)}"
        )
    return np.repeat(picture, 3, axis=2) if picture.shape[2] == 1 else picture[..., :3]


class Encoder:
    """A thread that encodes a video, together with a queue of the frames to encode.

    An encoder does not refer to its writer, so that the writer can be garbage collected.

    Args:
        path: the path of the video file.
        fps: the number of frames per second.
        options: options for the FFmpeg encoder, which override the defaults.
        queue_size: the maximum number of frames in the queue. If None, the queue holds as many frames as fit into
            `MEMORY`.
    """

    def __init__(self, path: Path, fps: float, options: dict[str, str], queue_size: int | None) -> None:
        self.path, self.queue_size = path, queue_size
        self.partial = path.with_name(f".{path.stem}.{os.getpid()}-{next(_numbers)}{path.suffix}")
        self.codec, self.pixels, defaults = SUFFIXES[path.suffix.lower()]
        self.rate = Fraction(fps).limit_denominator(65535)
        self.options = {**defaults, **options}
        self.frames: queue.Queue[Any] | None = None
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None
        self.ended = False
        self.process = os.getpid()

    def put(self, picture: NDArray[np.uint8]) -> None:
        """Append a copy of an RGB frame to the queue. If the queue is full, wait until there is room."""
        self.raise_error()
        if self.pixels == "yuv420p" and (picture.shape[0] % 2 or picture.shape[1] % 2):
            picture = np.pad(picture, [(0, length % 2) for length in picture.shape[:2]] + [(0, 0)], "edge")
        if self.frames is None:
            fit = max(2, min(64, MEMORY // picture.nbytes))
            self.frames = queue.Queue(self.queue_size or fit)
            self.thread = threading.Thread(target=self._run, name=f"video {self.path.name}", daemon=True)
            self.thread.start()
        self.frames.put(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), "rgb24"))

    def end(self) -> None:
        """Tell the thread that there are no more frames."""
        if self.frames is not None and not self.ended:
            self.ended = True
            self.frames.put(None)

    def finish(self) -> None:
        """Tell the thread that there are no more frames, and wait until the file is complete.

        In a forked process, this method does nothing, because the thread exists only in the parent process.
        """
        if os.getpid() == self.process and self.thread is not None:
            self.end()
            self.thread.join()

    def raise_error(self) -> None:
        """Raise an OSError if the thread failed to write the video."""
        if self.error is not None:
            raise OSError(f"The video {self.path} could not be written: {self.error}") from self.error

    def _run(self) -> None:
        try:
            self._encode()
            self.partial.replace(self.path)
        except BaseException as exc:  # noqa: BLE001 - the exception is raised again in the thread that waits
            self.error = exc
            with contextlib.suppress(OSError):
                self.partial.unlink(missing_ok=True)
            while not self.ended or not self.frames.empty():  # type: ignore[union-attr] # frees waiting writers
                if self.frames.get() is None:  # type: ignore[union-attr]
                    break

    def _encode(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with av.open(str(self.partial), "w") as container:
            first, frames = self._frames()
            stream: Any = container.add_stream(self.codec, rate=self.rate, options=self.options)
            stream.width, stream.height, stream.pix_fmt = first.width, first.height, self.pixels
            for frame in frames:
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))

    def _frames(self) -> tuple[Any, Iterator[Any]]:
        """Return the first frame, and an iterator over all frames. Frames for a GIF file have a palette."""
        waiting = iter(self.frames.get, None)  # type: ignore[union-attr]
        first: Any = next(waiting)
        frames = itertools.chain([first], waiting)
        return first, self._quantize(first, frames) if self.pixels == "pal8" else frames

    def _quantize(self, first: Any, frames: Iterator[Any]) -> Iterator[Any]:
        """Reduce every frame to 256 colours. Each frame gets its own palette."""
        tick = 1 / self.rate
        graph = av.filter.Graph()
        source = graph.add_buffer(width=first.width, height=first.height, format=first.format, time_base=tick)
        split, palette = graph.add("split"), graph.add("palettegen", "stats_mode=single")
        use, sink = graph.add("paletteuse", "new=1"), graph.add("buffersink")
        source.link_to(split)
        split.link_to(use, 0, 0)
        split.link_to(palette, 1, 0)
        palette.link_to(use, 0, 1)
        use.link_to(sink)
        graph.configure()
        given, reduced = itertools.count(), itertools.count()
        for frame in itertools.chain(frames, [None]):  # None ends the stream
            if frame is not None:
                frame.pts, frame.time_base = next(given), tick
            graph.push(frame)
            with contextlib.suppress(av.BlockingIOError, av.EOFError):  # the graph needs more frames, or has ended
                while True:
                    picture = graph.pull()
                    picture.pts, picture.time_base = next(reduced), tick
                    yield picture
