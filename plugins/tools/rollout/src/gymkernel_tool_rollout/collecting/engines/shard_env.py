"""The worker's part of the `async` engine: environments in an `AsyncVectorEnv` whose steps collect fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel import ops
from gymkernel.space import Space
from gymkernel_tool_rollout.collecting.shard import Recipe, Shard, Ticket
from gymkernel_tool_rollout.collecting.slots import SlotWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gymkernel_tool_rollout.collecting.fragment import Outcome

__all__ = ["Message", "ShardEnv", "SharedShard"]


class Message(Space[Any]):
    """A space that contains every Python object, such as a ticket or an outcome. Batches are tuples."""

    def contains(self, x: Any) -> bool:
        """Return True for every object."""
        return True

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return None."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message)

    def __hash__(self) -> int:
        return hash(Message)

    def __repr__(self) -> str:
        return "Message()"


@ops.batch_space.register(Message)
def _batch(space: Message, n: int = 1) -> Message:
    return space


@ops.iterate.register(Message)
def _iterate(space: Message, items: Iterable[Any]) -> Iterator[Any]:
    return iter(items)


@ops.create_empty_array.register(Message)
def _create_empty(space: Message, n: int = 1, fn: Any = None) -> tuple[Any, ...]:
    return (None,) * n


@ops.concatenate.register(Message)
def _concatenate(space: Message, items: Iterable[Any], out: Any) -> tuple[Any, ...]:
    return tuple(items)


class SharedShard:
    """A container for the shard in this process, which several `ShardEnv` objects share.

    Args:
        recipe: the description from which the shard is created.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe, self._slots = recipe, SlotWriter()
        self._shard: Shard | None = None

    def make(self) -> Shard:
        """Return the shard. The first call creates the shard and its environments."""
        if self._shard is None:
            self._shard = Shard(self._recipe)
        return self._shard

    def collect(self, ticket: Ticket) -> Outcome:
        """Collect a fragment, and write it into shared memory if this process can open that memory."""
        memory = None if ticket.memory is None else self._slots.open(ticket.memory)
        return self.make().collect(ticket, memory)

    def close(self) -> None:
        """Close the environments on the first call, and do nothing on further calls."""
        shard, self._shard = self._shard, None
        if shard is not None:
            shard.close()


class ShardEnv:
    """An environment that acts as a proxy for a shard. Each step collects one fragment.

    Args:
        shared: the container of the shard.
        first: whether this environment creates the shard.
    """

    metadata: Final[dict[str, Any]] = {}
    render_mode = spec = None

    def __init__(self, shared: SharedShard, *, first: bool) -> None:
        self.observation_space, self.action_space = Message(), Message()
        self._shared = shared
        if first:
            shared.make()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[None, dict[str, Any]]:
        """Do nothing, because a shard resets its own environments when it receives a request."""
        return None, {}

    def step(self, ticket: Ticket | None) -> tuple[Outcome | None, float, bool, bool, dict[str, Any]]:
        """Collect a fragment, or do nothing if the ticket is None (a ping)."""
        outcome = None if ticket is None else self._shared.collect(ticket)
        return outcome, 0.0, False, False, {}

    def close(self) -> None:
        """Close the environments."""
        self._shared.close()
