"""The `ActorHandle` class, with which the parent uses a Ray actor, and functions that wait for actors."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.processes.spawn_data import SpawnData
from gymkernel_util_vector.ray_cluster.capacity import alive_nodes
from gymkernel_util_vector.shards.requests import remaining
from gymkernel_util_vector.shards.shard_pool import PoolWorker, Share
from gymkernel_vector_ray._shard_actor import Place, ShardActor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["MISSING", "ActorHandle", "fetch"]

MISSING: Final = (
    "Packages that its environments need may be missing there: `gymkernel-vector-ray` must be installed on every node, "
    'or in runtime_env={"uv": ["gymkernel-vector-ray", ...]}'
)


class ActorHandle(PoolWorker):
    """A handle for an actor that steps one shard of the environments.

    Args:
        share: the environments of the actor.
        options: the options with which Ray creates the actor, such as its resources.
    """

    def __init__(self, share: Share, options: dict[str, Any]) -> None:
        super().__init__(share)
        self.place: Place | None = None
        """The actor's node and process. None until they are known."""
        self.ref: Any = None
        """Ray's reference to the response to the latest request."""
        self.rows: Any = None
        """The rows of the batch that the response contains. None if the response contains no arrays."""
        self.buffer = 0
        """The index of the buffer into which the response's observations are written."""
        self._options = options
        self._remote: Any = None
        self._data = b""

    def where(self) -> str:
        """Return the actor's node and process, or "" if they are unknown."""
        return "" if self.place is None else f" on {self.place}"

    # Starting and ending

    def collect(self) -> None:
        """Pickle everything that the actor needs, so that pickling errors are raised before any actor starts."""
        self._known_classes = set()
        share = self._share
        self._data = dumps(SpawnData.collect(share.env_fns, share.first, self._known_classes, by_fork=False))

    def start(self) -> None:
        """Ask Ray to start the actor, which then sends its `Place`."""
        import ray

        self.place = self.death = None
        self._remote = ray.remote(ShardActor).options(**self._options).remote()
        self._note_request(self._remote.place.remote())

    def build(self) -> None:
        """Ask the actor to create its environments."""
        self._note_request(self._remote.build.remote(self._data, self._share.first, self._share.settings))

    def attach(self, plans: bytes) -> None:
        """Ask the actor to create its arrays. There is no need to wait, because actors answer requests in order.

        Args:
            plans: the pickled array plans for observations and actions.
        """
        self._remote.attach.remote(plans)

    def ask_to_close(self) -> Any:
        """Ask the actor to close its environments, and return Ray's reference to their failures."""
        return self._remote.close.remote()

    def end(self) -> None:
        """Kill the actor's process immediately. The next request then reports that the actor has died."""
        import ray

        if self._remote is not None:
            with contextlib.suppress(Exception):  # the actor has already exited, or Ray has been shut down
                ray.kill(self._remote, no_restart=True)

    def kill(self) -> None:
        """Kill the actor, and delete the references to the actor and to its latest response."""
        self.end()
        self._remote = self.ref = None

    def never_ran(self) -> bool:
        """Return whether the actor died before it started, for an external reason such as the loss of its node."""
        import ray

        own_fault = getattr(self.death, "actor_init_failed", False)
        return self.place is None and isinstance(self.death, ray.exceptions.RayActorError) and not own_fault

    def why_it_ended(self, code: int | None = None) -> str:
        """Return a description of how the actor died."""
        text, name = str(self.death), type(self.death).__name__
        last_line = text.strip().rpartition("\n")[2][:300]
        lost = self.place is not None and all(node["NodeID"] != self.place.node_id for node in alive_nodes())
        reasons = (
            (name.startswith("RayTaskError"), f"failed ({last_line})"),
            (self.place is None, f"could not start ({last_line})"),
            (lost, "was lost with its node"),
            ("ray.kill" in text, "was killed by ray.kill"),
            (name == "OutOfMemoryError", "was killed because its node has no memory left"),
            (name == "ActorUnavailableError", "cannot be reached (its node may be lost)"),
        )
        otherwise = "ended (a crash, os._exit, or a signal: Ray does not report which)"
        return next((reason for is_true, reason in reasons if is_true), otherwise)

    # Requests

    def step(self, number: int, leaves: list[NDArray[Any]], actions: Sequence[Any] | None, buffer: int) -> None:
        """Ask the actor to step all of its environments.

        Args:
            number: the number of the step.
            leaves: the actions as arrays, one for each elementary space in the action space.
            actions: the actions if they cannot be stored in arrays; otherwise None.
            buffer: the index of the observation buffer in the ring.
        """
        items = None if actions is None else dumps(actions, self._known_classes)
        rows = slice(self.indices.start, self.indices.stop)
        self._note_request(self._remote.step.remote(number, leaves, items), rows, buffer)

    def step_some(self, env_ids: list[int], actions: Sequence[Any]) -> Any:
        """Ask the actor to step some of its environments, and return Ray's reference to the response.

        Args:
            env_ids: the indices of the environments.
            actions: one action per environment.
        """
        positions = [i - self.indices.start for i in env_ids]
        return self._perform("step_some", (positions, list(actions)), positions)

    def request(self, what: str, *arguments: Any) -> None:
        """Ask the actor to call a method of its `EnvShard`.

        Args:
            what: the name of the method: "step_some", "reset", "call" or "resume".
            *arguments: the arguments of the method.
        """
        if what in {"call", "resume"}:
            self._note_request(self._perform(what, arguments, None))
            return
        first, second, buffer = arguments
        positions = [k for k, _ in first] if what == "reset" else first
        # An actor has only one buffer.
        ref = self._perform(what, (first, second, 0), positions)
        self._note_request(ref, [self.indices.start + k for k in positions], buffer)

    def _perform(self, what: str, arguments: tuple[Any, ...], positions: list[int] | None) -> Any:
        return self._remote.perform.remote(what, dumps(arguments, self._known_classes), positions)

    def _note_request(self, ref: Any, rows: Any = None, buffer: int = 0) -> None:
        self.ref, self.rows, self.buffer = ref, rows, buffer


def fetch(
    workers: Sequence[ActorHandle], deadline: float | None, *, first_death: bool = True
) -> tuple[list[tuple[ActorHandle, Any]], list[ActorHandle], list[ActorHandle]]:
    """Wait for the actors' responses to their latest requests.

    Args:
        workers: the actors to wait for.
        deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.
        first_death: whether to stop waiting as soon as one actor has died.

    Returns:
        Pairs of an actor and its response, the actors that have not answered in time, and the actors that have died.
    """
    import ray

    refs = [worker.ref for worker in workers]
    try:
        return list(zip(workers, ray.get(refs, timeout=remaining(deadline)), strict=True)), [], []
    except ray.exceptions.RayError:
        pass
    if not first_death:
        ray.wait(refs, num_returns=len(refs), timeout=remaining(deadline))
    answers, late, dead = [], [], []
    for worker, ref in zip(workers, refs, strict=True):
        try:
            answers.append((worker, ray.get(ref, timeout=0)))
        except ray.exceptions.GetTimeoutError:
            late.append(worker)
        except ray.exceptions.RayError as exc:
            worker.death = exc
            dead.append(worker)
    return answers, late, dead
