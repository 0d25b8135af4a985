"""The `FrameStackObservation` wrapper, which stacks the latest observations."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel import ops
from gymkernel.ops import create_zero_array
from gymkernel.protocols import ActType, EnvLike, ObsType, Where, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.checks import require_integer
from gymkernel_wrapper_frame_stack_observation.history import Frames, Ring
from gymkernel_wrapper_frame_stack_observation.lazy import LazyFrames, compressor

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["FrameStack", "FrameStackObservation", "LazyFrames"]


class FrameStackObservation(ObservationWrapper[WrapperObsType, ActType, ObsType], RecordConstructorArgs):
    """A wrapper that returns the last `stack_size` observations, oldest first.

    For example, the DQN of Mnih et al. (2015) stacks four frames. A stack is an element of
    `batch_space(observation_space, stack_size)`. If observations are arrays, a stack is an array with an additional
    leading axis. Unless `lazy` is set, stacks do not share memory.

    Args:
        stack_size: the number of observations in a stack, at least 1.
        padding_type: how to fill the stack at the beginning of an episode. "reset" repeats the first observation of the
            episode, "zero" uses zeros, and any other value must be an observation, which is repeated.
        lazy: whether to return `LazyFrames`, which are stacked only when they are used as an array. Consecutive
            `LazyFrames` share their frames, so a replay buffer stores each frame only once.
        compress: "lz4" to compress the frames of `LazyFrames`, which requires the package lz4, or None.

    Raises:
        TypeError: if `stack_size` is not an integer.
        ValueError: if `stack_size` is less than 1, `padding_type` is invalid, or the observation space does not support
            `lazy` or `compress`.
        DependencyNotInstalled: if `compress` is "lz4" but lz4 is not installed.

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
        size = require_integer(stack_size, "FrameStackObservation expects stack_size", 1)
        space = env.observation_space
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
        """Add an observation to the stack, and return the stack."""
        return self._history.push(observation)  # type: ignore[no-any-return]

    obs_queue = property(
        lambda self: deque(self._history.last(), self.stack_size),
        doc="The observations in the current stack, oldest first.",
    )


class FrameStack(FrameStackObservation[Any, ActType, ObsType]):
    """A wrapper that returns the last `num_stack` observations as `LazyFrames`, oldest first.

    This class has the name and signature that Gymnasium used in 2022. It works like `FrameStackObservation(env,
    num_stack, lazy=True)`. At the beginning of an episode, the first frame is repeated `num_stack` times. To convert
    the frames to an array, use `numpy.asarray`, indexing or slicing.

    Args:
        env: the wrapped environment, whose observations must be arrays.
        num_stack: the number of observations in a stack, at least 1.
        lz4_compress: whether to compress the frames losslessly, which requires the package lz4.

    >>> import gymkernel as gym
    >>> env = FrameStack(gym.make("CartPole-v1"), 3)  # doctest: +SKIP
    >>> env.reset(seed=7)[0]  # doctest: +SKIP
    LazyFrames(shape=(3, 4), dtype=float32)
    """

    def __init__(self, env: EnvLike[ObsType, ActType], num_stack: int, lz4_compress: bool = False) -> None:
        size = require_integer(num_stack, "FrameStackObservation expects stack_size", 1)
        RecordConstructorArgs.__init__(self, num_stack=size, lz4_compress=lz4_compress)
        super().__init__(env, size, lazy=True, compress="lz4" if lz4_compress else None)
        self.num_stack, self.lz4_compress = size, lz4_compress


def _history(space: Any, size: int, padding: Any, *, lazy: bool, compress: str | None) -> Frames | Ring:
    """Create the buffer that stores and stacks the latest observations."""
    batch = ops.create_empty_array(space, size)
    arrays = isinstance(batch, np.ndarray) and batch.shape[:1] == (size,) and not batch.dtype.hasobject
    if not arrays and (lazy or compress):
        raise ValueError(f"FrameStackObservation expects observations to be arrays if lazy=True, got {space}")
    if compress and not lazy:
        raise ValueError(f"FrameStackObservation requires lazy=True if compress={compress!r}")
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
    """Return whether batches of the space consist of arrays, so that stacking copies the observations."""
    if isinstance(batch, dict | tuple):
        return all(map(_holds_copies, batch.values() if isinstance(batch, dict) else batch))
    return isinstance(batch, np.ndarray) and not batch.dtype.hasobject


def _padding(padding: Any, space: Any) -> tuple[str, Any]:
    """Return the padding type, and the observation that fills the stack, which is None for the type "reset"."""
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
