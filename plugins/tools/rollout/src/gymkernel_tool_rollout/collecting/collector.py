"""`Collector`: the fragments of a rollout, one after another."""

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
    """The fragments of a rollout, to be iterated over, and closed; `collect` makes it.

    Args:
        recipes: of the shards, which say what each is made of.
        policy: what chooses the actions.
        maker: makes the engine, of the recipes and the options.
        options: of the engine.
        num_steps: after how many steps of all environments it ends; None for no end.
        num_episodes: after how many episodes; None for no end.
        fragment_length: time steps of a fragment.
        order: "round_robin" or "ready", as of `collect`.
        max_staleness: how many updates of the policy a fragment may lack; an older one is dropped. None for no bound.
        max_waiting: fragments that may wait to be handed over.
        max_restarts: how often shards may be begun anew; None for no limit.
        only_lost: whether only shards whose process was lost are, and errors are raised.
        timeout: seconds for a fragment; None for no limit.

    Attributes:
        seed: of environment 0.
        num_envs: of all shards.
        num_steps, num_episodes: of the fragments that were handed over.
        policy_version: of the last `update`; 0 before the first.
        num_restarts: how often a shard was begun anew.
        num_dropped: fragments that were too old when their turn came.
        seconds: since the first fragment was asked for.
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
        self._asked: list[int] = []
        """The shard of each pending request, in the order in which they were asked."""
        self._turn = 0
        self._max_restarts, self._only_lost = max_restarts, only_lost
        self._began: float | None = None
        remote = getattr(maker, "remote", True)
        self._policies = {0: pickled(policy, needed=remote)}
        try:
            self._engine: Engine = maker(recipes, timeout=timeout, **options)
        except SystemExit as exc:
            raise Failure.of(exc).exception() from exc
        self._requests: int = getattr(self._engine, "max_requests", 1)
        self._ahead = 1 if max_staleness is not None else 2
        """Fragments of one shard that may wait."""
        self._closed = False

    @property
    def num_shards(self) -> int:
        """Number of shards."""
        return len(self._shards)

    @property
    def seconds(self) -> float:
        """Seconds since the first fragment was asked for."""
        return 0.0 if self._began is None else time.perf_counter() - self._began

    def update(self, policy: Any) -> int:
        """Have fragments that begin from now on made by another policy; its version.

        Those under way go on with the policy that they began with; the attribute `policy_version` of a fragment says
        which. The policy is copied: what becomes of it later changes nothing.

        Args:
            policy: as that of `collect`; fragments that are asked for from now on are made by it.
        """
        self._assert_open()
        found = pickled(policy, needed=self._engine.remote)
        self.policy_version += 1
        used = {ticket.version for shard in self._shards for ticket in shard.pending}
        self._policies = {version: one for version, one in self._policies.items() if version in used}
        self._policies[self.policy_version] = found
        return self.policy_version

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Fragment:
        """The next fragment.

        Raises:
            StopIteration: there were as many steps or episodes as were asked for; everything is closed then.
            CollectTimeoutError: none came in time; it may be asked for again.
            ShardLostError: the process or node of a shard ended.
            Exception: what an environment or the policy raised, with a note that says which, or an `Error` where they
                called `sys.exit`; everything is closed then.
        """
        if self._closed:
            if self._is_done():
                raise StopIteration
            self._assert_open()
        if self._began is None:
            self._began = time.perf_counter()
        try:
            fragment = self._next()
        except CollectTimeoutError:
            raise
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to see
                self.close()
            raise
        if fragment is None:
            self.close()
            raise StopIteration
        return fragment

    def _next(self) -> Fragment | None:
        early = self._in_order and self._staleness not in {0, None}
        while True:
            if self._staleness != 0 or not self._asked:
                self._ask(early=early)
            if not self._asked:
                return None
            number, outcome = self._await()
            shard = self._shards[number]
            if outcome.generation is not None and outcome.generation < shard.restarts:  # it was asked for again
                if outcome.failure is None:
                    self._engine.drop(number, outcome)
                continue
            if outcome.failure is not None:
                self._begin_anew(shard, outcome.failure)
                continue
            self._asked.remove(number)
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
                self._ask()
            return fragment

    def _is_too_old(self, version: int) -> bool:
        return self._staleness is not None and self.policy_version - version > self._staleness

    def _ask(self, *, early: bool = False) -> None:
        """Ask shards for fragments, as many as may wait; at the same points of a program whatever the engine.

        Args:
            early: whether to ask for one more: for the one that is asked for when the next fragment is handed over. Its
                shard then goes on at once, with the same version: until then the program has no chance to update.
        """
        limit = self._waiting + early
        while len(self._asked) < limit and (found := self._next_to_ask(early=early)) is not None:
            number, rows = found
            shard, self._turn = self._shards[number], (number + 1) % len(self._shards)
            ticket = shard.request(rows, self.policy_version, self._policies)
            self._asked.append(number)
            self._engine.submit(number, ticket)

    def _next_to_ask(self, *, early: bool) -> tuple[int, int] | None:
        """The shard to be asked next, and for how many time steps: whose turn it is, or that has least to do."""
        shards = self._shards
        numbers = [*range(self._turn, len(shards)), *range(self._turn)]
        if not self._in_order:
            numbers.sort(key=lambda number: len(shards[number].pending))
        for number in numbers:
            rows = shards[number].rows(self._length, self._is_too_old)
            requests = self._ahead + (early and self._asked[:1] == [number])
            if rows and shards[number].has_room(min(requests, self._requests)):
                return number, rows
            if self._in_order and shards[number].pending:
                return None
        return None

    def _await(self) -> tuple[int, Outcome]:
        awaited = self._asked[:1] if self._in_order else list(dict.fromkeys(self._asked))
        found = self._engine.wait(awaited, self._timeout)
        if found is not None:
            return found
        late = [self._shards[k].recipe for k in awaited]
        where = "; ".join(f"{recipe}{self._engine.progress(recipe.shard)}" for recipe in late)
        message = (
            f"No fragment came within {self._timeout:g} s from {where}. It may be asked for again; if environments "
            "hang, close() ends their processes"
        )
        raise CollectTimeoutError(message, tuple(awaited))

    def _begin_anew(self, shard: ShardState, failure: Failure) -> None:
        """Have fragments begun again in new environments, or raise what went wrong."""
        limit = 0 if self._only_lost and not failure.lost else self._max_restarts
        if limit is None or shard.restarts < limit:
            self.num_restarts += 1
            for ticket in shard.begin_anew(self._policies):
                self._engine.submit(shard.recipe.shard, ticket)
            return
        if failure.lost:
            again = (
                f"it was begun anew {limit} times, which is the limit (max_restarts)"
                if limit
                else ('pass on_error="restart" to have it begun anew')
            )
            who, serial = str(shard.recipe), shard.pending[0].serial
            message = f"{who[:1].upper()}{who[1:]} ended in fragment {serial}: {failure.message}; {again}"
            raise ShardLostError(message, shard.recipe.shard, shard.recipe.indices)
        exc = failure.exception()
        if limit:
            exc.add_note(f"The shard was begun anew {limit} times, which is the limit (max_restarts).")
        raise exc

    def _is_done(self) -> bool:
        return all(shard.is_done() for shard in self._shards)

    def _assert_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("This collector is closed; call collect for another")

    def close(self) -> None:
        """End all shards; fragments stay valid. What is under way is dropped.

        Raises:
            Exception: what the first environment raised that could not be closed, with a note that says which, or an
                `Error` where it called `sys.exit`; all are closed or ended all the same.
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
        with contextlib.suppress(Exception):  # at the end of the program, too
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self.num_steps} steps"
        return f"Collector({self.num_envs} environments in {len(self._shards)} shards, {state})"
