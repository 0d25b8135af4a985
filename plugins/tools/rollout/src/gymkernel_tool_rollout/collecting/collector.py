"""`collect`: begin a rollout; `Collector`: its fragments, one after another."""

from __future__ import annotations

import contextlib
import operator
import secrets
import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from gymkernel.envs.registration import make as make_env
from gymkernel.error import ClosedEnvironmentError
from gymkernel.specs import EnvSpec
from gymkernel_tool_rollout.collecting.engines import engine_class
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, ShardLostError
from gymkernel_tool_rollout.collecting.policies import pickled
from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from gymkernel_tool_rollout.collecting.engines import Engine
    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome

__all__ = ["Collector", "collect"]

ORDERS: Final = ("round_robin", "ready")
ON_ERROR: Final = ("raise", "restart", "restart_lost")


def collect(
    env: str | EnvSpec | Callable[[], Any] | Sequence[Callable[[], Any]],
    policy: Any,
    *,
    num_steps: int | None = None,
    num_episodes: int | None = None,
    num_envs: int | None = None,
    num_shards: int | None = None,
    fragment_length: int = 128,
    engine: str | Callable[..., Any] = "sync",
    seed: int | None = None,
    order: str = "round_robin",
    max_staleness: int | None = 1,
    max_waiting: int | None = None,
    on_error: str = "raise",
    max_restarts: int | None = 100,
    timeout: float | None = None,
    make_kwargs: dict[str, Any] | None = None,
    **options: Any,
) -> Collector:
    """Let a policy act where the environments are, and have what happens in fragments.

    The environments are divided among shards. A shard is a synchronous vector environment and a copy of the policy; it
    collects `fragment_length` time steps at a time. Where shards run is the engine's matter: the same shards make the
    same fragments, bit for bit, wherever they are, as long as the policy is deterministic.

    Args:
        env: an id, a spec, a function that makes an environment, or a list of such functions.
        policy: called with a batch of observations, one for each environment of a shard; it returns a batch of actions,
            or (actions, extras) with a dictionary of further arrays. "random" samples. Where it has a method `start`,
            that is called with the vector environment of the shard and a seed before the first action.
        num_steps: how many steps of single environments in all; a multiple of the number of environments.
        num_episodes: how many episodes in all, divided evenly among the environments; no steps but those of these are
            counted. None of both: no end.
        num_envs: number of environments; needed unless there is a list of functions.
        num_shards: number of shards; None for what the engine finds right (1 for "sync", one each core for "async").
        fragment_length: time steps of a fragment, at most.
        engine: "sync" for this process, "async" for processes on this machine, "ray" for those of a cluster; or what
            makes an engine, see `gymkernel.rollouts.Engine`.
        seed: environment i begins with `seed + i`; None for one that is drawn.
        order: "round_robin" for a fragment of each shard in turn, which is the same at every run; "ready" for whichever
            comes first.
        max_staleness: how many updates of the policy may come between a fragment's beginning and its being handed over.
            0: shards wait until a fragment is asked for; None: no limit. What is older is dropped and collected again.
        max_waiting: how many fragments are collected ahead, at most; None for one each shard, which is the most.
        on_error: "raise"; "restart" to begin a shard anew whose process or node ended, or in which something raised;
            "restart_lost" to do so only where the process or node ended.
        max_restarts: how often one shard may be begun anew; None for no limit.
        timeout: seconds to wait for a fragment; None for no limit.
        make_kwargs: for `gymkernel.make`, or the function that makes an environment.
        **options: of the engine.

    Raises:
        ValueError, TypeError: an argument that cannot be meant.

    >>> with collect(
    ...     "CartPole-v1", "random", num_steps=64, num_envs=4, fragment_length=8
    ... ) as fragments:  # doctest: +SKIP
    ...     shapes = [fragment["observations"].shape for fragment in fragments]
    >>> shapes  # doctest: +SKIP
    [(8, 4, 4), (8, 4, 4)]
    """
    functions = _functions(env, num_envs, make_kwargs or {})
    n = len(functions)
    _require(num_steps, num_episodes, n)
    _at_least(1, fragment_length=fragment_length, num_shards=num_shards, max_waiting=max_waiting)
    _at_least(0, max_staleness=max_staleness, max_restarts=max_restarts, seed=seed)
    for name, value, known in (("order", order, ORDERS), ("on_error", on_error, ON_ERROR)):
        if value not in known:
            raise ValueError(f"Expected {name} to be one of {', '.join(known)}, got {value!r}")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"Expected timeout to be a number of seconds above 0, or None, got {timeout!r}")
    if num_shards is not None and num_shards > n:
        raise ValueError(f"Expected at most one shard for each of the {n} environments, got num_shards={num_shards}")
    maker = engine_class(engine) if isinstance(engine, str) else engine
    if not callable(maker):
        raise TypeError(f"Expected the name of an engine, or what makes one, got {engine!r}")
    found = getattr(maker, "default_shards", None)
    shards = num_shards or min(n, 1 if found is None else found(**options))
    first_seed = secrets.randbelow(2**31) if seed is None else operator.index(seed)
    bounds = [n * k // shards for k in range(shards + 1)]
    recipes = [
        Recipe(k, range(*span), tuple(functions[slice(*span)]), first_seed) for k, span in enumerate(pairwise(bounds))
    ]
    return Collector(
        recipes,
        policy,
        maker,
        options,
        num_steps=num_steps,
        num_episodes=num_episodes,
        fragment_length=fragment_length,
        order=order,
        max_staleness=max_staleness,
        max_waiting=min(shards, max_waiting or shards),
        max_restarts=0 if on_error == "raise" else max_restarts,
        only_lost=on_error == "restart_lost",
        timeout=timeout,
    )


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
        self._shards = [
            _ShardState(recipe, *_quota(recipe.indices, self.num_envs, num_steps, num_episodes)) for recipe in recipes
        ]
        self._asked: list[int] = []
        """Shards with a request, in the order in which they were asked."""
        self._turn = 0
        self._max_restarts, self._only_lost = max_restarts, only_lost
        self._began: float | None = None
        remote = getattr(maker, "remote", True)
        self._policies = {0: pickled(policy, needed=remote)}
        self._engine: Engine = maker(recipes, timeout=timeout, **options)
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
        used = {shard.ticket.version for shard in self._shards if shard.ticket is not None}
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
            Exception: what an environment or the policy raised, with a note that says which; everything is closed then.
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
        self._ask()
        while self._asked:
            number, outcome = self._await()
            shard = self._shards[number]
            if outcome.failure is not None:
                self._begin_anew(shard, outcome)
                continue
            self._asked.remove(number)
            shard.ticket = None
            if self._staleness is not None and self.policy_version - outcome.version > self._staleness:
                self._engine.drop(number, outcome)
                self.num_dropped += 1
                shard.serial += 1
                self._ask()
                continue
            fragment = self._engine.fragment(number, outcome)
            shard.count(fragment)
            self.num_steps += fragment.num_steps
            self.num_episodes += fragment.num_episodes
            if self._staleness != 0:
                self._ask()
            return fragment
        return None

    def _ask(self) -> None:
        """Ask shards for fragments, as many as may wait; at the same points of a program whatever the engine."""
        if self._staleness == 0 and self._asked:
            return
        for _ in range(len(self._shards)):
            if len(self._asked) >= self._waiting:
                return
            shard = self._shards[self._turn]
            if shard.ticket is not None and self._in_order:
                return
            if shard.ticket is None and not shard.is_done():
                self._submit(shard)
                self._asked.append(self._turn)
            self._turn = (self._turn + 1) % len(self._shards)

    def _submit(self, shard: _ShardState, version: int | None = None) -> None:
        version = self.policy_version if version is None else version
        policy = None if shard.version == version else self._policies[version]
        shard.ticket = shard.request(self._length, version, policy)
        shard.version = version
        self._engine.submit(shard.recipe.shard, shard.ticket)

    def _await(self) -> tuple[int, Outcome]:
        awaited = self._asked[:1] if self._in_order else list(self._asked)
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

    def _begin_anew(self, shard: _ShardState, outcome: Outcome) -> None:
        """Have a fragment begun again in new environments, or raise what went wrong."""
        failure, ticket = outcome.failure, shard.ticket
        assert failure is not None  # noqa: S101 - for type checkers
        limit = 0 if self._only_lost and not failure.lost else self._max_restarts
        assert ticket is not None  # noqa: S101 - for type checkers
        if limit is None or shard.restarts < limit:
            shard.restarts += 1
            self.num_restarts += 1
            shard.version = -1
            self._submit(shard, ticket.version)
            return
        if failure.lost:
            again = (
                f"it was begun anew {limit} times, which is the limit (max_restarts)"
                if limit
                else ('pass on_error="restart" to have it begun anew')
            )
            message = f"{_capitalized(str(shard.recipe))} ended in fragment {ticket.serial}: {failure.message}; {again}"
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
        """End all shards; fragments stay valid. What is under way is dropped."""
        if not self._closed:
            self._closed = True
            self._engine.close()

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


class _ShardState:
    """What the program knows of a shard.

    Args:
        recipe: of it.
        rows: time steps that it has left; None for no end.
        episodes: that each of its environments has left; None where only steps count.
    """

    def __init__(self, recipe: Recipe, rows: int | None, episodes: list[int] | None) -> None:
        self.recipe, self._rows, self._episodes = recipe, rows, episodes
        self.serial = self.restarts = 0
        self.version = -1
        """Of the policy that it has."""
        self.ticket: Ticket | None = None
        """What was asked of it last, and is not handed over."""

    def is_done(self) -> bool:
        """Whether it has handed over all that it was to."""
        return self._rows == 0 or (self._episodes is not None and not any(self._episodes))

    def request(self, length: int, version: int, policy: Any) -> Ticket:
        """The request for the next fragment."""
        rows = length if self._rows is None else min(length, self._rows)
        episodes = None if self._episodes is None else tuple(self._episodes)
        return Ticket(self.serial, self.restarts, rows, version, policy, episodes)

    def count(self, fragment: Fragment) -> None:
        """Note a fragment that is handed over."""
        self.serial += 1
        if self._rows is not None:
            self._rows -= len(fragment["rewards"])
        if self._episodes is not None:
            for env in fragment["episode_ends"][:, 1].tolist():
                self._episodes[env] -= 1


def _quota(indices: range, n: int, steps: int | None, episodes: int | None) -> tuple[int | None, list[int] | None]:
    rows = None if steps is None else steps // n
    each = None if episodes is None else [episodes // n + (i < episodes % n) for i in indices]
    return rows, each


def _functions(env: Any, num_envs: int | None, make_kwargs: dict[str, Any]) -> list[Callable[[], Any]]:
    """Functions that make the environments."""
    if isinstance(env, Sequence) and not isinstance(env, str):
        functions = list(env)
        if not functions or not all(map(callable, functions)):
            raise TypeError(f"Expected a list of functions that make environments, got {env!r:.200}")
        if num_envs not in {None, len(functions)}:
            raise ValueError(f"Expected num_envs to be the number of functions, {len(functions)}, got {num_envs}")
        return [partial(one, **make_kwargs) for one in functions] if make_kwargs else functions
    if isinstance(env, str | EnvSpec):
        make: Callable[[], Any] = partial(make_env, env, **make_kwargs)
    elif callable(env):
        make = partial(env, **make_kwargs) if make_kwargs else env
    else:
        raise TypeError(f"Expected an id, a spec, or functions that make environments, got {env!r:.200}")
    if num_envs is None:
        raise TypeError("Expected num_envs, the number of environments, or a list of functions that make one each")
    _at_least(1, num_envs=num_envs)
    return [make] * num_envs


def _require(num_steps: int | None, num_episodes: int | None, n: int) -> None:
    if num_steps is not None and num_episodes is not None:
        raise TypeError(f"Expected num_steps or num_episodes, got both ({num_steps} and {num_episodes})")
    _at_least(1, num_steps=num_steps, num_episodes=num_episodes)
    if num_steps is not None and num_steps % n:
        near = ", ".join(str(one) for one in (num_steps // n * n, (num_steps // n + 1) * n) if one)
        message = f"Expected num_steps to be a multiple of the {n} environments, for example {near}, got {num_steps}"
        raise ValueError(message)


def _at_least(least: int, **numbers: Any) -> None:
    for name, value in numbers.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"Expected {name} to be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Expected {name} to be at least {least}, got {value}")


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
