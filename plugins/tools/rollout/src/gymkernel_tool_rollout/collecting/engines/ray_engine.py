"""The engine `ray`: a process of a Ray cluster for each shard; only requests, policies and fragments travel.

Ray is imported here alone. A shard that runs on the machine of the program writes into memory that both share; from
another machine, a fragment comes through Ray's store of objects, and its arrays are read-only views of that.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from typing import TYPE_CHECKING, Any, Final

import cloudpickle

from gymkernel.error import ClosedEnvironmentError, DependencyNotInstalled
from gymkernel_tool_rollout.collecting.engines import unknown_options
from gymkernel_tool_rollout.collecting.engines.remote_shard import RemoteShard
from gymkernel_tool_rollout.collecting.engines.requests import Requests
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure, ShardLostError
from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
from gymkernel_tool_rollout.collecting.slots import SlotPool
from gymkernel_util_vector.processes.registrations import Registrations
from gymkernel_util_vector.ray_cluster.capacity import capacity, warn_of_no_room
from gymkernel_util_vector.ray_cluster.connection import ClusterConnection
from gymkernel_util_vector.ray_cluster.options import check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["RayEngine", "engine"]

OPTIONS: Final = ("address", "resources", "runtime_env", "placement", "shared_memory", "start_timeout")
PLACEMENTS: Final = ("SPREAD", "DEFAULT")
RETRY_SECONDS: Final = 0.5
TRIES: Final = 3
"""How often a process may be started that ends while it makes its environments."""
CLOSE_SECONDS: Final = 10.0
"""For shards to close their environments, before they are ended."""
GRACE_SECONDS: Final = 2.0
"""For shards to leave the fragments that they are collecting; those of other machines finish them."""


class RayEngine:
    """Runs each shard in a process of a Ray cluster.

    Args:
        recipes: of the shards.
        timeout: not used here: `wait` has its own.
        **options: `address` of a cluster, as of `ray.init`: None for the one of `RAY_ADDRESS` or of this machine, or
            else one that is started, and ends with its last user; `resources` of each shard, by default `{"CPU": 1}`;
            `runtime_env`, as of Ray; `placement`, "SPREAD" by default, or what Ray takes as a scheduling strategy;
            `shared_memory`, whether fragments of this machine go through memory that both share;
            `start_timeout`, seconds for the cluster to have room, by default 60.

    Raises:
        DependencyNotInstalled: without Ray.
        CollectTimeoutError: the cluster had no room in time; the message says what was asked for, and what there is.
    """

    remote, max_requests = True, 2

    @staticmethod
    @contextlib.contextmanager
    def default_shards(**options: Any) -> Iterator[int]:
        """As many as the cluster has room for while it is idle, and the cluster: by default one for each processor."""
        _import_ray(options)
        with ClusterConnection(options.get("address")):
            yield int(capacity(options.get("resources") or {}, options.get("placement")))

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        ray = _import_ray(options)
        self._ray, self._recipes = ray, recipes
        self._resources = dict(options.get("resources") or {"CPU": 1})
        shared = options.get("shared_memory", True) and SlotPool.works()
        self._requests = Requests(recipes, shared=shared)
        self._shards: list[Any] = [None] * len(recipes)
        self._policies: dict[int, Any] = {}
        """References to policies, by version."""
        self._cluster = ClusterConnection(options.get("address"))
        try:
            self._class = ray.remote(RemoteShard).options(
                max_restarts=0,
                num_cpus=self._resources.get("CPU", 0),
                num_gpus=self._resources.get("GPU", 0),
                memory=self._resources.get("memory"),
                resources={name: n for name, n in self._resources.items() if name not in {"CPU", "GPU", "memory"}},
                runtime_env=options.get("runtime_env"),
                scheduling_strategy=options.get("placement", "SPREAD"),
            )
            registrations = Registrations()
            self._data = [_pickled(registrations, recipe) for recipe in recipes]
            seconds, placement = float(options.get("start_timeout", 60)), options.get("placement")
            warn_of_no_room(self._resources, placement, len(recipes), seconds, "shard")
            self._start(seconds)
        except BaseException:
            self._end()
            raise

    def _start(self, seconds: float) -> None:
        """Have a process started for each shard, and its environments made."""
        ray, count = self._ray, len(self._recipes)
        deadline = time.monotonic() + seconds
        places, tries = [""] * count, [TRIES] * count
        waiting = {self._begun(k): k for k in range(count)}
        while waiting:
            left = deadline - time.monotonic()
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=max(left, 0))
            if not ready:
                unplaced = tuple(k for k in waiting.values() if not places[k])
                raise (
                    self._no_room(unplaced, seconds) if unplaced else self._not_made(waiting.values(), places, seconds)
                )
            k = waiting.pop(ready[0])
            found = self._fetched(k, ready[0])
            if isinstance(found, str):
                places[k] = found
                waiting[self._shards[k].make.remote()] = k
            elif found is not None and not found.lost:
                raise found.exception()
            elif found is not None:
                tries[k] -= bool(places[k])
                if left < RETRY_SECONDS or not tries[k]:
                    recipe = self._recipes[k]
                    where = f" on {places[k]}, while its environments were made" if places[k] else " before it ran"
                    raise ShardLostError(f"The process of {recipe} ended{where}: {found.message}", k, recipe.indices)
                time.sleep(RETRY_SECONDS)  # it was placed on a node that is gone, of which Ray has not heard yet
                places[k] = ""
                waiting[self._begun(k)] = k

    def _begun(self, k: int) -> Any:
        """Have a process started for a shard; the reference of where it runs."""
        self._shards[k] = self._class.remote(self._data[k])
        return self._shards[k].place.remote()

    def _not_made(self, late: Iterable[int], places: Sequence[str], seconds: float) -> CollectTimeoutError:
        shards = tuple(late)
        where = "; ".join(f"{self._recipes[k]} on {places[k]}" for k in shards)
        message = (
            f"The environments of {where} were not made within {seconds:g} s. Pass a longer start_timeout where that "
            "is how long they take"
        )
        return CollectTimeoutError(message, shards)

    def _no_room(self, late: tuple[int, ...], seconds: float) -> CollectTimeoutError:
        ray = self._ray
        have = {name: n for name, n in ray.cluster_resources().items() if name in {"CPU", "GPU", *self._resources}}
        available = ray.available_resources()
        free = {name: available.get(name, 0.0) for name in have}
        message = (
            f"{len(late)} of {len(self._recipes)} shards did not start within {seconds:g} s. Each asks for "
            f"{self._resources}; the cluster has {have}, of which {free} is free. Take fewer shards, ask for less "
            "(resources=), add nodes, or wait for longer (start_timeout=)"
        )
        return CollectTimeoutError(message, late)

    def _assert_connected(self) -> None:
        """Refuse to go on once Ray was shut down."""
        if not self._cluster.is_connected():
            raise ClosedEnvironmentError("Ray was shut down, and the shards with it; call collect for another rollout")

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Send the request to its process, which has a queue; to a new one, where that is gone."""
        if ticket.policy is not None or self._shards[shard] is None or not self._ray.is_initialized():
            self._assert_connected()  # or else Ray would start here, or something be begun elsewhere
        policy = None if ticket.policy is None else self._reference(ticket)
        request = self._requests.add(shard, ticket._replace(policy=None))
        if request.outcome is not None:
            return
        arguments = (pickle.dumps(request.ticket),) if policy is None else (pickle.dumps(request.ticket), policy)
        try:
            if self._shards[shard] is None:
                self._shards[shard] = self._class.remote(self._data[shard])
            request.handle = self._shards[shard].collect.remote(*arguments)  # bytes: Ray pickles them far quicker
        except Exception:
            self._assert_connected()  # to look before would take time at every request
            raise

    def _reference(self, ticket: Ticket) -> Any:
        """The policy in the store, once for all shards."""
        if ticket.version not in self._policies:
            used = self._requests.versions()
            self._policies = {version: one for version, one in self._policies.items() if version in used}
            assert ticket.policy is not None  # noqa: S101 - for type checkers
            self._policies[ticket.version] = self._ray.put(ticket.policy.data)
        return self._policies[ticket.version]

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Wait for the first of these shards."""
        self._assert_connected()  # or else Ray would start here, to wait
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
            found = self._fetched(shard, request.handle, timeout)
        except self._ray.exceptions.GetTimeoutError:
            return None
        if not isinstance(found, Failure):
            request.outcome = pickle.loads(found) if type(found) is bytes else found  # noqa: S301 - of our own process
        elif found.lost:
            self._requests.lose(shard, request.ticket.generation, found)
        else:
            request.outcome = Outcome(request.ticket.serial, failure=found, generation=request.ticket.generation)
        outcome = self._requests.take(shard)
        assert outcome is not None  # noqa: S101 - for type checkers: the oldest request has it now
        return shard, outcome

    def _fetched(self, shard: int, request: Any, timeout: float | None = None) -> Any:
        """What a process answers; a failure where it has ended. Ray's own error tells that nothing comes in time."""
        ray = self._ray
        try:
            return ray.get(request, timeout=timeout)
        except ray.exceptions.GetTimeoutError:
            raise
        except ray.exceptions.RayTaskError as exc:
            return Failure.of(exc.cause if isinstance(getattr(exc, "cause", None), BaseException) else exc)
        except ray.exceptions.RayError as exc:
            with contextlib.suppress(Exception):  # it is gone
                ray.kill(self._shards[shard])
            self._shards[shard] = None
            text = " ".join(str(exc).split())
            if isinstance(exc, ray.exceptions.RuntimeEnvSetupError) or getattr(exc, "actor_init_failed", False):
                short = text if len(text) < 600 else f"{text[:200]} ... {text[-400:]}"  # the reason is at its end
                return Failure(f"The process of {self._recipes[shard]} could not start ({type(exc).__name__}: {short})")
            return Failure(f"its process ended ({type(exc).__name__}: {text:.300})", lost=True)

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment, in shared memory, or in arrays of Ray's store, which are read-only."""
        return self._requests.fragment(shard, outcome)

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Use its memory for the next one."""
        self._requests.drop(shard)

    def progress(self, shard: int) -> str:
        """The time step at which a shard of this machine is."""
        return self._requests.progress(shard)

    def close(self) -> None:
        """End all processes of this engine, and Ray where it was started for it and nobody else uses it.

        The first error of a shard is raised at the end.
        """
        failures = self._end()
        if failures:
            raise failures[0].exception()

    def _end(self) -> list[Failure]:
        """End all processes; what went wrong in shards."""
        shards = {k: shard for k, shard in enumerate(self._shards) if shard is not None}
        failures: list[Failure] = []
        try:
            self._requests.stop()
            if shards and self._cluster.is_connected():
                try:
                    with contextlib.suppress(Exception):  # they are ended in any case, by Ctrl-C, too
                        failures = self._close_shards(shards)
                finally:
                    for one in shards.values():
                        with contextlib.suppress(Exception):
                            self._ray.kill(one)
        finally:
            self._shards, self._policies = [], {}
            self._requests.close()
            self._cluster.close()
        return failures

    def _close_shards(self, shards: dict[int, Any]) -> list[Failure]:
        """Have environments closed, but of shards that do not leave what they are doing; what went wrong."""
        ray = self._ray
        asked = [(request, k) for k in shards for request in self._requests.of(k) if request.outcome is None]
        work = {request.handle: k for request, k in asked if request.handle is not None}
        closing = {one.close.remote(): k for k, one in shards.items()}  # after what was asked before
        late = ray.wait([*work], num_returns=len(work), timeout=GRACE_SECONDS, fetch_local=False)[1] if work else []
        busy = {work[handle] for handle in late}
        refs = [ref for ref, k in closing.items() if k not in busy]
        failures = []
        for ref in ray.wait(refs, num_returns=len(refs), timeout=CLOSE_SECONDS)[0] if refs else ():
            with contextlib.suppress(ray.exceptions.RayError):  # it has ended
                failures.append(ray.get(ref))
        return [failure for failure in failures if failure is not None]


def _import_ray(options: dict[str, Any]) -> Any:
    """Import Ray, check the options of the engine, and return the module."""
    unknown_options(options, OPTIONS, "ray")
    try:
        import ray
    except ImportError as exc:
        message = "The engine 'ray' needs Ray; run: pip install 'gymkernel-tool-rollout[ray]'"
        raise DependencyNotInstalled(message) from exc
    given = {name: options.get(name) for name in ("address", "resources", "runtime_env", "placement")}
    given["placement"] = PLACEMENTS[0] if given["placement"] is None else given["placement"]
    check_options(**given, placements=PLACEMENTS, each="shard")
    seconds = options.get("start_timeout", 60)
    if isinstance(seconds, bool) or not hasattr(seconds, "__float__") or not seconds > 0:
        raise ValueError(f"Expected start_timeout to be a number of seconds above 0, got {seconds!r}")
    return ray


def _pickled(registrations: Registrations, recipe: Recipe) -> bytes:
    """Of what a shard is made; the error says which function cannot be pickled, and why.

    The recipe is pickled in itself: it is read once the registrations are there.
    """
    try:
        return pickle.dumps((registrations, bytes(cloudpickle.dumps(recipe))))
    except Exception as exc:
        for make, index in zip(recipe.env_fns, recipe.indices, strict=True):
            try:
                cloudpickle.dumps(make)
            except Exception as cause:  # noqa: BLE001 - whatever somebody's class raises
                message = (
                    f"The function that makes environment {index} cannot be pickled, which shards of a cluster need: "
                    f"{cause}. Make in the function what cannot be pickled"
                )
                raise pickle.PicklingError(message) from exc
        raise


engine = RayEngine
