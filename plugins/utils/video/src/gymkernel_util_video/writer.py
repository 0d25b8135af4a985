"""`VideoWriter`: frames in, a file out, and no waiting in between."""

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
    """Write frames to a video file as they come.

    A thread encodes; `write` copies the frame and goes on, and waits only where the encoder is behind by the whole
    queue, so that memory stays bounded. The file appears under its name when it is complete; until then it has a name
    that begins with a dot. An open writer is closed, and its file completed, when it is left by `with`, also through an
    exception, when it is garbage, and when the interpreter ends.

    Args:
        path: the file; its suffix chooses the format: .mp4, .mkv, .mov (H.264), .webm (VP9) or .gif (a palette of its
            own for every frame). Its folder is made; a file that is there is replaced.
        fps: frames per second, above 0.
        options: for the encoder, over the defaults, as FFmpeg calls them: `{"crf": "17"}` for better pictures.
        queue_size: how many frames may wait for the encoder; None for as many as fit into 32 MiB, from 2 to 64.

    Attributes:
        path: the file, absolute.
        frames: how many frames were written.

    Raises:
        TypeError: `fps` is no number.
        ValueError: the suffix is unknown, or `fps` is None or not above 0.

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
        """Add a frame.

        Args:
            frame: uint8, of shape (height, width, 3), all of one shape. (height, width) and (height, width, 1) are
                grey; a fourth channel is left out. It is copied. Where the format needs even sides, an odd one is
                completed by repeating the last row or column.

        Raises:
            ValueError: another shape or dtype, or the writer is closed.
            OSError: the encoder failed, in this call or before.
        """
        if self.closed:
            raise ValueError(f"The video {self.path} is closed; make a new VideoWriter")
        picture = _picture(frame)
        if self._shape is None:
            self._shape = picture.shape
        elif picture.shape != self._shape:
            raise ValueError(f"Expected frames of {self._shape}, as the first of {self.path} is, got {picture.shape}")
        self._encoder.put(picture)
        self.frames += 1

    def finish(self) -> None:
        """Take no more frames, and let the encoder complete the file while the caller goes on; then `close` waits."""
        self.closed = True
        self._encoder.end()

    def close(self) -> None:
        """Complete the file, and wait for it. Without a frame there is none. Closing twice does nothing.

        Raises:
            OSError: the encoder failed; what it wrote is removed.
        """
        self.closed = True
        self._finalizer.detach()
        self._encoder.finish()
        self._encoder.complain()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"VideoWriter({str(self.path)!r}, {self.frames} frames, {state})"


def _picture(frame: Any) -> NDArray[np.uint8]:
    """A frame as RGB."""
    picture = np.asarray(frame)
    if picture.ndim == 2:
        picture = picture[..., None]
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] not in {1, 3, 4} or 0 in picture.shape:
        raise ValueError(
            f"Expected a frame of uint8 and shape (height, width, 3), got {type(frame).__name__} "
            f"of {np.shape(frame)} and {picture.dtype}"
        )
    return np.repeat(picture, 3, axis=2) if picture.shape[2] == 1 else picture[..., :3]
