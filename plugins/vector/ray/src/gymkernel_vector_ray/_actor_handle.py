"""`ActorHandle`: an actor as its parent sees it: where it runs, what it was asked, and what it ended with."""

from __future__ import annotations

import contextlib
import pickle
from typing import TYPE_CHECKING, Any

from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.processes.spawn_data import SpawnData
from gymkernel_util_vector.ray_cluster.capacity import alive_nodes
from gymkernel_vector_ray._shard_actor import Place, ShardActor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.messages import ShardSettings

__all__ = ["ActorHandle"]


class ActorHandle:
    """An actor that steps environments `first` to `first + n - 1`.

    Args:
        number: its place among the actors.
        first: index of its first environment.
        env_fns: functions that make its environments.
        settings: how they are stepped.
        options: for Ray: resources, placement, packages.
    """

    def __init__(
        self,
        number: int,
        first: int,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        options: dict[str, Any],
    ) -> None:
        self.number, self.indices = number, range(first, first + len(env_fns))
        self.place: Place | None = None
        """Where it runs, once that is known."""
        self.ref: Any = None
        """Of the last request."""
        self.rows: Any = None
        """Those of the batch that the answer is of; None where it has no arrays."""
        self.with_rewards = False
        """Whether the answer has rewards and flags, too."""
        self.buffer = 0
        """Of the ring, for the observations."""
        self.death: BaseException | None = None
        """What Ray raised, once it has ended."""
        self._env_fns, self._settings, self._options = list(env_fns), settings, options
        self._remote: Any = None
        self._known_classes: set[str] = set()
        self._data = b""

    def __str__(self) -> str:
        return f"Worker {self.number}{'' if self.place is None else f' on {self.place}'}"

    # Starting and ending

    def collect(self) -> None:
        """Pickle what the actor is given, so that what cannot be pickled is told before anything starts."""
        self._known_classes = set()
        self._data = dumps(SpawnData.collect(self._env_fns, self.indices.start, self._known_classes, by_fork=False))

    def start(self) -> None:
        """Ask Ray for the actor; the answer is where it runs."""
        import ray

        self.place = self.death = None
        self._remote = ray.remote(ShardActor).options(**self._options).remote()
        self._asked(self._remote.place.remote())

    def build(self) -> None:
        """Have it make its environments."""
        self._asked(self._remote.build.remote(self._data, self.indices.start, self._settings))

    def attach(self, plans: bytes) -> None:
        """Have it make its arrays; no answer is waited for, since requests are answered in turn."""
        self._remote.attach.remote(plans)

    def ask_to_close(self) -> Any:
        """Have it close its environments; the reference of what failed."""
        return self._remote.close.remote()

    def end(self) -> None:
        """End its process at once; a later request finds that it has ended."""
        import ray

        if self._remote is not None:
            with contextlib.suppress(Exception):  # it has ended, or Ray has
                ray.kill(self._remote, no_restart=True)

    def kill(self) -> None:
        """End its process, to which no request follows."""
        self.end()
        self._remote = self.ref = None

    def spaces(self, position: int, data: bytes, *, by_name: bool) -> tuple[Any, Any]:
        """The spaces that it pickled; where they cannot be, those of an environment made here."""
        if data:
            pair: tuple[Any, Any] = pickle.loads(data)  # noqa: S301 - of this program's own actor
            return pair
        env = self._env_fns[position]()
        pair = (env.observation_space, env.action_space)
        env.close()
        return pair

    def never_ran(self) -> bool:
        """Whether it ended before it ran, for no reason of its own: its node was lost, say."""
        import ray

        own_fault = getattr(self.death, "actor_init_failed", False)
        return self.place is None and isinstance(self.death, ray.exceptions.RayActorError) and not own_fault

    def why_it_ended(self) -> str:
        """What became of it, in words."""
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
        otherwise = "ended (a crash, os._exit, or a signal: Ray does not tell which)"
        return next((reason for holds, reason in reasons if holds), otherwise)

    # Requests

    def step(self, number: int, leaves: list[NDArray[Any]], actions: Sequence[Any] | None, buffer: int) -> None:
        """Have every environment act, with actions as arrays, or with these."""
        items = None if actions is None else dumps(actions, self._known_classes)
        self._asked(
            self._remote.step.remote(number, leaves, items), slice(self.indices.start, self.indices.stop), buffer
        )
        self.with_rewards = True

    def step_some(self, env_ids: list[int], actions: Sequence[Any]) -> Any:
        """Have some of its environments act; the reference of the answer."""
        positions = [i - self.indices.start for i in env_ids]
        return self._remote.step_some.remote(positions, dumps(list(actions), self._known_classes))

    def request(self, what: str, *arguments: Any) -> None:
        """Have it do something: a method of its `EnvShard`, and the arguments."""
        if what == "reset":
            seeds, options, buffer = arguments
            ids = [self.indices.start + k for k, _ in seeds]
            self._asked(self._remote.reset.remote(dumps((seeds, options), self._known_classes)), ids, buffer)
        elif what == "report_lost":
            positions, buffer = arguments
            self._asked(self._remote.report_lost.remote(positions), [self.indices.start + k for k in positions], buffer)
            self.with_rewards = True
        else:  # "call", "resume"
            self._asked(getattr(self._remote, what).remote(dumps(arguments, self._known_classes)))

    def _asked(self, ref: Any, rows: Any = None, buffer: int = 0) -> None:
        self.ref, self.rows, self.buffer, self.with_rewards = ref, rows, buffer, False
