"""The common code of the compiled versions: constants for kernels, and kernels on several threads."""

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
"""The initial states if no episode begins."""
SHARE = 16_384
"""The number of environments from which another thread is worthwhile."""


def kernel(function: Function, **globals_: Any) -> Function:
    """Compile a function at its first call, and cache the machine code for later processes.

    `fastmath` is off. The operations and their order are those of the NumPy version, so that the results are identical.
    Numba compiles a function again if the file of this function changes, but not if the file of a called function
    changes. After a change of this module or of the equations in `gymkernel_env_classic_control`, delete the `.nbi` and
    `.nbc` files in `__pycache__`.

    Args:
        function: a function of plain arithmetic, in this plugin or in `gymkernel_env_classic_control`.
        **globals_: compiled functions that replace the functions with these names.
    """
    if globals_:
        function = cast("Any", FunctionType(function.__code__, {**function.__globals__, **globals_}, function.__name__))
    return cast("Function", njit(cache=True, nogil=True, error_model="numpy")(function))


@cache
def _threads(process: int, n: int) -> ThreadPoolExecutor:
    """Return the threads of this process; the process id is an argument, because a forked process needs new threads."""
    return ThreadPoolExecutor(n, thread_name_prefix="gymkernel-numba")


@kernel
def finish(start: int, stop: int, most: float, episodes: Any, results: Any) -> None:
    """Count the steps in a kernel, and overwrite the results of environments that begin an episode."""
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
    """A first base class of compiled versions, before the NumPy version. `advance` calls a kernel by `run_step`.

    The very first step takes seconds, because numba compiles the code. The machine code is cached for later processes.

    Attributes:
        num_threads: the largest number of threads of a step; each thread has at least 16,384 environments.
        reward_type: the type of the rewards.

    Args:
        num_envs: the number of environments.
        num_threads: the largest number of threads of a step, each with at least 16,384 environments; None for the
            number of processors.
        **options: the options of the environment without numba.
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
        """Return constants as an array for a kernel; the array is reused while the constants do not change."""
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
        """Return the actions of the spaces `Discrete(n)`, one for each environment, as an array.

        Raises:
            InvalidAction: `actions` is not an array of so many integers from 0 to n - 1.
        """
        array = np.asarray(actions)
        if array.shape == (self.num_envs,) and array.dtype.kind in "iub":
            indices = array if array.dtype is INT64 else array.astype(np.int64)
            if _all_below(indices, n):
                return indices
        listed = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
        raise InvalidAction(f"Expected {self.num_envs} actions that are {listed}, got {actions!r}")

    def run_step(
        self, function: Callable[..., None], state: NDArray[np.float64], acts: Any, starting: Where, constants: Any
    ) -> StepArrays:
        """Return the result of `advance`, computed by a kernel.

        The kernel is called as function(start, stop, state, acts, constants, episodes, results). `episodes` is a tuple
        with the arguments of `finish`, and `results` is a tuple of arrays for the results.
        """
        n = self.num_envs
        moved, observations = np.empty(state.shape), np.empty(self.observation_space.shape or (), np.float32)
        rewards, terminated, truncated = np.empty(n, self.reward_type), np.empty(n, np.bool_), np.empty(n, np.bool_)
        results = moved, observations, rewards, terminated, truncated
        starts = self.draw_states(starting) if starting.size else NOBODY
        self.run(function, state, acts, constants, (self.steps, starting, starts), results)
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
