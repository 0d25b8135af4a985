"""The `FrameStackObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel.ops import create_empty_array
from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, Where, WrapperObsType
from gymkernel_util_wrappers.env_view import EnvView, batch_axes
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper
from gymkernel_wrapper_frame_stack_observation import FrameStackObservation as Single

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["FrameStack", "FrameStackObservation"]


class FrameStackObservation(VectorizedObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType]):
    """A vector wrapper that returns the last `stack_size` observations of each environment, oldest first.

    The first axis of an array is the index of the environment, and the second axis is the position in the stack.

    The arguments and exceptions are the same as for `gymkernel.wrappers.FrameStackObservation`. If `lazy` is True, an
    observation is a tuple with one `LazyFrames` per environment.

    >>> import gymkernel as gym
    >>> envs = FrameStackObservation(gym.make_vec("CartPole-v1", 2, "sync"), 3)  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 3, 4)
    """

    single = Single

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        stack_size: int,
        *,
        padding_type: Any = "reset",
        lazy: bool = False,
        compress: Literal["lz4"] | None = None,
    ) -> None:
        if lazy:
            self.single = _Lazy  # type: ignore[misc] # set on this object only
        elif isinstance(create_empty_array(env.single_observation_space, 1), np.ndarray):
            self.single = _Batch  # type: ignore[misc]
        super().__init__(env, stack_size, padding_type=padding_type, lazy=lazy, compress=compress)


class FrameStack(FrameStackObservation[Any, ActType, ObsType, ArrayType]):
    """A vector wrapper that returns the last `num_stack` observations of each environment as `LazyFrames`.

    This class has the name and signature that Gymnasium used in 2022. `FrameStackObservation(env, num_stack,
    lazy=True)` has the same effect. An observation is a tuple with one `LazyFrames` per environment.

    The arguments and exceptions are the same as for `gymkernel.wrappers.FrameStack`.

    >>> import gymkernel as gym
    >>> envs = FrameStack(gym.make_vec("CartPole-v1", 2, "sync"), 3)  # doctest: +SKIP
    >>> envs.reset(seed=7)[0][0]  # doctest: +SKIP
    LazyFrames(shape=(3, 4), dtype=float32)
    """

    def __init__(
        self, env: VectorEnvLike[ObsType, ActType, ArrayType], num_stack: int, lz4_compress: bool = False
    ) -> None:
        super().__init__(env, num_stack, lazy=True, compress="lz4" if lz4_compress else None)
        self._saved_kwargs = {"num_stack": int(num_stack), "lz4_compress": lz4_compress}
        self.num_stack, self.lz4_compress = int(num_stack), lz4_compress


class _Batch(Single[Any, Any, Any]):
    """A frame stack for batches that consist of a single array. A list stores the latest batches."""

    batched = True

    def __init__(self, env: Any, stack_size: int, **options: Any) -> None:
        super().__init__(env, stack_size, **options)
        (n,) = batch_axes(env)
        batch = create_empty_array(env.observation_space, n)
        self._frames = [np.zeros_like(batch) for _ in range(self.stack_size)]
        self._new = np.zeros(n, np.bool_)
        """A mask of the environments whose next observation is the first observation of an episode."""

    def on_reset(self, where: Where = ...) -> None:
        self._new[where] = True

    def observation(self, observation: NDArray[Any], where: Where = ...) -> NDArray[Any]:
        before, newest = self._frames, np.array(observation, self._frames[0].dtype)
        self._frames = frames = [*before[1:], newest]
        starting = self._new
        if where is not ...:
            stay, starting = ~where, starting & where
            for frame, older in zip(reversed(frames), reversed(before), strict=True):
                frame[stay] = older[stay]
        if starting.any():
            pad = newest[starting] if self.padding_value is None else self.padding_value
            for frame in frames[:-1]:
                frame[starting] = pad
            self._new = self._new & ~starting
        return np.stack(frames, 1)


class _Lazy(Single[Any, Any, Any]):
    """A frame stack that creates separate `LazyFrames` for each environment."""

    batched = True

    def __init__(self, env: Any, stack_size: int, **options: Any) -> None:
        super().__init__(env, stack_size, **options)
        (n,) = batch_axes(env)
        self._each = [Single[Any, Any, Any](EnvView(env.envs, i), stack_size, **options) for i in range(n)]
        self._seen = [wrapper._history.stack() for wrapper in self._each]  # noqa: SLF001 - another instance of this class
        self._every = np.arange(n)

    def on_reset(self, where: Where = ...) -> None:
        for i in self._every[where].tolist():
            self._each[i].on_reset()

    def observation(self, observation: NDArray[Any], where: Where = ...) -> tuple[Any, ...]:
        for i in self._every[where].tolist():
            self._seen[i] = self._each[i].observation(observation[i])
        return tuple(self._seen)
