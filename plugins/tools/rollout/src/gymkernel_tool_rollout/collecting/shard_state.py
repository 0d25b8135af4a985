"""`ShardState`: what the program knows of a shard: what was asked of it, and what it has left to do."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from gymkernel_tool_rollout.collecting.shard import Ticket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_tool_rollout.collecting.policies import PickledPolicy
    from gymkernel_tool_rollout.collecting.shard import Recipe

__all__ = ["ShardState"]


class ShardState:
    """What the program knows of a shard.

    Args:
        recipe: of it.
        num_envs: of all shards.
        num_steps: of all environments, until the rollout ends; None for no end.
        num_episodes: of all environments, until it ends; None where only steps count.

    Attributes:
        pending: requests whose fragments are not handed over, the oldest first.
        restarts: how often it was begun anew.
    """

    def __init__(self, recipe: Recipe, num_envs: int, num_steps: int | None, num_episodes: int | None) -> None:
        self.recipe, self.restarts = recipe, 0
        self.pending: deque[Ticket] = deque()
        self._rows = None if num_steps is None else num_steps // num_envs
        """Time steps that are not handed over."""
        self._episodes: list[int] | None = None
        """Of each environment, that are not handed over."""
        if num_episodes is not None:
            self._episodes = [num_episodes // num_envs + (i < num_episodes % num_envs) for i in recipe.indices]
        self._serial, self._version = 0, -1
        """Of the next request, and of the policy that came with the last one."""

    def is_done(self) -> bool:
        """Whether it has handed over all that it was to."""
        return self._rows == 0 or (self._episodes is not None and not any(self._episodes))

    def has_room(self, requests: int) -> bool:
        """Whether it may be asked for another fragment before it has finished those that it was asked for.

        What episodes are left is known only when the fragment before is there.

        Args:
            requests: how many its engine takes.
        """
        return len(self.pending) < (requests if self._episodes is None else 1)

    def rows(self, length: int, is_dropped: Callable[[int], bool]) -> int:
        """Time steps of the next request; 0 where those that are pending are the last ones.

        Args:
            length: of a fragment, at most.
            is_dropped: whether a pending fragment of this version of the policy will not count.
        """
        if self._rows is None:
            return 0 if self.is_done() else length
        asked = sum(ticket.rows for ticket in self.pending if not is_dropped(ticket.version))
        return min(length, self._rows - asked)

    def request(self, rows: int, version: int, policies: Mapping[int, PickledPolicy]) -> Ticket:
        """The request for the next fragment, which is pending from now on.

        Args:
            rows: time steps.
            version: of the policy.
            policies: by version.
        """
        episodes = None if self._episodes is None else tuple(self._episodes)
        ticket = Ticket(self._serial, self.restarts, rows, version, self._news(version, policies), episodes)
        self._serial += 1
        self.pending.append(ticket)
        return ticket

    def begin_anew(self, policies: Mapping[int, PickledPolicy]) -> list[Ticket]:
        """All pending requests again, for environments that are new.

        Args:
            policies: by version.
        """
        self.restarts += 1
        self._version = -1
        tickets = [
            ticket._replace(generation=self.restarts, policy=self._news(ticket.version, policies))
            for ticket in self.pending
        ]
        self.pending = deque(tickets)
        return tickets

    def _news(self, version: int, policies: Mapping[int, PickledPolicy]) -> PickledPolicy | None:
        """The policy, where the shard does not have this version yet."""
        if self._version == version:
            return None
        self._version = version
        return policies[version]

    def count(self, fragment: Fragment) -> None:
        """Note a fragment that is handed over."""
        if self._rows is not None:
            self._rows -= len(fragment["rewards"])
        if self._episodes is not None:
            for env in fragment["episode_ends"][:, 1].tolist():
                self._episodes[env] -= 1
