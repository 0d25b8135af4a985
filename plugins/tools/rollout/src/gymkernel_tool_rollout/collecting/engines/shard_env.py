"""The worker's side of the engine `async`: a shard as environments of `AsyncVectorEnv`, whose steps are fragments."""

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


class SharedShard:
    """The shard of a process, that several environments of it lead to.

    Args:
        recipe: of the shard.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe, self._slots = recipe, SlotWriter()
        self._shard: Shard | None = None

    def make(self) -> Shard:
        """The shard, with its environments."""
        if self._shard is None:
            self._shard = Shard(self._recipe)
        return self._shard

    def collect(self, ticket: Ticket) -> Outcome:
        """Collect a fragment, in shared memory where that can be opened here."""
        memory = None if ticket.memory is None else self._slots.open(ticket.memory)
        return self.make().collect(ticket, memory)

    def close(self) -> None:
        """Close the environments; once is enough."""
        shard, self._shard = self._shard, None
        if shard is not None:
            shard.close()


class ShardEnv:
    """A way to a shard as an environment, whose step is a fragment.

    Args:
        shared: the shard.
        first: whether this one makes the shard.
    """

    metadata: Final[dict[str, Any]] = {}
    render_mode = spec = None

    def __init__(self, shared: SharedShard, *, first: bool) -> None:
        self.observation_space, self.action_space = Message(), Message()
        self._shared = shared
        if first:
            shared.make()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[None, dict[str, Any]]:
        """Do nothing: what environments begin with is in the requests."""
        return None, {}

    def step(self, ticket: Ticket | None) -> tuple[Outcome | None, float, bool, bool, dict[str, Any]]:
        """Collect a fragment; nothing for None."""
        outcome = None if ticket is None else self._shared.collect(ticket)
        return outcome, 0.0, False, False, {}

    def close(self) -> None:
        """Close the environments."""
        self._shared.close()
