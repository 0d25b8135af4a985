"""The `sync` engine, which runs shards in this process, one after the other, when the program waits for fragments."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any

from gymkernel_tool_rollout.collecting.engines import check_known_options
from gymkernel_tool_rollout.collecting.engines.requests import FragmentSlots
from gymkernel_tool_rollout.collecting.errors import Failure
from gymkernel_tool_rollout.collecting.shard import Shard
from gymkernel_tool_rollout.collecting.slots import PrivateSlot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_tool_rollout.collecting.fragment import Outcome
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["SyncEngine"]


class SyncEngine(FragmentSlots[PrivateSlot]):
    """An engine that runs shards in this process, whenever the program waits for a fragment.

    Args:
        recipes: one description per shard.
        timeout: ignored, because the engine cannot interrupt code in its own process.
        **options: must be empty, because this engine has no options.
    """

    remote, max_requests = False, 2

    def __init__(self, recipes: Sequence[Recipe], timeout: float | None = None, **options: Any) -> None:
        check_known_options(options, (), "sync")
        super().__init__(recipes, PrivateSlot)
        self._shards = list[Shard]()
        self._tickets: list[deque[Ticket]] = [deque() for _ in recipes]
        try:
            for recipe in recipes:
                self._shards.append(Shard(recipe))
        except BaseException:
            with contextlib.suppress(Exception):  # an error raised by `close` must not hide the first error
                self.close()
            raise

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Queue a request to a shard until `wait` is called."""
        self._tickets[shard].append(ticket)

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Collect a fragment from the first of the given shards."""
        shard = shards[0]
        slot = self._current[shard] = self._pools[shard].take()
        outcome = self._shards[shard].collect(self._tickets[shard].popleft(), slot.resize)
        if outcome.failure is not None:
            self.drop(shard, outcome)
        return shard, outcome

    def progress(self, shard: int) -> str:
        """Return "", because progress is only reported after timeouts, which this engine does not have."""
        return ""

    def close(self) -> None:
        """Close all environments, then raise the first error."""
        shards, self._shards = self._shards, []
        errors: list[BaseException] = []
        for shard in shards:
            try:
                shard.close()
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - the other shards must be closed, too
                errors.append(exc)
        if errors:
            raise Failure.of(errors[0]).exception()
