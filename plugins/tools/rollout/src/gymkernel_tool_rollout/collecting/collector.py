"""`Collector`: the iterator of the fragments of a rollout."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from gymkernel.error import ClosedEnvironmentError
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure, ShardLostError
from gymkernel_tool_rollout.collecting.policies import pickled
from gymkernel_tool_rollout.collecting.shard_state import ShardState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from gymkernel_tool_rollout.collecting.engines import Engine
    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Recipe

__all__ = ["Collector"]


class Collector:
    """An iterator over the fragments of a rollout, which must be closed; `collect` creates it.

    Args:
        recipes: the descriptions of the shards.
        policy: the policy that chooses the actions.
        maker: a callable that creates the engine from the recipes and the options.
        options: the options of the engine.
        num_steps: the total number of steps of all environments; None for no end.
        num_episodes: the total number of episodes; None for no end.
        fragment_length: the largest number of time steps of a fragment.
        order: "round_robin" or "ready"; see `collect`.
        max_staleness: the largest number of policy updates between the start of a fragment and its return. Older
            fragments are dropped. None for no limit.
        max_waiting: the largest number of fragments that are collected in advance.
        max_restarts: the largest number of restarts of a shard; None for no limit.
        only_lost: whether a shard is restarted only if its process was lost. Other errors are then raised.
        timeout: the seconds to wait for a fragment; None for no limit.

    Attributes:
        seed: the seed of environment 0.
        num_envs: the number of environments of all shards.
        num_steps, num_episodes: the numbers of steps and episodes in the fragments that were returned.
        policy_version: the version of the last `update`; 0 before the first update.
        num_restarts: the number of restarts of all shards.
        num_dropped: the number of fragments that were dropped because they were too old.
        seconds: the seconds since the first fragment was requested.
    """

    def __init__(
        self,
        recipes: Sequence[Recipe],
        policy: Any,
        maker: Callable[..., Any],
        options: dict[str, Any],
        *,
        num_steps: int | None,
        num_episodes: int | None,
        fragment_length: int,
        order: str,
        max_staleness: int | None,
        max_waiting: int,
        max_restarts: int | None,
        only_lost: bool,
        timeout: float | None,
    ) -> None:
        self._closed = True
        self.seed, self.num_envs = recipes[0].seed, recipes[-1].indices.stop
        self.num_steps = self.num_episodes = self.policy_version = self.num_restarts = self.num_dropped = 0
        self._length, self._timeout = fragment_length, timeout
        self._in_order, self._staleness, self._waiting = order == "round_robin", max_staleness, max_waiting
        self._shards = [ShardState(recipe, self.num_envs, num_steps, num_episodes) for recipe in recipes]
        self._requested: list[int] = []
        """The shard of each pending request, in the order of the requests."""
        self._turn = 0
        self._max_restarts, self._only_lost = max_restarts, only_lost
        self._start: float | None = None
        remote = getattr(maker, "remote", True)
        self._policies = {0: pickled(policy, needed=remote)}
        try:
            self._engine: Engine = maker(recipes, timeout=timeout, **options)
        except SystemExit as exc:
            raise Failure.of(exc).exception() from exc
        self._requests: int = getattr(self._engine, "max_requests", 1)
        self._ahead = 1 if max_staleness is not None else 2
        """The largest number of pending requests to one shard."""
        self._closed = False

    @property
    def num_shards(self) -> int:
        """The number of shards."""
        return len(self._shards)

    @property
    def seconds(self) -> float:
        """The seconds since the first fragment was requested."""
        return 0.0 if self._start is None else time.perf_counter() - self._start

    def update(self, policy: Any) -> int:
        """Use another policy for fragments that start from now on, and return the version of this policy.

        Fragments that are under way continue with the policy with which they started; see the attribute
        `policy_version` of a fragment. The policy is copied, so later changes to it have no effect.

        Args:
            policy: a policy, as for `collect`.
        """
        self._assert_open()
        copied = pickled(policy, needed=self._engine.remote)
        self.policy_version += 1
        used = {ticket.version for shard in self._shards for ticket in shard.pending}
        self._policies = {version: known for version, known in self._policies.items() if version in used}
        self._policies[self.policy_version] = copied
        return self.policy_version

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Fragment:
        """Return the next fragment.

        Raises:
            StopIteration: the requested number of steps or episodes is complete. The collector is closed.
            CollectTimeoutError: no fragment was ready in time. The next fragment may be requested again.
            ShardLostError: the process or node of a shard ended.
            Exception: the exception of an environment or of the policy, with a note that names its source; an `Error`
                if the source called `sys.exit`. The collector is closed.
        """
        if self._closed:
            if self._is_done():
                raise StopIteration
            self._assert_open()
        if self._start is None:
            self._start = time.perf_counter()
        try:
            fragment = self._next()
        except CollectTimeoutError:
            raise
        except BaseException:
            with contextlib.suppress(Exception):  # an error of close must not hide the first error
                self.close()
            raise
        if fragment is None:
            self.close()
            raise StopIteration
        return fragment

    def _next(self) -> Fragment | None:
        early = self._in_order and self._staleness not in {0, None}
        while True:
            if self._staleness != 0 or not self._requested:
                self._request(early=early)
            if not self._requested:
                return None
            number, outcome = self._await()
            shard = self._shards[number]
            if outcome.generation is not None and outcome.generation < shard.restarts:  # it was requested again
                if outcome.failure is None:
                    self._engine.drop(number, outcome)
                continue
            if outcome.failure is not None:
                self._restart(shard, outcome.failure)
                continue
            self._requested.remove(number)
            shard.pending.popleft()
            if self._is_too_old(outcome.version):
                self._engine.drop(number, outcome)
                self.num_dropped += 1
                continue
            fragment = self._engine.fragment(number, outcome)
            shard.count(fragment)
            self.num_steps += fragment.num_steps
            self.num_episodes += fragment.num_episodes
            if self._staleness != 0:
                self._request()
            return fragment

    def _is_too_old(self, version: int) -> bool:
        return self._staleness is not None and self.policy_version - version > self._staleness

    def _request(self, *, early: bool = False) -> None:
        """Request as many fragments as may wait, at the same points of a program with every engine.

        Args:
            early: whether to request one more fragment now, which would otherwise be requested when the next fragment
                is returned. Its shard continues without a pause. The policy version is the same, because the program
                cannot update the policy before the next fragment is returned.
        """
        limit = self._waiting + early
        while len(self._requested) < limit and (choice := self._choose_shard(early=early)) is not None:
            number, rows = choice
            shard, self._turn = self._shards[number], (number + 1) % len(self._shards)
            ticket = shard.request(rows, self.policy_version, self._policies)
            self._requested.append(number)
            self._engine.submit(number, ticket)

    def _choose_shard(self, *, early: bool) -> tuple[int, int] | None:
        """Return the shard for the next request and the number of time steps, or None if no shard has room.

        With the order "round_robin", the shard is the next one in turn; otherwise, the shard with the fewest requests.
        """
        shards = self._shards
        numbers = [*range(self._turn, len(shards)), *range(self._turn)]
        if not self._in_order:
            numbers.sort(key=lambda number: len(shards[number].pending))
        for number in numbers:
            rows = shards[number].rows(self._length, self._is_too_old)
            requests = self._ahead + (early and self._requested[:1] == [number])
            if rows and shards[number].has_room(min(requests, self._requests)):
                return number, rows
            if self._in_order and shards[number].pending:
                return None
        return None

    def _await(self) -> tuple[int, Outcome]:
        awaited = self._requested[:1] if self._in_order else list(dict.fromkeys(self._requested))
        answer = self._engine.wait(awaited, self._timeout)
        if answer is not None:
            return answer
        late = [self._shards[k].recipe for k in awaited]
        where = "; ".join(f"{recipe}{self._engine.progress(recipe.shard)}" for recipe in late)
        message = (
            f"No fragment was ready within {self._timeout:g} s from {where}. It may be requested again; if "
            "environments hang, close() ends their processes"
        )
        raise CollectTimeoutError(message, tuple(awaited))

    def _restart(self, shard: ShardState, failure: Failure) -> None:
        """Request the pending fragments again from new environments, or raise the failure."""
        limit = 0 if self._only_lost and not failure.lost else self._max_restarts
        if limit is None or shard.restarts < limit:
            self.num_restarts += 1
            for ticket in shard.restart(self._policies):
                self._engine.submit(shard.recipe.shard, ticket)
            return
        if failure.lost:
            remedy = (
                f"it was restarted {limit} times, which is the limit (max_restarts)"
                if limit
                else 'pass on_error="restart" to restart such shards automatically'
            )
            who, serial = str(shard.recipe), shard.pending[0].serial
            message = f"{who[:1].upper()}{who[1:]} ended in fragment {serial}: {failure.message}; {remedy}"
            raise ShardLostError(message, shard.recipe.shard, shard.recipe.indices)
        exc = failure.exception()
        if limit:
            exc.add_note(f"The shard was restarted {limit} times, which is the limit (max_restarts).")
        raise exc

    def _is_done(self) -> bool:
        return all(shard.is_done() for shard in self._shards)

    def _assert_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("This collector is closed; call collect to create another collector")

    def close(self) -> None:
        """End all shards, and drop the fragments that are under way. Fragments that were returned stay valid.

        Raises:
            Exception: the exception of the first environment that could not be closed, with a note that names the
                environment; an `Error` if the environment called `sys.exit`. All other environments are closed, too.
        """
        if not self._closed:
            self._closed = True
            try:
                self._engine.close()
            except SystemExit as exc:
                raise Failure.of(exc).exception() from exc

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # closing may fail at the end of the program
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self.num_steps} steps"
        return f"Collector({self.num_envs} environments in {len(self._shards)} shards, {state})"
