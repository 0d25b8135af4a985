"""`RayVectorEnv`: step several environments at once, in actors of a Ray cluster."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_vector.arguments import check_flags, env_functions, to_autoreset_mode
from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
from gymkernel_util_vector.ray_cluster.options import check_options
from gymkernel_util_vector.shards.arguments import check_seconds, check_worker_arguments
from gymkernel_util_vector.shards.batches import BatchState, CommonSpaces
from gymkernel_util_vector.shards.messages import ShardSettings
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv
from gymkernel_util_vector.spaces import check_observation_mode
from gymkernel_vector_ray._pool import ActorPool
from gymkernel_vector_ray._resources import PLACEMENTS, actor_options, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gymkernel.env import Env
    from gymkernel.space import Space
    from gymkernel_vector_ray._shard_actor import Place

__all__ = ["RayVectorEnv"]

START_TIMEOUT = 60.0
"""Seconds for actors to start where the caller sets none, and ten times that where packages are installed for them."""


class RayVectorEnv(ShardedVectorEnv[ObsType, ActType, ArrayType]):
    """Several environments on the machines of a Ray cluster: for those whose step takes a millisecond and more.

    Every actor steps several environments. What an environment raises, an actor or a node that is lost, and one that
    does not answer in time are errors that name the environments and the node; `close` works after each of them, and
    leaves nothing in the cluster.

    Args:
        env_fns: functions that make one environment each, in an actor; lambdas and local functions are fine.
        copy: whether observations are arrays of their own; False hands out the arrays of the batch, see `ring`.
        observation_mode: "same" where all observation spaces are equal, "different" where they differ in their bounds
            alone, or a tuple (batched space, single space).
        autoreset_mode: when an environment that is done begins its next episode.
        max_concurrency: at most so many environments step at a time: no more actors than that.
        num_workers: number of actors; None for as many as the cluster has room for while it is idle.
        ring: number of buffers for observations; with `copy=False` a batch stays as it is for that many steps.
        on_error: "raise", or "restart" to make an environment that failed, or whose actor or node was lost, anew: its
            episode ends truncated, with `infos["env_restarted"]`.
        max_restarts: how often that may happen to one environment; None for no limit.
        timeout: seconds for each call that waits, where the call itself sets none; None for no limit.
        check_observations: whether shapes and dtypes are checked before observations are written.
        address: of the cluster; None for the one that runs, or else a new one on this machine, which ends with the last
            vector environment or rollout that uses it; "auto" for one that must run; "local" for a new one.
        resources: that each actor asks for, one CPU where it does not say: `{"CPU": 2, "GPU": 0.5, "licence": 1}`.
        runtime_env: for the actors, as Ray takes it: `{"uv": ["minigrid==3.1.0"]}` gives them packages of their own.
        placement: "spread" over the nodes, "pack" onto few, or a scheduling strategy of Ray.
        start_timeout: seconds for actors to be placed and started, also for those that are started again. None for
            `timeout`, or if there is none, for 60, and 600 with a `runtime_env`.

    Raises:
        RuntimeError: spaces of the environments do not go together.
        TypeError, ValueError: an argument that cannot be meant.
        ConnectionError: there is no such cluster.
        WorkerTimeoutError: there is no room for the actors.
        WorkerError: an actor ended, or environments failed in another way than by an exception of their function, which
            is raised as it is.

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
        options = actor_options(resources, runtime_env, placement)
        if start_timeout is None:
            start_timeout = self.timeout or START_TIMEOUT * (1 if runtime_env is None else 10)
        self._restart = on_error == "restart"
        settings = ShardSettings(
            self.autoreset_mode.value, self._restart, max_restarts, check_observations, oversubscribed=False
        )
        cluster = ClusterConnection(address)
        try:
            self.num_workers = worker_count(num_workers, max_concurrency, self.num_envs, options)
            self._pool = ActorPool(
                self.env_fns,
                settings,
                self.num_workers,
                cluster=cluster,
                options=options,
                start_timeout=start_timeout,
                deadline=self._deadline(None),
            )
        except BaseException:
            cluster.close()
            raise
        try:
            spaces = CommonSpaces.of(self._pool.spaces, observation_mode)
            arrays, observations = self._pool.attach(
                spaces.plan, spaces.action_plan, max(ring, 2) if self._restart else ring
            )
            self._batches = BatchState(spaces, arrays, observations, self.autoreset_mode)
            self._take_spaces(spaces, self._pool.metadata, self._pool.render_mode)
            self._finalizer = weakref.finalize(self, self._pool.stop, timeout=0.5, terminate=True)
            self.closed = False
        except BaseException:
            self.closed = True
            self._pool.stop(timeout=None, terminate=True)
            raise

    @property
    def places(self) -> list[Place]:
        """Where each actor runs: `node_id`, `address` and `pid`."""
        return [worker.place for worker in self._pool.workers if worker.place is not None]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """End the actors: ask them to close their environments, then kill them.

        Args:
            timeout: seconds for environments to close; None for 10, and 1 for an actor busy with something else.
            terminate: do not ask.
        """
        try:
            super().close_extras(timeout, terminate)
        finally:
            if self.closed:
                self._finalizer.detach()

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()
