"""The `ShardState` class, which records a shard's pending requests and its remaining steps or episodes."""

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
    """The program's record of the progress of a shard, which may run in another process.

    Args:
        recipe: the description from which the shard is created.
        num_envs: the total number of environments in all shards.
        num_steps: the total number of steps, summed over all environments; None for no limit.
        num_episodes: the total number of episodes in all environments; None if episodes are not counted.

    Attributes:
        pending: the requests whose fragments have not been returned yet, oldest first.
        restarts: how many times the shard has been restarted.
    """

    def __init__(self, recipe: Recipe, num_envs: int, num_steps: int | None, num_episodes: int | None) -> None:
        self.recipe, self.restarts = recipe, 0
        self.pending: deque[Ticket] = deque()
        self._rows = None if num_steps is None else num_steps // num_envs
        """How many time steps have not been returned yet."""
        self._episodes: list[int] | None = None
        """How many episodes of each environment have not been returned yet."""
        if num_episodes is not None:
            self._episodes = [num_episodes // num_envs + (i < num_episodes % num_envs) for i in recipe.indices]
        self._serial, self._version = 0, -1
        """The sequence number of the next request, and the version of the latest policy that was sent to the shard."""

    def is_done(self) -> bool:
        """Return whether the shard has returned all its steps or episodes."""
        return self._rows == 0 or (self._episodes is not None and not any(self._episodes))

    def has_room(self, requests: int) -> bool:
        """Return whether another fragment may be requested before the pending requests are answered.

        If episodes are counted, only one request may be pending, because the number of episodes to request depends on
        how many end in the pending fragment.

        Args:
            requests: the maximum number of pending requests per shard.
        """
        return len(self.pending) < (requests if self._episodes is None else 1)

    def rows(self, length: int, is_dropped: Callable[[int], bool]) -> int:
        """Return the number of time steps for the next request, or 0 if no further requests are needed.

        Args:
            length: the maximum number of time steps per fragment.
            is_dropped: a function that takes a policy version and returns whether pending fragments with that version
                will be dropped.
        """
        if self._rows is None:
            return 0 if self.is_done() else length
        pending = sum(ticket.rows for ticket in self.pending if not is_dropped(ticket.version))
        return min(length, self._rows - pending)

    def request(self, rows: int, version: int, policies: Mapping[int, PickledPolicy]) -> Ticket:
        """Create the request for the next fragment and add it to the pending requests.

        Args:
            rows: the number of time steps to collect.
            version: the version of the policy to use.
            policies: the policies, keyed by version.
        """
        episodes = None if self._episodes is None else tuple(self._episodes)
        ticket = Ticket(self._serial, self.restarts, rows, version, self._new_policy(version, policies), episodes)
        self._serial += 1
        self.pending.append(ticket)
        return ticket

    def restart(self, policies: Mapping[int, PickledPolicy]) -> list[Ticket]:
        """Count a restart, and change all pending requests so that the shard creates new environments.

        Return the requests.

        Args:
            policies: the policies, keyed by version.
        """
        self.restarts += 1
        self._version = -1
        tickets = [
            ticket._replace(generation=self.restarts, policy=self._new_policy(ticket.version, policies))
            for ticket in self.pending
        ]
        self.pending = deque(tickets)
        return tickets

    def _new_policy(self, version: int, policies: Mapping[int, PickledPolicy]) -> PickledPolicy | None:
        """Return the policy with the given version, or None if the shard already has it."""
        if self._version == version:
            return None
        self._version = version
        return policies[version]

    def count(self, fragment: Fragment) -> None:
        """Subtract a fragment's steps or episodes from those that remain.

        Args:
            fragment: the fragment that will be returned to the user.
        """
        if self._rows is not None:
            self._rows -= len(fragment["rewards"])
        if self._episodes is not None:
            for env in fragment["episode_ends"][:, 1].tolist():
                self._episodes[env] -= 1
