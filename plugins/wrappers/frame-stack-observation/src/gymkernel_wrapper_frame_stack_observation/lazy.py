"""The `LazyFrames` class, a sequence of frames that is converted to an array only when necessary."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["LazyFrames", "compressor"]


class LazyFrames:
    """A sequence of frames that is converted to an array only when an array is needed.

    Several `LazyFrames` can share the same frames. A `LazyFrames` object has the length, shape and dtype of the array,
    supports indexing and comparison like an array, and can be pickled. Do not modify arrays that indexing returns.

    Args:
        frames: one or more arrays of the same shape and dtype, oldest first. The arrays are not copied.
        lz4_compress: whether to compress the frames losslessly, which requires the package lz4.

    Raises:
        ValueError: if there are no frames or the frames differ in shape or dtype.
        DependencyNotInstalled: if `lz4_compress` is True but lz4 is not installed.

    >>> lazy = LazyFrames([np.zeros(2), np.ones(2)])
    >>> lazy
    LazyFrames(shape=(2, 2), dtype=float64)
    >>> len(lazy), lazy[-1], np.asarray(lazy).sum()
    (2, array([1., 1.]), np.float64(2.0))
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    frames: tuple[Any, ...]
    """The frames, which are arrays or, if `compression` is "lz4", compressed bytes."""
    compression: str | None

    def __init__(self, frames: Sequence[Any], lz4_compress: bool = False) -> None:
        arrays = [np.asarray(frame) for frame in frames]
        kinds = {(array.shape, array.dtype) for array in arrays}
        if len(kinds) != 1:
            message = f"LazyFrames expects frames of the same shape and dtype, got {sorted(map(str, kinds)) or 'none'}"
            raise ValueError(message)
        pack = compressor("lz4") if lz4_compress else None
        self._keep(*kinds.pop(), "lz4" if pack else None, [pack(array) for array in arrays] if pack else arrays)

    @classmethod
    def of_kept(
        cls, frame_shape: tuple[int, ...], dtype: np.dtype[Any], compression: str | None, frames: Sequence[Any]
    ) -> LazyFrames:
        """Create a `LazyFrames` object from stored frames, without checking them.

        Args:
            frame_shape: the shape of each frame in the sequence.
            dtype: the dtype of the frames.
            compression: "lz4" if the frames are compressed, or None if they are arrays.
            frames: the frames, oldest first, as returned by the function that `compressor(compression)` returns.
        """
        made = cls.__new__(cls)
        made._keep(frame_shape, dtype, compression, frames)  # noqa: SLF001 - another instance of this class
        return made

    def _keep(self, frame_shape: Any, dtype: Any, compression: str | None, frames: Sequence[Any]) -> None:
        self.dtype, self.compression, self.frames = dtype, compression, tuple(frames)
        self.shape = (len(self.frames), *frame_shape)

    @property
    def frame_shape(self) -> tuple[int, ...]:
        """The shape of a single frame."""
        return self.shape[1:]

    @property
    def lz4_compress(self) -> bool:
        """Whether the frames are compressed."""
        return self.compression is not None

    @property
    def ndim(self) -> int:
        """The number of axes of the array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of values in the array."""
        return math.prod(self.shape)

    def frame(self, index: int) -> NDArray[Any]:
        """Return a single frame as a read-only array.

        Args:
            index: the index of the frame. 0 is the oldest frame, and -1 is the newest frame.
        """
        frame = self.frames[index]
        if self.compression is None:
            return frame  # type: ignore[no-any-return]
        return np.frombuffer(_lz4().decompress(frame), self.dtype).reshape(self.shape[1:])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("LazyFrames cannot be converted to an array without a copy; pass copy=True or copy=None")
        stacked = np.empty(self.shape, self.dtype)
        for i in range(len(self)):
            stacked[i] = self.frame(i)
        return stacked if dtype is None else stacked.astype(dtype, copy=False)

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, index: Any) -> Any:
        return self.frame(index) if hasattr(index, "__index__") else np.asarray(self)[index]

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == other

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LazyFrames(shape={self.shape}, dtype={self.dtype})"


def compressor(compression: str | None) -> Callable[[NDArray[Any]], Any]:
    """Return a function that converts an observation to compressed bytes or to a read-only array.

    Raises:
        ValueError: if the compression is neither "lz4" nor None.
        DependencyNotInstalled: if lz4 is not installed.
    """
    if compression is None:
        return _make_read_only
    if compression != "lz4":
        raise ValueError(f"FrameStackObservation expects compress to be 'lz4' or None, got {compression!r}")
    _lz4()
    return _compress


def _make_read_only(frame: NDArray[Any]) -> NDArray[Any]:
    frame.flags.writeable = False
    return frame


def _compress(frame: NDArray[Any]) -> bytes:
    return _lz4().compress(np.ascontiguousarray(frame))  # type: ignore[no-any-return]


def _lz4() -> Any:
    try:
        import lz4.block
    except ImportError as exc:
        raise DependencyNotInstalled(
            "compress='lz4' requires the package lz4; run: pip install 'gymkernel-wrapper-frame-stack-observation[lz4]'"
        ) from exc
    return lz4.block
