"""`AsyncVectorEnv`: step several environments at once, in a few processes that write into memory they share."""

from __future__ import annotations

import time
from multiprocessing import util
from typing import TYPE_CHECKING, Any, Literal

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_vector.arguments import OnePerProcessError, check_flags, env_functions, to_autoreset_mode
from gymkernel_util_vector.shards.arguments import check_worker_arguments
from gymkernel_util_vector.shards.batches import BatchState, CommonSpaces
from gymkernel_util_vector.shards.messages import ShardSettings
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv
from gymkernel_util_vector.spaces import check_observation_mode
from gymkernel_vector_async._channel import MEASURED_STEPS
from gymkernel_vector_async._pool import WorkerPool
from gymkernel_vector_async._worker_count import cores, recommend_workers, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel.env import Env
    from gymkernel.space import Space

__all__ = ["AsyncVectorEnv"]


class AsyncVectorEnv(ShardedVectorEnv[ObsType, ActType, ArrayType]):
    """Several environments, stepped at once by a few processes: for those that take ten microseconds and more.

    Every worker steps several environments and writes what they return straight into one block of shared memory. What
    an environment raises, a process that ends, and one that does not answer in time are errors that name the
    environments; `close` works after each of them.

    Args:
        env_fns: functions that make one environment each, in a worker; lambdas and local functions are fine.
        shared_memory: whether observations go through shared memory; parts of them without a layout (of `Graph`, ...)
            go by message in any case.
        copy: whether observations are arrays of their own; False hands out the shared arrays, see `ring`.
        context: start method ("fork", "spawn", "forkserver") or `multiprocessing` context. None takes the program's, or
            forks where no other threads run, and uses a fork server elsewhere.
        daemon: False lets environments start processes themselves.
        worker: not supported; see the README.
        observation_mode: "same" where all observation spaces are equal, "different" where they differ in their bounds
            alone, or a tuple (batched space, single space).
        autoreset_mode: when an environment that is done begins its next episode.
        max_concurrency: at most so many environments step at a time: no more workers than that, whatever `num_workers`.
        num_workers: number of processes; None for one per core, or one per environment if the environments have
            `metadata["one_per_process"]`. More pay where environments wait for something: "auto" steps the first
            environment on trial, in a process that is ended afterwards, and chooses by what it did.
        parent_steps: whether this process steps some of the environments, too, which pays where cores are few; a
            crash of one of these is a crash of the program.
        ring: number of buffers for observations; with `copy=False` a batch stays as it is for that many steps.
        on_error: "raise", or "restart" to make an environment that failed, or whose process ended, anew: its episode
            ends truncated, with `infos["env_restarted"]`.
        max_restarts: how often that may happen to one environment; None for no limit.
        timeout: seconds for each call that waits, where the call itself sets none; None for no limit.
        check_observations: whether shapes and dtypes are checked before observations are written.

    Raises:
        RuntimeError: spaces of the environments do not go together.
        TypeError, ValueError: an argument that cannot be meant; no process was started.
        WorkerError: a process ended, or environments failed in another way than by an exception of their function,
            which is raised as it is.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 4, "async", {"num_workers": 2})  # doctest: +SKIP
    >>> observations, infos = envs.reset(seed=7)  # doctest: +SKIP
    >>> observations, rewards, terminations, truncations, infos = envs.step([0, 1, 0, 1])  # doctest: +SKIP
    >>> envs.close()  # doctest: +SKIP
    """

    _pool: WorkerPool

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Env[Any, Any]]],
        shared_memory: bool = True,
        copy: bool = True,
        context: Any = None,
        daemon: bool = True,
        worker: Callable[..., None] | None = None,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_concurrency: int | None = None,
        *,
        num_workers: int | Literal["auto"] | None = None,
        parent_steps: bool = False,
        ring: int = 1,
        on_error: str = "raise",
        max_restarts: int | None = 100,
        timeout: float | None = None,
        check_observations: bool = True,
    ) -> None:
        self.closed = True
        self.env_fns = env_functions(env_fns, "AsyncVectorEnv")
        self.num_envs = len(self.env_fns)
        self.shared_memory, self.copy, self.timeout = shared_memory, copy, timeout
        self.observation_mode, self.autoreset_mode = observation_mode, to_autoreset_mode(autoreset_mode)
        if worker is not None:
            raise ValueError(
                f"worker= is not supported, got {worker!r:.200}: a worker here steps several environments and shares "
                "memory with its parent. Wrap environments in env_fns, or derive a backend of your own from VectorEnv"
            )
        check_worker_arguments(num_workers, max_concurrency, ring, on_error, max_restarts, auto=True)
        check_flags(shared_memory=shared_memory, copy=copy, daemon=daemon)
        check_flags(parent_steps=parent_steps, check_observations=check_observations)
        check_observation_mode(observation_mode)
        is_free = num_workers in (None, "auto") and max_concurrency is None
        if num_workers == "auto":
            num_workers = self._measure_workers(context, daemon=daemon)
        self.num_workers = worker_count(num_workers, max_concurrency, self.num_envs, parent_steps=parent_steps)
        self._restart = on_error == "restart"
        arguments = max_restarts, check_observations, parent_steps, context, daemon
        self._prepare_workers(*arguments)
        try:
            try:
                self._pool.start(self._deadline(None))
            except OnePerProcessError:
                if not is_free:
                    raise
                self._pool.stop(timeout=None, terminate=True)
                self._finalizer.cancel()
                self.num_workers = self.num_envs - parent_steps
                self._prepare_workers(*arguments)
                self._pool.start(self._deadline(None))
            spaces = CommonSpaces.of(self._pool.spaces, observation_mode)
            buffers = max(ring, 2) if self._restart else ring
            plans = spaces.plan, spaces.action_plan
            arrays, observations = self._pool.share_memory(*plans, buffers, shared=shared_memory)
            self._batches = BatchState(spaces, arrays, observations, self.autoreset_mode)
            self._take_spaces(spaces, self._pool.metadata, self._pool.render_mode)
            if num_workers is max_concurrency is None:
                self._pool.steps_to_advice = MEASURED_STEPS + 2
            self.closed = False
        except BaseException:
            self.closed = True
            self._pool.stop(timeout=None, terminate=True)
            raise

    def _prepare_workers(
        self, max_restarts: int | None, check_observations: bool, parent_steps: bool, context: Any, daemon: bool
    ) -> None:
        """Prepare `num_workers` processes, which are ended when this object or the program ends."""
        settings = ShardSettings(
            self.autoreset_mode.value, self._restart, max_restarts, check_observations, self.num_workers > cores()
        )
        self._pool = WorkerPool(
            self.env_fns, settings, self.num_workers, local_shard=parent_steps, context=context, daemon=daemon
        )
        self._finalizer = util.Finalize(
            self, self._pool.stop, kwargs={"timeout": 0.5, "terminate": True}, exitpriority=10
        )

    def _measure_workers(self, context: Any, *, daemon: bool) -> int | None:
        """How many workers suit the first environment, by a few steps of it; None for one each core."""
        if self.num_envs == 1:
            return None
        trial: AsyncVectorEnv[Any, Any, Any] = AsyncVectorEnv(
            self.env_fns[:1], context=context, daemon=daemon, num_workers=1, timeout=self.timeout
        )
        with trial:
            trial.action_space.seed(0)
            trial.reset(seed=0)
            end = time.monotonic() + 1
            for _ in range(MEASURED_STEPS):
                trial.step(trial.action_space.sample())
                if time.monotonic() > end:
                    break
            return recommend_workers(trial._pool.measurements(), self.num_envs)[1] or None

    @property
    def processes(self) -> list[Any]:
        """The processes of the workers."""
        return self._pool.processes

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """End the workers: ask them to close their environments, then SIGTERM, then SIGKILL.

        Args:
            timeout: seconds for environments to close; None for 10, and 1 for a worker busy with something else.
            terminate: do not ask.
        """
        try:
            super().close_extras(timeout, terminate)
        except BaseException as exc:
            if not isinstance(exc, Exception):  # Ctrl-C, perhaps before the pool began to stop
                self._pool.stop(timeout=None, terminate=True)
                self.closed, self._batches = True, None  # type: ignore[assignment]
            raise
        finally:
            if self._pool.closed:
                self._finalizer.cancel()

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()
