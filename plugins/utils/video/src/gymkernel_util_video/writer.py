"""The class `VideoWriter`, which writes frames to a video file without waiting for the encoder."""

from __future__ import annotations

import weakref
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gymkernel_util_video.encoder import SUFFIXES, Encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VideoWriter"]


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
        path: str | PathLike[str],
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
