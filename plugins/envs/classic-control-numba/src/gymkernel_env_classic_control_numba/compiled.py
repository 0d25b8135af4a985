"""What the compiled forms share: constants for kernels, and kernels on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np
from numba import njit

from gymkernel.error import InvalidAction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel_env_classic_control.vector_base import Advanced, ClassicVectorEnv, Where
else:
    ClassicVectorEnv = object

Function = TypeVar("Function", bound="Callable[..., Any]")

__all__ = ["Compiled", "finish", "kernel"]

INT64 = np.dtype(np.int64)
NOBODY = np.empty((4, 0))
"""The starts of no episodes."""
SHARE = 16_384
"""A thread is worth its start from so many environments on."""


def kernel(function: Function, **globals_: Any) -> Function:
    """Compile a function at its first call, and keep the machine code for later processes.

    `fastmath` is off: the operations are those of the NumPy form in the same order, so that results are equal bit for
    bit. Numba compiles a function again when the file of this function changes, but not when the file of a function
    that it calls changes: after a change of this module or of the equations in `gymkernel_env_classic_control`, delete
    the `.nbi` and `.nbc` files in `__pycache__`.

    Args:
        function: plain arithmetic, here or in `gymkernel_env_classic_control`.
        **globals_: compiled functions to call in place of the functions with these names.
    """
    if globals_:
        function = cast("Any", FunctionType(function.__code__, {**function.__globals__, **globals_}, function.__name__))
    return cast("Function", njit(cache=True, nogil=True, error_model="numpy")(function))


@cache
def _threads(process: int, n: int) -> ThreadPoolExecutor:
    """Threads of this process; a forked one has none of its parent's, and makes its own."""
    return ThreadPoolExecutor(n, thread_name_prefix="gymkernel-numba")


@kernel
def finish(start: int, stop: int, most: float, episodes: Any, results: Any) -> None:
    """The part of a kernel that counts steps, and begins episodes over the results of steps taken for nothing."""
    steps, begun, starts = episodes
    moved, _, rewards, terminated, truncated = results
    for i in range(start, stop):
        steps[i] += 1
        truncated[i] = steps[i] >= most
    for j in range(begun.size):
        i = begun[j]
        if start <= i < stop:
            for k in range(moved.shape[0]):
                moved[k, i] = starts[k, j]
            steps[i], rewards[i], terminated[i], truncated[i] = 0, 0.0, False, False


@kernel
def _all_below(chosen: NDArray[np.int64], n: int) -> bool:
    bad = 0
    for i in range(chosen.size):
        bad += (chosen[i] < 0) | (chosen[i] >= n)
    return bad == 0


class Compiled(ClassicVectorEnv):
    """A first base for vectorised forms, before the form without numba; `advance` runs a kernel by `stepped`.

    The first step of all takes seconds, in which numba compiles; the machine code is kept for later processes.

    Attributes:
        num_threads: how many threads a step may take, from 16,384 environments for each.
        reward_type: of the rewards.

    Args:
        num_envs: number of environments.
        num_threads: threads of a step, from 16,384 environments each; None for the number of processors.
        **options: those of the environment without numba.
    """

    num_threads: int
    reward_type: ClassVar[type[np.floating[Any]]] = np.float64
    _numbers: tuple[Any, ...] = ()
    _packed: NDArray[np.float64]

    def __init__(self, num_envs: int = 1, *, num_threads: int | None = None, **options: Any) -> None:
        if num_threads is None:
            num_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if isinstance(num_threads, bool) or not hasattr(num_threads, "__index__") or num_threads < 1:
            raise ValueError(f"Expected num_threads to be an integer of at least 1, or None, got {num_threads!r}")
        self.num_threads = int(num_threads)
        super().__init__(num_envs, **options)  # type: ignore[call-arg] # that of the form without numba

    def packed(self, *numbers: Any) -> NDArray[np.float64]:
        """Constants as an array for a kernel; the same array while they are the same."""
        try:
            if numbers != self._numbers:
                self._packed = np.array(numbers, np.float64)
                self._numbers = numbers
        except (TypeError, ValueError) as exc:
            raise TypeError(
                f"Expected the constants of {type(self).__name__} to be one number each, got {numbers}; "
                "different ones for each environment are possible without numba/ in the id"
            ) from exc
        return self._packed

    def chosen(self, actions: ArrayLike, n: int) -> NDArray[np.int64]:
        """The actions of as many spaces `Discrete(n)` as there are environments.

        Raises:
            InvalidAction: they are not that many integers from 0 to n - 1.
        """
        given = np.asarray(actions)
        if given.shape == (self.num_envs,) and given.dtype.kind in "iub":
            indices = given if given.dtype is INT64 else given.astype(np.int64)
            if _all_below(indices, n):
                return indices
        listed = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
        raise InvalidAction(f"Expected {self.num_envs} actions that are {listed}, got {actions!r}")

    def stepped(
        self, function: Callable[..., None], state: NDArray[np.float64], acts: Any, begun: Where, constants: Any
    ) -> Advanced:
        """What `advance` returns, by a kernel that is called as function(start, stop, state, acts, constants, ...).

        After these come what `finish` counts and begins episodes with, and the arrays for the results, each as a tuple.
        """
        n = self.num_envs
        moved, observations = np.empty(state.shape), np.empty(self.observation_space.shape or (), np.float32)
        rewards, terminated, truncated = np.empty(n, self.reward_type), np.empty(n, np.bool_), np.empty(n, np.bool_)
        results = moved, observations, rewards, terminated, truncated
        starts = self.drawn(begun) if begun.size else NOBODY
        self.run(function, state, acts, constants, (self.steps, begun, starts), results)
        return results

    def run(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a kernel as function(start, stop, *arguments), once for all environments or once for each thread."""
        n = self.num_envs
        threads = min(self.num_threads, n // SHARE)
        if threads < 2:
            function(0, n, *arguments)
            return
        edges = [n * i // threads for i in range(threads + 1)]
        pool = _threads(os.getpid(), self.num_threads)
        others = [pool.submit(function, *part, *arguments) for part in pairwise(edges[1:])]
        function(0, edges[1], *arguments)
        for other in others:
            other.result()
