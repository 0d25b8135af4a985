"""The `async` engine, which runs each shard in its own process and returns fragments through shared memory.

The processes are the workers of an `AsyncVectorEnv`. To the vector environment, a shard looks like an environment whose
actions are requests for fragments and whose observations are outcomes. In this way, the engine reuses the backend's
handling of start methods, registrations, dead processes, Ctrl-C and cleanup. Two environments in the same worker act as
proxies for one shard, so that the shard can receive the next request while it collects a fragment. The worker answers
requests in order.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gymkernel_tool_rollout.collecting.engines import check_known_options
from gymkernel_tool_rollout.collecting.engines.requests import Request, Requests
from gymkernel_tool_rollout.collecting.engines.shard_env import ShardEnv, SharedShard
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure, ShardLostError
from gymkernel_tool_rollout.collecting.slots import SlotPool
from gymkernel_util_vector.cores import cores
from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_vector_async import AsyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_tool_rollout.collecting.fragment import Outcome
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["AsyncEngine"]

RESTART_SECONDS: Final = 60.0
"""How many seconds a restarted process has to create its environments, even if less time is left before a timeout."""
ENVS_PER_SHARD: Final = 2
"""The number of pending requests per shard.

With two, a shard already has the next request when it completes a fragment.
"""
OPTIONS: Final = ("context", "daemon", "start_timeout")


class AsyncEngine:
    """An engine that runs each shard in its own process.

    Args:
        recipes: one description per shard.
        timeout: ignored, because `wait` has its own timeout.
        **options: `context` and `daemon`, as in `AsyncVectorEnv`, and `start_timeout`, the maximum number of seconds
            for creating the environments (no limit by default).

    Raises:
        CollectTimeoutError: if the environments were not created in time.
    """

    remote, max_requests = True, ENVS_PER_SHARD

    @staticmethod
    def default_shards(**options: Any) -> int:  # noqa: ARG004 - other engines use this argument
        """Return the default number of shards: one for each core that this process may use."""
        return cores()

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        check_known_options(options, OPTIONS, "async")
        self._recipes = recipes
        self._requests = requests = Requests(recipes, shared=SlotPool.works())
        self.fragment, self.drop, self.progress = requests.fragment, requests.drop, requests.progress
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
            message = f"The environments of {late} were not created within {seconds:g} s (start_timeout=)"
            raise CollectTimeoutError(message, tuple(shards)) from exc
        except WorkerError as exc:
            raise self._error_of_shard(exc, "created") from None
        self._workers.timeout = None  # each call sets its own timeout
        try:
            self._workers.reset()
        except BaseException:
            with contextlib.suppress(Exception):  # an error raised by `close` must not hide the first error
                self.close()
            raise

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Send a request to a shard's process. If both of the shard's environments are busy, queue the request."""
        self._requests.add(shard, ticket)
        self._send(shard)

    def _send(self, shard: int) -> None:
        """Send a shard's queued requests to its process, in order.

        A restarted process receives requests only after both of its environments have answered a ping.
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
        """Receive results from processes until one of the given shards has an outcome."""
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
        """Receive one result. If a process has died, first restart it within the given number of seconds."""
        (outcome,), _, _, truncations, infos, (env,) = self._workers.recv(1, seconds)
        env = int(env)
        shard = env // ENVS_PER_SHARD
        envs = self._envs[shard]
        request = envs.busy.pop(env)
        if truncations[0]:
            envs.renew()
            if request is not None and request.outcome is None:
                self._requests.lose(
                    shard, request.ticket.generation, Failure(_reason(str(infos["env_error"][0])), lost=True)
                )
        elif request is None:
            envs.stale.discard(env)
            envs.free.append(env)
        else:
            if env not in envs.stale:
                envs.free.append(env)
            if request.outcome is None:
                request.outcome = outcome
        self._send(shard)

    def close(self) -> None:
        """Stop the processes and release the memory, then raise the first error that a shard reported."""
        try:
            self._requests.stop()
            self._workers.close()
        except WorkerError as exc:
            raise self._error_of_shard(exc, "closed") from None
        finally:
            self._requests.close()

    def _error_of_shard(self, exc: WorkerError, what: str) -> BaseException:
        """Convert a vector environment's error, which names `ShardEnv` objects, to an error that names the first shard.

        Args:
            exc: the error that the vector environment raised.
            what: what could not be done to the shard's environments: "created" or "closed".
        """
        env = min(exc.indices)
        shard, trace = env // ENVS_PER_SHARD, exc.tracebacks.get(env, "")
        recipe = self._recipes[shard]
        message = f"The environments of {recipe} could not be {what}"
        if exc.exit_codes:
            return ShardLostError(f"{message}: {_reason(str(exc))}", shard, recipe.indices)
        return Failure(message, exc.causes.get(env), trace).exception()


class _ShardEnvs:
    """The environments of an `AsyncVectorEnv` that act as proxies for a shard.

    Each proxy handles one request at a time.

    Args:
        indices: the indices of these environments in the `AsyncVectorEnv`.
    """

    def __init__(self, indices: range) -> None:
        self._indices = indices
        self.free = deque(indices)
        self.busy: dict[int, Request | None] = {}
        """The pending request of each busy environment; None for a ping, which checks that the process responds."""
        self.stale: set[int] = set()
        """The environments that have not answered a ping since the process was restarted."""

    def renew(self) -> None:
        """Record that the process was restarted."""
        self.free.clear()
        self.stale = set(self._indices)


def _reason(text: str) -> str:
    """Extract the part of an error message that says how a process died."""
    match = re.search(r", with .*?, ((?:was killed|ended)\b.*?) during ", text)
    return f"its process {match[1]}" if match else text
