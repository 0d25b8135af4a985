"""`ActorPool`: the actors of a vector environment: how they are started, asked, waited for, restarted and stopped."""

from __future__ import annotations

import pickle
import time
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel import logger
from gymkernel.error import ClosedEnvironmentError
from gymkernel.vector.processes import dumps
from gymkernel.vector.shards import WorkerError, WorkerTimeoutError, env_names, raise_failures
from gymkernel_vector_ray._actor_handle import ActorHandle
from gymkernel_vector_ray._cluster import alive_nodes
from gymkernel_vector_ray._resources import no_room_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel.vector.shards import Answers, Failure, ShardSettings
    from gymkernel.vector.utils import BatchPlan
    from gymkernel_vector_ray._cluster import ClusterHandle

__all__ = ["ActorPool", "remaining"]

CLOSE_TIMEOUT: Final = 10.0
"""Seconds for environments to close."""
GRACE_PERIOD: Final = 1.0
"""Seconds for that where an actor is busy with something else."""
NEXT_TRY: Final = 0.5
"""Seconds until an actor that ended while it started is started again."""
TRIES: Final = 3
"""How often one that ends while it makes its environments, on a node that runs, is started again."""


class ActorPool:
    """The actors that step environments.

    Args:
        env_fns: functions that make the environments.
        settings: how they are stepped.
        num_workers: number of actors.
        cluster: where they run.
        options: for Ray, of each actor.
        start_timeout: seconds for actors to be placed and started.
        deadline: for the environments to be made.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        num_workers: int,
        *,
        cluster: ClusterHandle,
        options: dict[str, Any],
        start_timeout: float,
        deadline: float | None,
    ) -> None:
        self.num_envs = len(env_fns)
        self._settings, self._cluster, self._options, self._start_timeout = settings, cluster, options, start_timeout
        bounds = [self.num_envs * k // num_workers for k in range(num_workers + 1)]
        self.workers = [
            ActorHandle(number, first, env_fns[first:stop], settings, options)
            for number, (first, stop) in enumerate(pairwise(bounds))
        ]
        self._step_numbers = count(1)
        self._waiting: Sequence[ActorHandle] = []
        """Those of which an answer is awaited."""
        self._last_reset: tuple[list[tuple[int, int | None]], dict[str, Any] | None] = [], None
        self._restarts = [0] * self.num_envs
        self._deadline_after_restart = 0.0
        self._closed = False
        self._plans = b""
        self._arrays: dict[str, Any] = {}
        self._observations: list[list[Any]] = []
        try:
            for worker in self.workers:
                worker.collect()
            for worker in self.workers:
                worker.start()
            end = time.monotonic() + start_timeout
            dead = self._placed(self.workers, end)
            while dead and time.monotonic() < end and all(worker.never_ran() for worker in dead):
                time.sleep(NEXT_TRY)  # on a node that is lost, which the cluster is about to notice
                for worker in dead:
                    worker.kill()
                    worker.start()
                dead = self._placed(dead, end)
            if not dead:
                built, dead = self._built(self.workers, deadline)
            self._raise_dead(dead)
            self._describe(built)
        except BaseException:
            self.stop(timeout=None, terminate=True)
            raise

    # Starting

    def _raise_dead(self, dead: Sequence[ActorHandle]) -> None:
        if dead:
            raise self.error_of(dead, "construction")

    def _placed(self, workers: Sequence[ActorHandle], deadline: float) -> list[ActorHandle]:
        """Wait until actors run: those that have ended; raise where there is no room."""
        found, late, dead = self._fetch(workers, deadline, first_death=False)
        for worker, place in found:
            worker.place = place
        if late:
            indices = [i for worker in late for i in worker.indices]
            message = no_room_text(self._options, len(late), env_names(indices), self._start_timeout)
            raise WorkerTimeoutError(message, indices, "construction")
        return dead

    def _built(
        self, workers: Sequence[ActorHandle], deadline: float | None
    ) -> tuple[list[tuple[ActorHandle, Any]], list[ActorHandle]]:
        """Wait until actors have made their environments: descriptions, and the actors that have ended."""
        for worker in workers:
            worker.build()
        found, late, dead = self._fetch(workers, deadline)
        if late and not dead:
            raise self.late_error(late, "construction", None)
        answers = [(worker, pickle.loads(data)) for worker, data in found]  # noqa: S301 - of this program's own actors
        raise_failures([failure for _, (failures, _) in answers for failure in failures])
        return [(worker, description) for worker, (_, description) in answers], dead

    def _describe(self, built: list[tuple[ActorHandle, Any]]) -> None:
        """Take in the spaces, metadata and render mode of all environments."""
        known: dict[bytes, tuple[Any, Any]] = {}
        self.spaces: list[tuple[Any, Any]] = []
        """(observation space, action space) of each environment."""
        for worker, (pickled_pairs, indices, metadata) in built:
            for _, data in pickled_pairs:
                if data not in known or not data:
                    known[data] = worker.spaces(data)
            self.spaces += [known[pickled_pairs[j][1]] for j in indices]
            if worker.number == 0:
                self.metadata, self.render_mode = pickle.loads(metadata)  # noqa: S301 - as above

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> tuple[dict[str, Any], list[list[Any]]]:
        """Make the arrays of the batch, here and in the actors; those by name, and those of observations.

        Args:
            plan: of observations.
            action_plan: of actions.
            ring: number of buffers for observations.
        """
        n = self.num_envs
        self._arrays = {
            "rewards": np.zeros(n),
            "terminations": np.zeros(n, np.bool_),
            "truncations": np.zeros(n, np.bool_),
            "actions": [] if action_plan.object_parts else action_plan.arrays(n),
        }
        self._observations = [plan.arrays(n) for _ in range(ring)]
        if action_plan.object_parts:
            action_plan = type(action_plan)((), (), action_plan.object_parts, action_plan.tree)
        self._plans = dumps((plan, action_plan))
        self._warn_of_small_store()
        for worker in self.workers:
            worker.attach(self._plans)
        return self._arrays, self._observations

    def _warn_of_small_store(self) -> None:
        """Say so where the observations of a step fill the store of a node, which then writes them to its disk."""
        import ray

        size = sum(leaf.nbytes for leaf in self._observations[0])
        if size < 1 << 20:
            return
        here = ray.get_runtime_context().get_node_id()
        wanted = {here: size}
        for worker in self.workers:
            if worker.place is not None and worker.place.node_id != here:
                own = size * len(worker.indices) // self.num_envs
                wanted[worker.place.node_id] = wanted.get(worker.place.node_id, 0) + own
        for node in alive_nodes():
            store, needed = node["Resources"].get("object_store_memory", 0), wanted.get(node["NodeID"], 0)
            if needed > store / 2:
                logger.warn(
                    f"The observations of a step take {needed / 1e6:.0f} MB on node {node['NodeManagerAddress']} "
                    f"({node['NodeID'][:8]}), whose object store has {store / 1e6:.0f} MB: Ray will write them to "
                    "disk, which is slow. Start Ray there with a larger object_store_memory, or step fewer of them",
                    stacklevel=4,
                )

    # Requests to all

    def _assert_connected(self) -> None:
        if not self._cluster.is_connected():
            raise ClosedEnvironmentError("Ray was shut down, and the environments with it; make a new RayVectorEnv")

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Have every environment act, with these actions, or with those in the arrays."""
        self._assert_connected()
        self._waiting, number = self.workers, next(self._step_numbers)
        try:
            self._post_step(number, actions, buffer)
        except BaseException:  # Ctrl-C: some of the actors have not heard; for the others it is the same step
            self._post_step(number, actions, buffer)
            raise

    def _post_step(self, number: int, actions: Sequence[Any] | None, buffer: int) -> None:
        for worker in self.workers:
            rows = slice(worker.indices.start, worker.indices.stop)
            if actions is None:
                worker.step(number, [leaf[rows] for leaf in self._arrays["actions"]], None, buffer)
            else:
                worker.step(number, [], actions[rows], buffer)

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Have episodes begun in some environments, each (index, seed)."""
        self._assert_connected()
        self._last_reset = seeds, options
        self._waiting = [worker for worker in self.workers if _within(seeds, worker.indices)]
        for worker in self._waiting:
            worker.request("reset", _within(seeds, worker.indices), options, buffer)

    def last_reset(self, worker: ActorHandle) -> tuple[list[tuple[int, int | None]], dict[str, Any] | None]:
        """What the last `submit_reset` asked of an actor: (position in its shard, seed), and the options."""
        seeds, options = self._last_reset
        return _within(seeds, worker.indices), options

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Have something asked of every environment; arguments as of `EnvShard.call`."""
        self._assert_connected()
        each = kind in {"set", "masked"}
        self._waiting = self.workers
        for worker in self.workers:
            mine = args[worker.indices.start : worker.indices.stop] if each else args
            worker.request("call", kind, name, mine, kwargs)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the answers to what was submitted: messages, the actors that are late, those that have ended."""
        return self._answers(self._waiting, deadline)

    def wait_for(self, worker: ActorHandle, deadline: float | None) -> Answers:
        """Wait for the answer to the last request to one actor, which may have been started again late; as `wait`."""
        return self._answers([worker], None if deadline is None else max(deadline, self._deadline_after_restart))

    def _answers(self, workers: Sequence[ActorHandle], deadline: float | None) -> Answers:
        found, late, dead = self._fetch(workers, deadline, first_death=not self._settings.restart)
        messages = []
        for worker, (columns, data) in found:
            if columns and worker.rows is not None:
                self.write(worker.rows, columns, worker.buffer, with_rewards=worker.with_rewards)
            if data is not None:
                messages.append(pickle.loads(data))  # noqa: S301 - of this program's own actor
        return messages, list(late), list(dead)

    def write(self, rows: Any, columns: Sequence[Any], buffer: int, *, with_rewards: bool = True) -> None:
        """Write what an actor returned into the batch.

        Args:
            rows: of the batch.
            columns: rewards, terminations, truncations, and a leaf each of observations.
            buffer: for the observations.
            with_rewards: whether the first three are written, too.
        """
        if with_rewards:
            for name, column in zip(("rewards", "terminations", "truncations"), columns, strict=False):
                self._arrays[name][rows] = column
        for leaf, column in zip(self._observations[buffer], columns[3:], strict=True):
            leaf[rows] = column

    def _fetch(
        self, workers: Sequence[ActorHandle], deadline: float | None, *, first_death: bool = True
    ) -> tuple[list[tuple[ActorHandle, Any]], list[ActorHandle], list[ActorHandle]]:
        """Wait for the answers of actors: what they returned, who is late, who has ended.

        Args:
            workers: that were asked.
            deadline: for all.
            first_death: whether the first actor that has ended is all that is waited for.
        """
        import ray

        refs = [worker.ref for worker in workers]
        try:
            return list(zip(workers, ray.get(refs, timeout=remaining(deadline)), strict=True)), [], []
        except ray.exceptions.RayError:
            pass
        if not first_death:
            ray.wait(refs, num_returns=len(refs), timeout=remaining(deadline))
        found, late, dead = [], [], []
        for worker, ref in zip(workers, refs, strict=True):
            try:
                found.append((worker, ray.get(ref, timeout=0)))
            except ray.exceptions.GetTimeoutError:
                late.append(worker)
            except ray.exceptions.RayError as exc:
                worker.death = exc
                dead.append(worker)
        return found, late, dead

    # Requests to some

    def submit_step_of(self, worker: ActorHandle, env_ids: list[int], actions: Sequence[Any]) -> Any:
        """Have some environments of an actor act; the reference of the answer."""
        self._assert_connected()
        return worker.step_some(env_ids, actions)

    def worker_of(self, env_id: int) -> ActorHandle:
        """The actor that steps an environment."""
        return next(worker for worker in self.workers if env_id in worker.indices)

    # Failure and end

    def late_error(
        self, late: Sequence[ActorHandle], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """What to raise for actors that are late, with these of their environments; None for all."""
        seconds = "" if timeout is None else f" within {timeout:g} s"
        lines = []
        for worker in late:
            own = [i for i in worker.indices if indices is None or i in indices]
            lines.append(f"{env_names(own)}{'' if worker.place is None else f' on {worker.place}'}")
        message = (
            f"{phase} did not end{seconds} for {', and for '.join(lines)}. What they answer later is dropped; pass a "
            "longer timeout where that is how long they take, or close this and make a new RayVectorEnv"
        )
        named = [i for worker in late for i in worker.indices if indices is None or i in indices]
        return WorkerTimeoutError(message, named, phase)

    def error_of(self, dead: Sequence[ActorHandle], phase: str) -> WorkerError:
        """What to raise for actors that have ended."""
        indices = [i for worker in dead for i in worker.indices]
        lines = [
            f"{worker}, with {env_names(worker.indices)}, {worker.why_it_ended()} during {phase}" for worker in dead
        ]
        mend = (
            "What its environments or its packages need may be missing there: `gymkernel-vector-ray` has to be "
            'installed on every node, or in runtime_env={"uv": ["gymkernel-vector-ray", ...]}'
            if phase == "construction"
            else 'Its state is lost: make a new RayVectorEnv, or pass on_error="restart" to have actors started again'
        )
        error = WorkerError(".\n".join(lines) + ". " + mend, indices, phase, dict.fromkeys(w.number for w in dead))
        error.__cause__ = dead[0].death
        return error

    def restart(self, worker: ActorHandle, phase: str, deadline: float | None) -> WorkerError:
        """Start an actor that has ended again; its environments are new and want a reset. What it ended with.

        The cluster may take a while to notice that a node is lost, and to place an actor on another one: for that there
        is the time of a start, whatever the deadline.

        Raises:
            WorkerError: it was started again too often, or its environments cannot be made.
        """
        error, limit = self.error_of([worker], phase), self._settings.max_restarts
        if limit is not None and any(self._restarts[i] >= limit for i in worker.indices):
            error.add_note(f"It was started again {limit} times, which is the limit (max_restarts).")
            raise error
        for i in worker.indices:
            self._restarts[i] += 1
        seconds = max(self._start_timeout, (remaining(deadline) or 0))
        end, tries = time.monotonic() + seconds, 0
        worker.collect()
        while True:
            worker.kill()
            worker.start()
            dead = self._placed([worker], end) or self._built([worker], end)[1]
            if not dead:
                break
            tries += worker.place is not None and "node" not in worker.why_it_ended()
            if time.monotonic() >= end or tries >= TRIES:
                raise self.error_of(dead, "restart")
            time.sleep(NEXT_TRY)
        worker.attach(self._plans)
        worker.request("expect_reset")
        self._deadline_after_restart = time.monotonic() + seconds
        return error

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all actors and give everything back; failures of environments that could not close."""
        if self._closed:
            return []
        self._closed = True
        failures: list[Failure] = []
        try:
            if self._cluster.is_connected():
                if not terminate:
                    failures = self._close_envs(timeout)
                for worker in self.workers:
                    worker.kill()
        finally:
            self._waiting = self.workers = []
            self._cluster.release()
        return failures

    def _close_envs(self, timeout: float | None) -> list[Failure]:
        """Ask actors to close their environments; what failed."""
        import ray

        refs = [worker.ref for worker in self.workers]
        idle = set(ray.wait(refs, num_returns=len(refs), timeout=0)[0])
        closing = {worker.ask_to_close(): worker.ref in idle for worker in self.workers}
        now, failures = time.monotonic(), list[Any]()
        for of_idle, seconds in ((True, CLOSE_TIMEOUT), (False, GRACE_PERIOD)):
            deadline = now + (seconds if timeout is None else timeout)
            for ref in (ref for ref, was_idle in closing.items() if was_idle is of_idle):
                try:
                    failures += pickle.loads(ray.get(ref, timeout=remaining(deadline)))  # noqa: S301 - as above
                except ray.exceptions.RayError:  # late, or gone
                    continue
        return failures


def remaining(deadline: float | None) -> float | None:
    """Seconds until a deadline, none below 0; None for no deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _within(seeds: list[tuple[int, int | None]], indices: range) -> list[tuple[int, int | None]]:
    return [(i - indices.start, seed) for i, seed in seeds if i in indices]
