"""The `Collector` class, an iterator over the fragments of a rollout."""

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
    """An iterator over the fragments of a rollout. Create a collector with `collect`, and close it after use.

    Args:
        recipes: one description per shard, from which the engine creates the shard.
        policy: the policy that chooses the actions.
        maker: a callable that takes the recipes and the options and returns an engine.
        options: keyword arguments for `maker`.
        num_steps: the total number of steps, summed over all environments; None for no limit.
        num_episodes: the total number of episodes; None for no limit.
        fragment_length: the maximum number of time steps per fragment.
        order: "round_robin" or "ready"; see `collect`.
        max_staleness: how many times the policy may be updated between the start of a fragment and its return; None for
            no limit. Fragments that exceed the limit are dropped.
        max_waiting: the maximum number of fragments that are collected in advance.
        max_restarts: how many times each shard may be restarted; None for no limit.
        only_lost: whether to raise all errors except the loss of a shard's process, after which the shard is restarted.
        timeout: the maximum number of seconds to wait for a fragment; None for no limit.

    Attributes:
        seed: the seed of environment 0.
        num_envs: the total number of environments in all shards.
        num_steps, num_episodes: the number of steps and episodes in all fragments that have been returned so far.
        policy_version: the number of calls to `update` so far.
        num_restarts: how many times shards have been restarted, summed over all shards.
        num_dropped: how many fragments have been dropped because they exceeded `max_staleness`.
        seconds: the time since the first fragment was requested, in seconds.
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
        """The indices of the shards with pending requests, in the order of the requests."""
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
        """The maximum number of pending requests per shard."""
        self._closed = False

    @property
    def num_shards(self) -> int:
        """The number of shards."""
        return len(self._shards)

    @property
    def seconds(self) -> float:
        """The time since the first fragment was requested, in seconds."""
        return 0.0 if self._start is None else time.perf_counter() - self._start

    def update(self, policy: Any) -> int:
        """Use a new policy for all fragments that start from now on, and return the policy's version number.

        Fragments in progress are completed with the policy that they started with. A fragment's `policy_version`
        attribute shows which policy was used. The new policy is copied, so later changes to the original have no
        effect.

        Args:
            policy: any policy that `collect` accepts.
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
            StopIteration: if the requested number of steps or episodes has been collected. The collector is then
                closed.
            CollectTimeoutError: if no fragment was ready in time. You can call `next` again.
            ShardLostError: if a shard's process or node was lost.
            Exception: if an environment or the policy raised this exception. A note names its source. If the source
                called `sys.exit`, an `Error` is raised instead. The collector is then closed.
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
            with contextlib.suppress(Exception):  # an error raised by `close` must not hide the first error
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
            # The shard was restarted after this request, so the fragment has been requested again.
            if outcome.generation is not None and outcome.generation < shard.restarts:
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
        """Request fragments until `max_waiting` requests are pending.

        Every engine gets the same requests in the same order.

        Args:
            early: whether to request one more fragment now instead of when the next fragment is returned, so that the
                shard can continue without a pause. This does not change the policy version, because the program cannot
                update the policy before the next fragment is returned.
        """
        limit = self._waiting + early
        while len(self._requested) < limit and (choice := self._choose_shard(early=early)) is not None:
            number, rows = choice
            shard, self._turn = self._shards[number], (number + 1) % len(self._shards)
            ticket = shard.request(rows, self.policy_version, self._policies)
            self._requested.append(number)
            self._engine.submit(number, ticket)

    def _choose_shard(self, *, early: bool) -> tuple[int, int] | None:
        """Return the shard and the number of time steps for the next request, or None if no shard can accept a request.

        In "round_robin" order, choose the next shard in turn. In "ready" order, choose the shard with the fewest
        requests.
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
            f"No fragment was ready within {self._timeout:g} s from {where}. You can call next again. If "
            "environments hang, close() ends their processes"
        )
        raise CollectTimeoutError(message, tuple(awaited))

    def _restart(self, shard: ShardState, failure: Failure) -> None:
        """Restart a shard and repeat its pending requests, or raise the failure if no restart is allowed."""
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
        """Stop all shards and drop the fragments in progress. Fragments that were already returned stay valid.

        Raises:
            Exception: if an environment's `close` raised this exception. All other environments are still closed, and a
                note names the first environment that failed. If the environment called `sys.exit`, an `Error` is raised
                instead.
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
        with contextlib.suppress(Exception):  # closing may fail while the program exits
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self.num_steps} steps"
        return f"Collector({self.num_envs} environments in {len(self._shards)} shards, {state})"
