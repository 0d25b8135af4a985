"""The `RayVectorEnv` class, which steps environments in parallel in the actors of a Ray cluster."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_vector.arguments import check_flags, env_functions, to_autoreset_mode
from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
from gymkernel_util_vector.ray_cluster.options import actor_options, check_options
from gymkernel_util_vector.shards.arguments import check_seconds, check_worker_arguments
from gymkernel_util_vector.shards.messages import ShardSettings
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv
from gymkernel_util_vector.spaces import check_observation_mode
from gymkernel_vector_ray._pool import ActorPool
from gymkernel_vector_ray._resources import PLACEMENTS, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gymkernel.env import Env
    from gymkernel.space import Space
    from gymkernel_vector_ray._shard_actor import Place

__all__ = ["RayVectorEnv"]

START_TIMEOUT = 60.0
"""The default `start_timeout` in seconds. With a `runtime_env`, which may install packages, the default is ten times
as long."""


class RayVectorEnv(ShardedVectorEnv[ObsType, ActType, ArrayType]):
    """A vector environment that steps its environments in parallel, in the actors of a Ray cluster.

    Use this backend if a step takes a millisecond or more. Each actor steps several environments. If an environment
    raises an exception, an actor or node is lost, or an actor does not respond in time, the error names the affected
    environments and the node. `close` still works after such an error and leaves nothing behind in the cluster.

    Args:
        env_fns: functions that each create an environment in an actor. Lambdas and local functions are allowed.
        copy: whether to copy observations before returning them. If not, the internal arrays are returned; see `ring`.
        observation_mode: "same" if all observation spaces are equal, "different" if only their bounds differ, or a
            tuple (batched space, single space).
        autoreset_mode: when to reset an environment whose episode has ended.
        max_concurrency: the maximum number of environments that are stepped at the same time. There are never more
            actors than this.
        num_workers: the number of actors; None for as many actors as the cluster can hold when idle.
        ring: the number of observation buffers. With `copy=False`, a batch stays unchanged for this many steps.
        on_error: "raise", or "restart" to recreate an environment if it fails or if its actor or node is lost. The
            environment's episode is then truncated, and `infos["env_restarted"]` is set.
        max_restarts: how many times each environment may be restarted; None for no limit.
        timeout: the default timeout of each call in seconds; None for no limit.
        check_observations: whether to check the shapes and dtypes of observations before writing them.
        address: the address of the cluster. "auto" uses the running cluster, "local" starts a new cluster on this
            machine, and None uses the running cluster or, if no cluster is running, starts a new one. A new cluster is
            shut down when the last vector environment or rollout that uses it is closed.
        resources: the resources that each actor requests, such as `{"CPU": 2, "GPU": 0.5, "licence": 1}`. None
            requests one CPU.
        runtime_env: the actors' Ray runtime environment. For example, `{"uv": ["minigrid==3.1.0"]}` installs a package.
        placement: "spread" to distribute the actors over the nodes, "pack" to use few nodes, or a Ray scheduling
            strategy.
        start_timeout: how many seconds Ray may take to place and start the actors, including restarted ones. None
            means the value of `timeout`. If `timeout` is also None, the limit is 60, or 600 with a `runtime_env`.

    Raises:
        RuntimeError: if the environments' spaces do not match.
        TypeError, ValueError: if an argument is invalid.
        ConnectionError: if no cluster was found at the address.
        WorkerTimeoutError: if the cluster has no room for the actors.
        WorkerError: if an actor died or an environment failed. However, an exception raised by a function in `env_fns`
            is propagated unchanged.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 4, "ray", {"num_workers": 2})  # doctest: +SKIP
    >>> observations, infos = envs.reset(seed=7)  # doctest: +SKIP
    >>> observations, rewards, terminations, truncations, infos = envs.step([0, 1, 0, 1])  # doctest: +SKIP
    >>> envs.close()  # doctest: +SKIP
    """

    _pool: ActorPool

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Env[Any, Any]]],
        *,
        copy: bool = True,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_concurrency: int | None = None,
        num_workers: int | None = None,
        ring: int = 1,
        on_error: str = "raise",
        max_restarts: int | None = 100,
        timeout: float | None = None,
        check_observations: bool = True,
        address: str | None = None,
        resources: Mapping[str, float] | None = None,
        runtime_env: Mapping[str, Any] | None = None,
        placement: Any = "spread",
        start_timeout: float | None = None,
    ) -> None:
        self.closed = True
        self.env_fns = env_functions(env_fns, "RayVectorEnv")
        self.num_envs, self.copy, self.timeout = len(self.env_fns), copy, timeout
        self.observation_mode, self.autoreset_mode = observation_mode, to_autoreset_mode(autoreset_mode)
        check_worker_arguments(num_workers, max_concurrency, ring, on_error, max_restarts)
        check_seconds("start_timeout", start_timeout)
        check_flags(copy=copy, check_observations=check_observations)
        check_options(
            address=address, resources=resources, runtime_env=runtime_env, placement=placement, placements=PLACEMENTS
        )
        check_observation_mode(observation_mode)
        strategy = PLACEMENTS[placement] if isinstance(placement, str) else placement
        options = actor_options(resources, runtime_env, strategy)
        if start_timeout is None:
            start_timeout = self.timeout or START_TIMEOUT * (1 if runtime_env is None else 10)
        self._restart = on_error == "restart"
        settings = ShardSettings(
            self.autoreset_mode.value, self._restart, max_restarts, check_observations, oversubscribed=False
        )
        cluster = ClusterConnection(address)
        try:
            self.num_workers = worker_count(num_workers, max_concurrency, self.num_envs, options)
        except BaseException:
            cluster.close()
            raise
        self._pool = ActorPool(
            self.env_fns, settings, self.num_workers, cluster=cluster, options=options, start_timeout=start_timeout
        )
        try:
            self._pool.start(self._deadline(None))
            self._attach_pool(ring)
            self._finalizer = weakref.finalize(self, self._pool.stop, timeout=0.5, terminate=True)
            self.closed = False
        except BaseException:
            self.closed = True
            self._pool.stop(timeout=None, terminate=True)
            raise

    def _assert_idle(self, caller: str, *, single: bool = False) -> None:
        super()._assert_idle(caller, single=single)
        self._pool.assert_connected()

    @property
    def places(self) -> list[Place]:
        """The place where each actor runs, as a record with the attributes `node_id`, `address` and `pid`."""
        return [worker.place for worker in self._pool.workers if worker.place is not None]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """Ask the actors to close their environments, then kill the actors.

        Args:
            timeout: how many seconds the environments may take to close. None allows 10 seconds, or 1 second if the
                actor is still busy with another request.
            terminate: whether to kill the actors without closing their environments.
        """
        try:
            super().close_extras(timeout, terminate)
        finally:
            if self.closed:
                self._finalizer.detach()

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()
