"""The engine `sync`: shards of this process, one after another, each when its fragment is waited for."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any

from gymkernel_tool_rollout.collecting.engines import unknown_options
from gymkernel_tool_rollout.collecting.errors import Failure
from gymkernel_tool_rollout.collecting.fragment import fragment_of
from gymkernel_tool_rollout.collecting.shard import Shard
from gymkernel_tool_rollout.collecting.slots import PrivateSlot, SlotPool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["SyncEngine", "engine"]


class SyncEngine:
    """Runs shards in this process; nothing is collected before it is asked for.

    Args:
        recipes: of the shards.
        timeout: not used: what runs here cannot be left waiting.
        **options: none.
    """

    remote, max_requests = False, 2

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        unknown_options(options, (), "sync")
        self._recipes, self._shards = recipes, list[Shard]()
        self._tickets: list[deque[Ticket]] = [deque() for _ in recipes]
        self._pools = [SlotPool(PrivateSlot) for _ in recipes]
        self._taken: list[Any] = [None for _ in recipes]
        """The slot of the fragment that was waited for, and neither handed over nor dropped."""
        try:
            for recipe in recipes:
                self._shards.append(Shard(recipe))
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is told
                self.close()
            raise

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Note what is asked of a shard."""
        self._tickets[shard].append(ticket)

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Collect the fragment of the first of these shards."""
        shard = shards[0]
        slot = self._taken[shard] = self._pools[shard].take()
        outcome = self._shards[shard].collect(self._tickets[shard].popleft(), slot.grown)
        if outcome.failure is not None:
            self.drop(shard, outcome)
        return shard, outcome

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment, in memory that is used again when nobody looks at it any more."""
        slot, self._taken[shard] = self._taken[shard], None
        memory, scarce = self._pools[shard].hand_out(slot)
        found = fragment_of(outcome, shard, self._recipes[shard].indices, memory)
        return found.copy() if scarce else found

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Use its memory for the next one."""
        slot, self._taken[shard] = self._taken[shard], None
        self._pools[shard].take_back(slot)

    def progress(self, shard: int) -> str:
        """Nobody asks."""
        return ""

    def close(self) -> None:
        """Close all environments; the first error is raised at the end."""
        shards, self._shards = self._shards, []
        errors: list[BaseException] = []
        for shard in shards:
            try:
                shard.close()
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - the other shards are closed, too
                errors.append(exc)
        if errors:
            raise Failure.of(errors[0]).exception()


engine = SyncEngine
