"""The base class of the compiled environments, which runs compiled functions (kernels) in several threads."""

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

from gymkernel_env_classic_control.actions import choices
from gymkernel_util_vector.cores import cores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel_env_classic_control.vector_base import ClassicVectorEnv, StepArrays, Where
else:
    ClassicVectorEnv = object

Function = TypeVar("Function", bound="Callable[..., Any]")

__all__ = ["Compiled", "finish", "kernel"]

INT64 = np.dtype(np.int64)
NOBODY = np.empty((4, 0))
"""An empty array that is passed instead of initial states in a step in which no episode begins."""
SHARE = 16_384
"""The minimum number of environments per thread. With fewer environments, another thread does not save time."""


def kernel(function: Function, **globals_: Any) -> Function:
    """Return a function that is compiled when it is first called. The machine code is cached for later processes.

    The results are identical to those of the NumPy version, because `fastmath` is off and the same operations are
    performed in the same order. Numba recompiles a function if the function's file changes, but not if the file of a
    called function changes. After changing this module or the equations in `gymkernel_env_classic_control`, delete the
    `.nbi` and `.nbc` files in `__pycache__`.

    Args:
        function: a function from this plugin or from `gymkernel_env_classic_control` that contains only arithmetic.
        **globals_: compiled functions that replace the function's global variables with the same names.
    """
    if globals_:
        function = cast("Any", FunctionType(function.__code__, {**function.__globals__, **globals_}, function.__name__))
    return cast("Function", njit(cache=True, nogil=True, error_model="numpy")(function))


@cache
def _threads(process: int, n: int) -> ThreadPoolExecutor:
    """Return the thread pool for a process id. A forked process needs a new pool."""
    return ThreadPoolExecutor(n, thread_name_prefix="gymkernel-numba")


@kernel
def finish(start: int, stop: int, most: float, episodes: Any, results: Any) -> None:
    """Count a step, and overwrite the results in environments that begin an episode. Kernels call this function."""
    steps, starting, starts = episodes
    moved, _, rewards, terminated, truncated = results
    for i in range(start, stop):
        steps[i] += 1
        truncated[i] = steps[i] >= most
    for j in range(starting.size):
        i = starting[j]
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
    """A base class for compiled environments, which must precede the NumPy version in the list of base classes.

    The method `advance` of a subclass passes a kernel to `run_step`. The very first step takes seconds, because numba
    compiles the code. The machine code is cached for later processes.

    Attributes:
        num_threads: the maximum number of threads in a step.
        reward_type: the NumPy type of the rewards.

    Args:
        num_envs: the number of environments.
        num_threads: the maximum number of threads in a step, or None for the number of processors. Each thread steps at
            least 16,384 environments.
        **options: the arguments of the NumPy version.
    """

    num_threads: int
    reward_type: ClassVar[type[np.floating[Any]]] = np.float64
    _numbers: tuple[Any, ...] = ()
    _packed: NDArray[np.float64]

    def __init__(self, num_envs: int = 1, *, num_threads: int | None = None, **options: Any) -> None:
        if num_threads is None:
            num_threads = cores()
        if isinstance(num_threads, bool) or not hasattr(num_threads, "__index__") or num_threads < 1:
            raise ValueError(f"Expected num_threads to be an integer of at least 1, or None, got {num_threads!r}")
        self.num_threads = int(num_threads)
        super().__init__(num_envs, **options)  # type: ignore[call-arg] # the constructor of the NumPy version

    def pack_constants(self, *numbers: Any) -> NDArray[np.float64]:
        """Return constants as an array for a kernel. The array is reused until the constants change."""
        try:
            if numbers != self._numbers:
                self._packed = np.array(numbers, np.float64)
                self._numbers = numbers
        except (TypeError, ValueError) as exc:
            raise TypeError(
                f"Expected the constants of {type(self).__name__} to be one number each, got {numbers}; "
                "the environment without numba/ in the id accepts different constants for each environment"
            ) from exc
        return self._packed

    def check_choices(self, actions: ArrayLike, n: int) -> NDArray[np.int64]:
        """Check that a batch contains one `Discrete(n)` action per environment, and return the actions as an array.

        Raises:
            InvalidAction: if `actions` is not an array of integers from 0 to n - 1, one for each environment.
        """
        array = np.asarray(actions)
        if array.shape == (self.num_envs,) and array.dtype.kind in "iub":
            indices = array if array.dtype is INT64 else array.astype(np.int64)
            if _all_below(indices, n):
                return indices
        return choices(actions, self.num_envs, n).astype(np.int64)

    def run_step(
        self, function: Callable[..., None], state: NDArray[np.float64], acts: Any, starting: Where, constants: Any
    ) -> StepArrays:
        """Compute the results of `advance` with a kernel.

        The kernel is called with the arguments (start, stop, state, acts, constants, episodes, results). `episodes` is
        a tuple that the kernel passes to `finish`, and `results` is a tuple of arrays in which the kernel stores the
        results.
        """
        n = self.num_envs
        moved, observations = np.empty(state.shape), np.empty(self.observation_space.shape or (), np.float32)
        rewards, terminated, truncated = np.empty(n, self.reward_type), np.empty(n, np.bool_), np.empty(n, np.bool_)
        results = moved, observations, rewards, terminated, truncated
        starts = self.draw_states(starting) if starting.size else NOBODY
        self.run(function, state, acts, constants, (self.steps, starting, starts), results)
        return results

    def run(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a kernel with the arguments (start, stop, *arguments), once in total or once in each thread."""
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
