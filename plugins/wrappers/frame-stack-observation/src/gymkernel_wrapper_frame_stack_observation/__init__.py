"""`FrameStackObservation`, which returns a stack of the latest observations."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel import ops
from gymkernel.ops import create_zero_array
from gymkernel.protocols import ActType, EnvLike, ObsType, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_wrapper_frame_stack_observation.history import Frames, Ring
from gymkernel_wrapper_frame_stack_observation.lazy import LazyFrames, compressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.wrapper import Where

__all__ = ["FrameStack", "FrameStackObservation", "LazyFrames"]


class FrameStackObservation(ObservationWrapper[WrapperObsType, ActType, ObsType], RecordConstructorArgs):
    """A wrapper that returns the last `stack_size` observations, oldest first.

    For example, the DQN of Mnih et al. (2015) stacks 4 frames. A stack is an element of `batch_space(observation_space,
    stack_size)`; for array observations, it is an array with an additional leading axis. No two stacks share memory,
    unless `lazy` is True.

    Args:
        stack_size: the number of observations in a stack, at least 1.
        padding_type: what fills the stack at the beginning of an episode: "reset" for the episode's first observation,
            "zero" for zeros, or the observation to use.
        lazy: True to return `LazyFrames`, which are stacked only when they are used as an array. Consecutive
            `LazyFrames` share their frames, so that a replay buffer stores each frame only once.
        compress: "lz4" to compress the frames of lazy observations, which requires the lz4 package; None for no
            compression.

    Raises:
        TypeError: if `stack_size` is not an integer.
        ValueError: if `stack_size` is less than 1, `padding_type` is invalid, or the observation space does not support
            `lazy` or `compress`.
        DependencyNotInstalled: if `compress` is "lz4", but lz4 is not installed.

    >>> import gymkernel as gym
    >>> env = FrameStackObservation(gym.make("CartPole-v1"), 3)  # doctest: +SKIP
    >>> env.reset(seed=7)[0].shape  # doctest: +SKIP
    (3, 4)
    >>> lazy = FrameStackObservation(gym.make("CartPole-v1"), 3, lazy=True)  # doctest: +SKIP
    >>> lazy.reset(seed=7)[0]  # doctest: +SKIP
    LazyFrames(shape=(3, 4), dtype=float32)
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        stack_size: int,
        *,
        padding_type: Any = "reset",
        lazy: bool = False,
        compress: Literal["lz4"] | None = None,
    ) -> None:
        ObservationWrapper.__init__(self, env)
        size, space = _size(stack_size), env.observation_space
        plain = padding_type.tolist() if isinstance(padding_type, np.ndarray) else padding_type
        RecordConstructorArgs.__init__(self, stack_size=size, padding_type=plain, lazy=lazy, compress=compress)
        self.stack_size, self.lazy, self.compress = size, lazy, compress
        self.padding_type, self.padding_value = _padding(padding_type, space)
        self.observation_space = ops.batch_space(space, size)
        self._history: Any = _history(space, size, self.padding_value, lazy=lazy, compress=compress)

    def on_reset(self, where: Where = ...) -> None:
        """Discard the observations of the previous episode."""
        self._history.clear()

    def observation(self, observation: ObsType) -> WrapperObsType:
        """Add an observation, and return the stack of the latest observations."""
        return self._history.push(observation)  # type: ignore[no-any-return]

    obs_queue = property(
        lambda self: deque(self._history.last(), self.stack_size),
        doc="The observations in the current stack, oldest first.",
    )


class FrameStack(FrameStackObservation[Any, ActType, ObsType]):
    """A wrapper that returns the last `num_stack` observations as `LazyFrames`, oldest first.

    This class keeps the name and signature that Gymnasium used in 2022. `FrameStackObservation(env, num_stack,
    lazy=True)` does the same and has more options. At the beginning of an episode, the stack contains the first frame
    `num_stack` times. `numpy.asarray`, indexing and slicing convert the frames to an array.

    Args:
        env: the wrapped environment; its observations are arrays.
        num_stack: the number of observations in a stack, at least 1.
        lz4_compress: True to compress the frames losslessly, which requires the lz4 package.

    >>> import gymkernel as gym
    >>> env = FrameStack(gym.make("CartPole-v1"), 3)  # doctest: +SKIP
    >>> env.reset(seed=7)[0]  # doctest: +SKIP
    LazyFrames(shape=(3, 4), dtype=float32)
    """

    def __init__(self, env: EnvLike[ObsType, ActType], num_stack: int, lz4_compress: bool = False) -> None:
        size = _size(num_stack)
        RecordConstructorArgs.__init__(self, num_stack=size, lz4_compress=lz4_compress)
        super().__init__(env, size, lazy=True, compress="lz4" if lz4_compress else None)
        self.num_stack, self.lz4_compress = size, lz4_compress


def _history(space: Any, size: int, padding: Any, *, lazy: bool, compress: str | None) -> Frames | Ring:
    """Return an object that stores and stacks the latest observations."""
    batch = ops.create_empty_array(space, size)
    arrays = isinstance(batch, np.ndarray) and batch.shape[:1] == (size,) and not batch.dtype.hasobject
    if not arrays and (lazy or compress):
        raise ValueError(f"FrameStackObservation expects arrays as observations of lazy frames, got {space}")
    if compress and not lazy:
        raise ValueError(
            f"FrameStackObservation compresses only lazy frames; pass lazy=True with compress={compress!r}"
        )
    if arrays and not lazy:
        return Ring(batch, padding)
    keep, stack = copy.deepcopy, partial(_concatenate, space, not _holds_copies(batch))
    if lazy:
        keep = partial(_pack, compressor(compress), batch.dtype)
        stack = partial(LazyFrames.of_kept, batch.shape[1:], batch.dtype, compress)
    first = create_zero_array(space) if padding is None else padding
    return Frames([keep(first)] * size, padding, keep, stack)


def _pack(pack: Callable[[NDArray[Any]], Any], dtype: np.dtype[Any], observation: Any) -> Any:
    return pack(np.array(observation, dtype))


def _concatenate(space: Any, shared: bool, frames: Sequence[Any]) -> Any:
    stacked = ops.concatenate(space, frames, ops.create_empty_array(space, len(frames)))
    return copy.deepcopy(stacked) if shared else stacked


def _holds_copies(batch: Any) -> bool:
    """Return whether the batch consists of arrays, so that its elements are copies."""
    if isinstance(batch, dict | tuple):
        return all(map(_holds_copies, batch.values() if isinstance(batch, dict) else batch))
    return isinstance(batch, np.ndarray) and not batch.dtype.hasobject


def _size(stack_size: Any) -> int:
    if isinstance(stack_size, bool) or not hasattr(stack_size, "__index__"):
        raise TypeError(f"FrameStackObservation expects stack_size to be an integer, got {stack_size!r}")
    if stack_size < 1:
        raise ValueError(f"FrameStackObservation expects a stack_size of at least 1, got {stack_size}")
    return int(stack_size)


def _padding(padding: Any, space: Any) -> tuple[str, Any]:
    """Return the kind of padding, and the padding observation if it does not depend on the episode."""
    if isinstance(padding, str) and padding == "reset":
        return "reset", None
    if isinstance(padding, str) and padding == "zero":
        return "zero", create_zero_array(space)
    value = np.array(padding, space.dtype) if isinstance(padding, list) and space.shape is not None else padding
    if value not in space:
        raise ValueError(
            f"FrameStackObservation expects padding_type to be 'reset', 'zero' or an observation of {space}, got "
            f"{padding!r}"
        )
    return "_custom", value
