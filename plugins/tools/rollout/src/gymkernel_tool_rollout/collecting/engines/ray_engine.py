"""The `ray` engine, which runs each shard in a process of a Ray cluster.

The program sends requests and policies to the shards and receives fragments. A shard on the program's machine writes
fragments into shared memory. A fragment from another machine is sent through Ray's object store, and its arrays are
read-only views of the store.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from gymkernel.error import ClosedEnvironmentError, DependencyNotInstalled
from gymkernel_tool_rollout.collecting.engines import check_known_options
from gymkernel_tool_rollout.collecting.engines.remote_shard import RemoteShard
from gymkernel_tool_rollout.collecting.engines.requests import Requests
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure, ShardLostError
from gymkernel_tool_rollout.collecting.fragment import Outcome
from gymkernel_tool_rollout.collecting.policies import PickledPolicy
from gymkernel_tool_rollout.collecting.slots import SlotPool
from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.processes.spawn_data import SpawnData
from gymkernel_util_vector.ray_cluster.capacity import capacity, warn_of_no_room
from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
from gymkernel_util_vector.ray_cluster.options import actor_options, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["RayEngine"]

OPTIONS: Final = ("address", "resources", "runtime_env", "placement", "shared_memory", "start_timeout")
PLACEMENTS: Final = ("SPREAD", "DEFAULT")
RETRY_SECONDS: Final = 0.5
TRIES: Final = 3
"""How many times to start a process that dies while it creates its environments."""
CLOSE_SECONDS: Final = 10.0
"""How many seconds shards may take to close their environments before they are killed."""
GRACE_SECONDS: Final = 2.0
"""How many seconds shards may take to abandon their fragments. Shards on other machines complete theirs instead."""


class RayEngine:
    """An engine that runs each shard in a process of a Ray cluster.

    Args:
        recipes: one description per shard.
        timeout: ignored, because `wait` has its own timeout.
        **options: the following options.

            * `address`: the address of a cluster, as in `ray.init`. None joins the cluster in `RAY_ADDRESS` or a
              cluster on this machine. If there is no such cluster, None starts one, which is shut down when its last
              user is closed.
            * `resources`: the resources of each shard, `{"CPU": 1}` by default.
            * `runtime_env`: a Ray runtime environment.
            * `placement`: a Ray scheduling strategy, "SPREAD" by default.
            * `shared_memory`: whether shards on this machine return fragments through shared memory.
            * `start_timeout`: the maximum number of seconds to wait for free resources, 60 by default.

    Raises:
        DependencyNotInstalled: if Ray is not installed.
        CollectTimeoutError: if the cluster did not have enough free resources in time. The message lists the requested
            and the available resources.
    """

    remote, max_requests = True, 2

    @staticmethod
    @contextlib.contextmanager
    def default_shards(**options: Any) -> Iterator[int]:
        """Yield how many shards fit into the cluster when it is idle. By default, this is one per processor.

        The program stays connected to the cluster until the context is exited.
        """
        _import_ray(options)
        with ClusterConnection(options.get("address")):
            yield int(capacity(options.get("resources") or {}, options.get("placement")))

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        ray = _import_ray(options)
        self._ray, self._recipes = ray, recipes
        self._resources = dict(options.get("resources") or {"CPU": 1})
        shared = options.get("shared_memory", True) and SlotPool.works()
        self._requests = requests = Requests(recipes, shared=shared)
        self.fragment, self.drop, self.progress = requests.fragment, requests.drop, requests.progress
        self._shards: list[Any] = [None] * len(recipes)
        self._policies = WeakKeyDictionary[PickledPolicy, Any]()
        """Ray's references to the policies in the object store."""
        self._cluster = ClusterConnection(options.get("address"))
        try:
            strategy = options.get("placement", "SPREAD")
            actor = actor_options({"CPU": 0, **self._resources}, options.get("runtime_env"), strategy)
            self._class = ray.remote(RemoteShard).options(**actor)
            self._data = [
                dumps(SpawnData.collect(recipe.env_fns, recipe.indices.start, set(), by_fork=False))
                for recipe in recipes
            ]
            seconds, placement = float(options.get("start_timeout", 60)), options.get("placement")
            warn_of_no_room(self._resources, placement, len(recipes), seconds, "shard")
            self._start(seconds)
        except BaseException:
            self._end()
            raise

    def _start(self, seconds: float) -> None:
        """Start one process per shard and create the environments."""
        ray, count = self._ray, len(self._recipes)
        deadline = time.monotonic() + seconds
        places, tries = [""] * count, [TRIES] * count
        waiting = {self._start_shard(k): k for k in range(count)}
        while waiting:
            left = deadline - time.monotonic()
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=max(left, 0))
            if not ready:
                unplaced = tuple(k for k in waiting.values() if not places[k])
                if unplaced:
                    raise self._no_room_error(unplaced, seconds)
                raise self._late_error(waiting.values(), places, seconds)
            k = waiting.pop(ready[0])
            answer = self._fetch(k, ready[0])
            if isinstance(answer, str):
                places[k] = answer
                waiting[self._shards[k].make.remote()] = k
            elif answer is not None and not answer.lost:
                raise answer.exception()
            elif answer is not None:
                tries[k] -= bool(places[k])
                if left < RETRY_SECONDS or not tries[k]:
                    recipe = self._recipes[k]
                    where = f" on {places[k]}, while it created its environments" if places[k] else " before it ran"
                    raise ShardLostError(f"The process of {recipe} died{where}: {answer.message}", k, recipe.indices)
                time.sleep(RETRY_SECONDS)  # the process was placed on a lost node; Ray will soon notice that it is lost
                places[k] = ""
                waiting[self._start_shard(k)] = k

    def _start_shard(self, k: int) -> Any:
        """Start a process for a shard, and return Ray's reference to a description of where the process runs."""
        self._create(k)
        return self._shards[k].place.remote()

    def _create(self, k: int) -> None:
        self._shards[k] = self._class.remote(replace(self._recipes[k], env_fns=()), self._data[k])

    def _late_error(self, late: Iterable[int], places: Sequence[str], seconds: float) -> CollectTimeoutError:
        shards = tuple(late)
        where = "; ".join(f"{self._recipes[k]} on {places[k]}" for k in shards)
        message = (
            f"The environments of {where} were not created within {seconds:g} s. Pass a longer start_timeout if they "
            "need more time"
        )
        return CollectTimeoutError(message, shards)

    def _no_room_error(self, late: tuple[int, ...], seconds: float) -> CollectTimeoutError:
        ray = self._ray
        have = {name: n for name, n in ray.cluster_resources().items() if name in {"CPU", "GPU", *self._resources}}
        available = ray.available_resources()
        free = {name: available.get(name, 0.0) for name in have}
        message = (
            f"{len(late)} of {len(self._recipes)} shards did not start within {seconds:g} s. Each shard requests "
            f"{self._resources}; the cluster has {have}, and {free} is free. Use fewer shards, request less "
            "(resources=), add nodes, or pass a longer start_timeout"
        )
        return CollectTimeoutError(message, late)

    def _assert_connected(self) -> None:
        """Raise an error if Ray has been shut down."""
        if not self._cluster.is_connected():
            raise ClosedEnvironmentError(
                "Ray was shut down, which ended the shards; call collect to start another rollout"
            )

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Send a request to a shard's process, or to a new process if the previous one has died."""
        if ticket.policy is not None or self._shards[shard] is None or not self._ray.is_initialized():
            # Without this check, Ray would be started here, or processes would start in another cluster.
            self._assert_connected()
        if ticket.policy is not None and ticket.policy not in self._policies:  # all shards use the same reference
            self._policies[ticket.policy] = self._ray.put(ticket.policy.data)
        request = self._requests.add(shard, ticket._replace(policy=None))
        if request.outcome is not None:
            return
        arguments = [pickle.dumps(request.ticket)]
        if ticket.policy is not None:
            arguments.append(self._policies[ticket.policy])
        try:
            if self._shards[shard] is None:
                self._create(shard)
            request.handle = self._shards[shard].collect.remote(*arguments)  # Ray sends bytes faster than other objects
        except Exception:
            # Checking the connection before each request would take too much time.
            self._assert_connected()
            raise

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Wait until one of the given shards answers."""
        # Without this check, waiting would start Ray.
        self._assert_connected()
        for shard in shards:
            if (outcome := self._requests.take(shard)) is not None:
                return shard, outcome
        by_handle = {request.handle: (shard, request) for shard in shards for request in [self._requests.oldest(shard)]}
        ready = list(by_handle)
        if len(ready) > 1:
            ready, _ = self._ray.wait(ready, num_returns=1, timeout=timeout, fetch_local=True)
            if not ready:
                return None
        shard, request = by_handle[ready[0]]
        try:
            answer = self._fetch(shard, request.handle, timeout)
        except self._ray.exceptions.GetTimeoutError:
            return None
        if not isinstance(answer, Failure):
            is_pickled = type(answer) is bytes
            request.outcome = pickle.loads(answer) if is_pickled else answer  # noqa: S301 - the program's actors are trusted
        elif answer.lost:
            self._requests.lose(shard, request.ticket.generation, answer)
        else:
            request.outcome = Outcome(request.ticket.serial, failure=answer, generation=request.ticket.generation)
        outcome = self._requests.take(shard)
        assert outcome is not None  # noqa: S101 - tells type checkers that the request has an outcome
        return shard, outcome

    def _fetch(self, shard: int, request: Any, timeout: float | None = None) -> Any:
        """Return a process's response, or a failure if the process has died. Raise Ray's own error on a timeout."""
        ray = self._ray
        try:
            return ray.get(request, timeout=timeout)
        except ray.exceptions.GetTimeoutError:
            raise
        except ray.exceptions.RayTaskError as exc:
            return Failure.of(exc.cause if isinstance(getattr(exc, "cause", None), BaseException) else exc)
        except ray.exceptions.RayError as exc:
            with contextlib.suppress(Exception):  # the process has already exited
                ray.kill(self._shards[shard])
            self._shards[shard] = None
            text = " ".join(str(exc).split())
            if isinstance(exc, ray.exceptions.RuntimeEnvSetupError) or getattr(exc, "actor_init_failed", False):
                # The end of the text contains the reason.
                short = text if len(text) < 600 else f"{text[:200]} ... {text[-400:]}"
                return Failure(f"The process of {self._recipes[shard]} could not start ({type(exc).__name__}: {short})")
            return Failure(f"its process ended ({type(exc).__name__}: {text:.300})", lost=True)

    def close(self) -> None:
        """Stop all processes and disconnect from the cluster, then raise the first error that a shard reported."""
        failures = self._end()
        if failures:
            raise failures[0].exception()

    def _end(self) -> list[Failure]:
        """Stop all processes, and return the failures of shards that could not be closed."""
        shards = {k: shard for k, shard in enumerate(self._shards) if shard is not None}
        failures: list[Failure] = []
        try:
            self._requests.stop()
            if shards and self._cluster.is_connected():
                try:
                    with contextlib.suppress(Exception):  # the processes are killed even if this fails
                        failures = self._close_shards(shards)
                finally:
                    for shard in shards.values():
                        with contextlib.suppress(Exception):
                            self._ray.kill(shard)
        finally:
            self._shards = []
            self._policies.clear()
            self._requests.close()
            self._cluster.close()
        return failures

    def _close_shards(self, shards: dict[int, Any]) -> list[Failure]:
        """Close the environments of each shard that abandons its fragment in time, and return the failures."""
        ray = self._ray
        pending = [(request, k) for k in shards for request in self._requests.of(k) if request.outcome is None]
        work = {request.handle: k for request, k in pending if request.handle is not None}
        # The environments are closed after the pending requests have been answered.
        closing = {shard.close.remote(): k for k, shard in shards.items()}
        late = ray.wait([*work], num_returns=len(work), timeout=GRACE_SECONDS, fetch_local=False)[1] if work else []
        busy = {work[handle] for handle in late}
        refs = [ref for ref, k in closing.items() if k not in busy]
        failures = []
        for ref in ray.wait(refs, num_returns=len(refs), timeout=CLOSE_SECONDS)[0] if refs else ():
            with contextlib.suppress(ray.exceptions.RayError):  # the process has exited
                failures.append(ray.get(ref))
        return [failure for failure in failures if failure is not None]


def _import_ray(options: dict[str, Any]) -> Any:
    """Check the engine's options, import Ray, and return the `ray` module."""
    check_known_options(options, OPTIONS, "ray")
    try:
        import ray
    except ImportError as exc:
        message = "The engine 'ray' needs Ray; run: pip install 'gymkernel-tool-rollout[ray]'"
        raise DependencyNotInstalled(message) from exc
    values = {name: options.get(name) for name in ("address", "resources", "runtime_env", "placement")}
    values["placement"] = PLACEMENTS[0] if values["placement"] is None else values["placement"]
    check_options(**values, placements=PLACEMENTS, each="shard")
    seconds = options.get("start_timeout", 60)
    if isinstance(seconds, bool) or not hasattr(seconds, "__float__") or not seconds > 0:
        raise ValueError(f"Expected start_timeout to be a number of seconds above 0, got {seconds!r}")
    return ray
