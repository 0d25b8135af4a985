"""The engine `async`: a process for each shard; what is in arrays comes back through shared memory.

The processes are those of an `AsyncVectorEnv`, to which a shard is an environment: its action is the request for a
fragment, its observation says what came of it. So whatever that backend knows of processes holds here too: how they are
started beside threads, what the program has registered, deaths, Ctrl-C, and that nothing is left. To take the next
request while it collects a fragment, a shard is two environments of one worker, which answers in the order of requests.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gymkernel_tool_rollout.collecting.engines import unknown_options
from gymkernel_tool_rollout.collecting.engines.requests import Request, Requests
from gymkernel_tool_rollout.collecting.engines.shard_env import ShardEnv, SharedShard
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure
from gymkernel_tool_rollout.collecting.slots import SlotPool
from gymkernel_util_vector.cores import cores
from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_vector_async import AsyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["AsyncEngine", "engine"]

RESTART_SECONDS: Final = 60.0
"""For the environments of a process that is started again, at least, whatever is left for a fragment."""
ENVS_PER_SHARD: Final = 2
"""Requests that a shard takes: the next one is there when it has finished one."""
OPTIONS: Final = ("context", "daemon", "start_timeout")


class AsyncEngine:
    """Runs each shard in a process of its own.

    Args:
        recipes: of the shards.
        timeout: not used here: `wait` has its own.
        **options: `context` and `daemon`, as of `AsyncVectorEnv`; `start_timeout`, seconds for the environments to be
            made, by default no limit.

    Raises:
        CollectTimeoutError: environments were not made in time.
    """

    remote, max_requests = True, ENVS_PER_SHARD

    @staticmethod
    def default_shards(**options: Any) -> int:  # noqa: ARG004 - other engines look at them
        """Return one shard for each core that this process may use."""
        return cores()

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        unknown_options(options, OPTIONS, "async")
        self._recipes = recipes
        self._requests = Requests(recipes, shared=SlotPool.works())
        self._envs = [_ShardEnvs(range(k * ENVS_PER_SHARD, (k + 1) * ENVS_PER_SHARD)) for k in range(len(recipes))]
        makers: list[Any] = []
        for recipe in recipes:
            shared = SharedShard(recipe)
            makers += [partial(ShardEnv, shared, first=not k) for k in range(ENVS_PER_SHARD)]
        seconds = options.pop("start_timeout", None)
        try:
            self._workers: AsyncVectorEnv[Any, Any, Any] = AsyncVectorEnv(
                makers, num_workers=len(recipes), on_error="restart", max_restarts=None, timeout=seconds, **options
            )
        except WorkerTimeoutError as exc:
            shards = sorted({env // ENVS_PER_SHARD for env in exc.indices})
            late = "; ".join(str(recipes[k]) for k in shards)
            message = f"The environments of {late} were not made within {seconds:g} s (start_timeout=)"
            raise CollectTimeoutError(message, tuple(shards)) from exc
        self._workers.timeout = None  # each call has its own
        try:
            self._workers.reset()
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is told
                self.close()
            raise

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Send the request to its process, or have it sent when there is a way."""
        self._requests.add(shard, ticket)
        self._send(shard)

    def _send(self, shard: int) -> None:
        """Send what waits to be sent to a shard, in the order of its requests.

        A process that was started again is heard through both of its environments before it is sent anything.
        """
        envs = self._envs[shard]
        stale = [env for env in envs.stale if env not in envs.busy]
        for env in stale:
            envs.busy[env] = None
            self._workers.send((None,), [env])
        if envs.stale:
            return
        for request in self._requests.of(shard):
            if not envs.free:
                return
            if request.handle is None and request.outcome is None:
                env = request.handle = envs.free.popleft()
                envs.busy[env] = request
                self._workers.send((request.ticket,), [env])

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Receive what processes send until one of these shards has something."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            for shard in shards:
                if (outcome := self._requests.take(shard)) is not None:
                    return shard, outcome
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            try:
                if not self._workers.poll(left):
                    return None
                self._receive(None if left is None else max(left, RESTART_SECONDS))
            except WorkerTimeoutError:
                return None

    def _receive(self, seconds: float | None) -> None:
        """Take what is ready; a process that has ended is started again first, in so many seconds."""
        (outcome,), _, _, truncations, infos, (env,) = self._workers.recv(1, seconds)
        env = int(env)
        shard = env // ENVS_PER_SHARD
        envs = self._envs[shard]
        request = envs.busy.pop(env)
        if truncations[0]:
            envs.renew()
            if request is not None and request.outcome is None:
                self._requests.lose(shard, request.ticket.generation, Failure(_reason(infos), lost=True))
        elif request is None:
            envs.stale.discard(env)
            envs.free.append(env)
        else:
            if env not in envs.stale:
                envs.free.append(env)
            if request.outcome is None:
                request.outcome = outcome
        self._send(shard)

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment, in shared memory as long as there is enough of it."""
        return self._requests.fragment(shard, outcome)

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Use its memory for the next one."""
        self._requests.drop(shard)

    def progress(self, shard: int) -> str:
        """The time step at which a shard is."""
        return self._requests.progress(shard)

    def close(self) -> None:
        """End the processes, and give the memory back; the first error of a shard is raised at the end."""
        try:
            self._requests.stop()
            self._workers.close()
        except WorkerError as exc:  # its numbers are of ways to shards
            raise self._of_shard(exc).exception() from None
        finally:
            self._requests.close()

    def _of_shard(self, exc: WorkerError) -> Failure:
        """What the first of the shards that could not be closed has raised."""
        way = min(exc.indices)
        recipe, trace = self._recipes[way // ENVS_PER_SHARD], exc.tracebacks.get(way, "")
        return Failure(f"The environments of {recipe} could not be closed", exc.causes.get(way), trace)


class _ShardEnvs:
    """The ways to the shard of one process, each of which takes a request at a time.

    Args:
        indices: of the environments of `AsyncVectorEnv` that they are.
    """

    def __init__(self, indices: range) -> None:
        self._indices = indices
        self.free = deque(indices)
        self.busy: dict[int, Request | None] = {}
        """What is under way; None for a ping, which finds out whether the process hears."""
        self.stale: set[int] = set()
        """Those that have not been heard since the process was started again."""

    def renew(self) -> None:
        """Note that the process is a new one."""
        self.free.clear()
        self.stale = set(self._indices)


def _reason(infos: Any) -> str:
    """What became of a process, without what a vector environment says of itself."""
    text = str(infos["env_error"][0])
    _, comma, rest = text.partition(", with ")
    _, space, what = rest.partition(" was killed ") if " was killed " in rest else rest.partition(" ended ")
    if not (comma and space):
        return text
    what = what.partition(" during ")[0]
    return f"its process was killed {what}" if " was killed " in rest else f"its process ended {what}"


engine = AsyncEngine
