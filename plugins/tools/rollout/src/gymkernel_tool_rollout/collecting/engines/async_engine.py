"""The engine `async`: a process for each shard; what is in arrays comes back through shared memory.

The processes are those of an `AsyncVectorEnv`, to which a shard is an environment: its action is the request for a
fragment, its observation says what came of it. So whatever that backend knows of processes holds here too: how they are
started beside threads, what the program has registered, deaths, Ctrl-C, and that nothing is left.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gymkernel import Space, ops
from gymkernel.vector import AsyncVectorEnv
from gymkernel.vector.async_vector_env import WorkerTimeoutError
from gymkernel_tool_rollout.collecting.engines import unknown_options
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure
from gymkernel_tool_rollout.collecting.fragment import Outcome, fragment_of
from gymkernel_tool_rollout.collecting.shard import Shard
from gymkernel_tool_rollout.collecting.slots import SlotPool, SlotWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["AsyncEngine", "Message", "ShardEnv", "engine"]

OPTIONS: Final = ("context", "daemon", "start_timeout")


class Message(Space[Any]):
    """The space of what program and shards tell each other: any object; a batch is a tuple of them."""

    def contains(self, x: Any) -> bool:
        """Whatever it is."""
        return True

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message)

    def __hash__(self) -> int:
        return hash(Message)

    def __repr__(self) -> str:
        return "Message()"


@ops.batch_space.register(Message)
def _batched(space: Message, n: int = 1) -> Message:
    return space


@ops.iterate.register(Message)
def _items(space: Message, items: Iterable[Any]) -> Iterator[Any]:
    return iter(items)


@ops.create_empty_array.register(Message)
def _empty(space: Message, n: int = 1, fn: Any = None) -> tuple[Any, ...]:
    return (None,) * n


@ops.concatenate.register(Message)
def _together(space: Message, items: Iterable[Any], out: Any) -> tuple[Any, ...]:
    return tuple(items)


class ShardEnv:
    """A shard as an environment, whose step is a fragment."""

    metadata: Final[dict[str, Any]] = {}
    render_mode = spec = None

    def __init__(self, recipe: Recipe) -> None:
        self.observation_space, self.action_space = Message(), Message()
        self._shard, self._slots = Shard(recipe), SlotWriter()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[None, dict[str, Any]]:
        """Do nothing: what environments begin with is in the requests."""
        return None, {}

    def step(self, ticket: Ticket) -> tuple[Outcome, float, bool, bool, dict[str, Any]]:
        """Collect a fragment."""
        memory = None if ticket.memory is None else self._slots.open(ticket.memory)
        return self._shard.collect(ticket, memory), 0.0, False, False, {}

    def close(self) -> None:
        """Close the environments."""
        self._shard.close()


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

    remote = True

    @staticmethod
    def default_shards(**options: Any) -> int:  # noqa: ARG004 - other engines look at them
        """One for each core that this process may use."""
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        unknown_options(options, OPTIONS, "async")
        self._recipes = recipes
        self._outcomes: dict[int, Outcome] = {}
        """What was received and not waited for."""
        self._tickets: dict[int, Ticket] = {}
        self._pools = [SlotPool() for _ in recipes] if SlotPool.works() else []
        makers: list[Any] = [partial(ShardEnv, recipe) for recipe in recipes]
        seconds = options.pop("start_timeout", None)
        try:
            self._workers: AsyncVectorEnv[Any, Any, Any] = AsyncVectorEnv(
                makers, num_workers=len(recipes), on_error="restart", max_restarts=None, timeout=seconds, **options
            )
        except WorkerTimeoutError as exc:
            late = "; ".join(str(recipes[k]) for k in exc.indices)
            message = f"The environments of {late} were not made within {seconds:g} s (start_timeout=)"
            raise CollectTimeoutError(message, tuple(exc.indices)) from exc
        self._workers.timeout = None  # each call has its own
        try:
            self._workers.reset()
        except BaseException:
            self.close()
            raise

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Send the request to its process."""
        if self._pools:
            pool = self._pools[shard]
            pool.take_back()
            ticket = replace(ticket, memory=pool.take())
        self._tickets[shard] = ticket
        self._workers.send((ticket,), [shard])

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Receive what processes send until one of these shards has something."""
        while True:
            for shard in shards:
                if shard in self._outcomes:
                    return shard, self._outcomes.pop(shard)
            try:
                self._receive(timeout)
            except WorkerTimeoutError:
                return None

    def _receive(self, timeout: float | None) -> None:
        (outcome,), _, _, truncations, infos, (shard,) = self._workers.recv(1, timeout)
        shard = int(shard)
        ticket = self._tickets[shard]
        if truncations[0]:
            self._outcomes[shard] = Outcome(ticket.serial, failure=Failure(_reason(infos), lost=True))
        elif outcome is None:  # the process is a new one, and says so
            self._workers.send((ticket,), [shard])
        else:
            self._outcomes[shard] = outcome

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment, in shared memory as long as there is enough of it."""
        indices = self._recipes[shard].indices
        if outcome.arrays is not None or not self._pools:
            return fragment_of(outcome, shard, indices)
        memory, scarce = self._pools[shard].hand_out()
        found = fragment_of(outcome, shard, indices, memory)
        return found.copy() if scarce else found

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Use its memory for the next one."""
        if self._pools:
            self._pools[shard].take_back()

    def progress(self, shard: int) -> str:
        """The time step at which a shard is."""
        slot = self._pools[shard].current if self._pools else None
        row = None if slot is None else slot.row()
        return "" if row is None else f", at time step {row} of {self._tickets[shard].rows}"

    def close(self) -> None:
        """End the processes, and give the memory back."""
        try:
            for pool in self._pools:
                pool.stop()
            self._workers.close()
        finally:
            for pool in self._pools:
                pool.close()


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
