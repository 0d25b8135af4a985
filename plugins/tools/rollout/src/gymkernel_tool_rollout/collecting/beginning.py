"""`collect`: begin a rollout; what its arguments mean, and which cannot be meant."""

from __future__ import annotations

import contextlib
import operator
import secrets
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from gymkernel.making import make as make_env
from gymkernel.specs import EnvSpec
from gymkernel_tool_rollout.collecting.collector import Collector
from gymkernel_tool_rollout.collecting.engines import engine_class
from gymkernel_tool_rollout.collecting.shard import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["collect"]

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
        max_waiting: how many fragments are collected ahead, at most; None for one each shard, and for two each shard
            where staleness has no limit, which is the most.
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
    first_seed = secrets.randbelow(2**31) if seed is None else operator.index(seed)
    with _shards(maker, options, num_shards) as found:
        shards = min(n, found)
        most = shards if max_staleness is not None else 2 * shards
        bounds = [n * k // shards for k in range(shards + 1)]
        spans = [range(*span) for span in pairwise(bounds)]
        return Collector(
            [Recipe(k, span, tuple(functions[span.start : span.stop]), first_seed) for k, span in enumerate(spans)],
            policy,
            maker,
            options,
            num_steps=num_steps,
            num_episodes=num_episodes,
            fragment_length=fragment_length,
            order=order,
            max_staleness=max_staleness,
            max_waiting=min(max_waiting or most, most),
            max_restarts=0 if on_error == "raise" else max_restarts,
            only_lost=on_error == "restart_lost",
            timeout=timeout,
        )


@contextlib.contextmanager
def _shards(maker: Any, options: dict[str, Any], number: int | None) -> Iterator[int]:
    """How many there are; what an engine has begun to find that out stays until it is made."""
    by_default = getattr(maker, "default_shards", None)
    found: Any = number or (1 if by_default is None else by_default(**options))
    with found if hasattr(found, "__enter__") else contextlib.nullcontext(found) as shards:
        yield shards


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
