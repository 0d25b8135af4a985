"""The `AsyncVectorEnv` class, which steps environments in parallel in worker processes that share memory."""

from __future__ import annotations

import time
from multiprocessing import util
from typing import TYPE_CHECKING, Any, Literal

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_vector.arguments import OnePerProcessError, check_flags, env_functions, to_autoreset_mode
from gymkernel_util_vector.cores import cores
from gymkernel_util_vector.shards.arguments import check_worker_arguments
from gymkernel_util_vector.shards.messages import ShardSettings
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv
from gymkernel_util_vector.spaces import check_observation_mode
from gymkernel_vector_async._channel import MEASURED_STEPS
from gymkernel_vector_async._pool import WorkerPool
from gymkernel_vector_async._worker_count import recommend_workers, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel.env import Env
    from gymkernel.space import Space

__all__ = ["AsyncVectorEnv"]


class AsyncVectorEnv(ShardedVectorEnv[ObsType, ActType, ArrayType]):
    """A vector environment that steps its environments in parallel, in a few worker processes.

    Use this backend if a step takes ten microseconds or more. Each worker steps several environments and writes their
    results directly into shared memory. If an environment raises an exception, or a worker dies or does not respond in
    time, the error names the affected environments. `close` still works after such an error.

    Args:
        env_fns: functions that each create an environment in a worker. Lambdas and local functions are allowed.
        shared_memory: whether to transfer observations through shared memory. Parts of an observation that have no
            fixed size, such as a `Graph`, are always sent as messages.
        copy: whether to copy observations before returning them. If not, observations are views of the shared arrays;
            see `ring`.
        context: a start method ("fork", "spawn" or "forkserver") or a `multiprocessing` context. None uses the
            program's start method if it has been set explicitly. Otherwise, None uses "fork" if the program has only
            one thread, and "forkserver" if it has more.
        daemon: whether workers are daemon processes. Daemons cannot start processes, so pass False if environments do.
        worker: not supported. See the README.
        observation_mode: "same" if all observation spaces are equal, "different" if only their bounds differ, or a
            tuple (batched space, single space).
        autoreset_mode: when to reset an environment whose episode has ended.
        max_concurrency: the maximum number of environments that are stepped at the same time. There are never more
            workers than this.
        num_workers: the number of worker processes. None starts one per core, or one per environment if
            `one_per_process` is set in the environments' metadata. "auto" measures a few steps of the first environment
            in a temporary process and chooses a suitable number. If environments spend time waiting, for example for a
            server, more workers than cores are useful.
        parent_steps: whether the program's own process also steps some of the environments, which is faster on a
            machine with few cores. If one of these environments crashes, the program crashes, too.
        ring: the number of observation buffers. With `copy=False`, a batch stays unchanged for this many steps.
        on_error: "raise", or "restart" to recreate an environment if it fails or its worker dies. The environment's
            episode is then truncated, and `infos["env_restarted"]` is set.
        max_restarts: how many times each environment may be restarted; None for no limit.
        timeout: the default timeout of each call in seconds; None for no limit.
        check_observations: whether to check the shapes and dtypes of observations before writing them.

    Raises:
        RuntimeError: if the environments' spaces do not match.
        TypeError, ValueError: if an argument is invalid. In this case, no process is started.
        WorkerError: if a worker died or an environment failed. However, an exception raised by a function in `env_fns`
            is propagated unchanged.

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
                f"worker= is not supported, got {worker!r:.200}, because each worker steps several environments and "
                "shares memory with its parent. Wrap environments in env_fns, or derive your own backend from VectorEnv"
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
            self._attach_pool(ring)
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
        """Create a pool of workers, which is stopped when this object is deleted or the program exits."""
        settings = ShardSettings(
            self.autoreset_mode.value, self._restart, max_restarts, check_observations, self.num_workers > cores()
        )
        self._pool = WorkerPool(
            self.env_fns,
            settings,
            self.num_workers,
            local_shard=parent_steps,
            context=context,
            daemon=daemon,
            shared=self.shared_memory,
        )
        self._finalizer = util.Finalize(
            self, self._pool.stop, kwargs={"timeout": 0.5, "terminate": True}, exitpriority=10
        )

    def _measure_workers(self, context: Any, *, daemon: bool) -> int | None:
        """Measure a few steps of the first environment. Return the best number of workers, or None for one per core."""
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
        """The worker processes."""
        return [worker.process for worker in self._pool.workers]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """Ask the workers to close their environments and exit. Send SIGTERM and then SIGKILL to those that do not.

        Args:
            timeout: how many seconds the environments may take to close. None allows 10 seconds, or 1 second if the
                worker is still busy with another request.
            terminate: whether to end the workers without closing their environments.
        """
        try:
            super().close_extras(timeout, terminate)
        except BaseException as exc:
            if not isinstance(exc, Exception):  # Ctrl-C may have interrupted the previous line
                self._pool.stop(timeout=None, terminate=True)
                self.closed, self._batches = True, None  # type: ignore[assignment]
            raise
        finally:
            if self._pool.closed:
                self._finalizer.cancel()

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()
