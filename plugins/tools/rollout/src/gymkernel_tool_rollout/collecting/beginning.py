"""The function `collect`, which checks the arguments of a rollout and creates its `Collector`."""

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
    """Run a policy in many environments, and return an iterator over fragments of the collected experience.

    The environments are divided among shards. A shard is a synchronous vector environment with its own copy of the
    policy. It collects `fragment_length` time steps at a time. The engine determines where the shards run. If the
    policy is deterministic, the fragments are bit-identical with every engine.

    Args:
        env: an id, a spec, a function that creates an environment, or a list of such functions.
        policy: a function that takes a batch with one observation per environment of a shard. The function returns
            either a batch of actions, or (actions, extras), where extras is a dict of additional arrays. "random"
            samples actions from the action space. If the policy has a `start` method, this method is called before the
            first action, with the shard's vector environment and a seed.
        num_steps: the total number of steps, summed over all environments. The number must be a multiple of the number
            of environments.
        num_episodes: the total number of episodes, which are divided evenly among the environments. Steps of further
            episodes are not counted. If both `num_steps` and `num_episodes` are None, the rollout never ends.
        num_envs: the number of environments, which is required unless `env` is a list of functions.
        num_shards: the number of shards; None to let the engine choose (1 for "sync", one per core for "async").
        fragment_length: the maximum number of time steps per fragment.
        engine: "sync" to run shards in this process, "async" to run them in other processes on this machine, "ray" to
            run them in a Ray cluster, or a callable that creates an engine; see `gymkernel.rollouts.Engine`.
        seed: the seed of environment 0; None for a random seed. Environment i has the seed `seed + i`.
        order: "round_robin" to return one fragment from each shard in turn, in the same order in every run; "ready" to
            return whichever fragment is ready first.
        max_staleness: how many times the policy may be updated between the start of a fragment and its return; None for
            no limit. Fragments that exceed the limit are dropped and collected again. With 0, no fragment starts before
            the program asks for one.
        max_waiting: the maximum number of fragments to collect in advance. None means one per shard, or two per shard
            if `max_staleness` is None. Larger numbers have no effect.
        on_error: "raise" to raise all errors, "restart" to restart a shard after any error, or "restart_lost" to
            restart a shard only if its process or node was lost.
        max_restarts: how many times each shard may be restarted; None for no limit.
        timeout: the maximum number of seconds to wait for a fragment; None for no limit.
        make_kwargs: keyword arguments for `gymkernel.make` or for the function that creates an environment.
        **options: options of the engine.

    Raises:
        ValueError, TypeError: if an argument is invalid.

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
        raise TypeError(f"Expected the name of an engine or a callable that creates an engine, got {engine!r}")
    first_seed = secrets.randbelow(2**31) if seed is None else operator.index(seed)
    with _shard_count(maker, options, num_shards) as count:
        shards = min(n, count)
        most = shards if max_staleness is not None else 2 * shards
        bounds = [n * k // shards for k in range(shards + 1)]
        parts = [range(*part) for part in pairwise(bounds)]
        return Collector(
            [Recipe(k, part, tuple(functions[part.start : part.stop]), first_seed) for k, part in enumerate(parts)],
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
def _shard_count(maker: Any, options: dict[str, Any], number: int | None) -> Iterator[int]:
    """Yield the number of shards, which the engine chooses if the caller has not.

    To choose the number, the engine may need resources such as a connection to a cluster. They are released only after
    the engine has been created.
    """
    default_shards = getattr(maker, "default_shards", None)
    count: Any = number or (1 if default_shards is None else default_shards(**options))
    with count if hasattr(count, "__enter__") else contextlib.nullcontext(count) as shards:
        yield shards


def _functions(env: Any, num_envs: int | None, make_kwargs: dict[str, Any]) -> list[Callable[[], Any]]:
    """Return a list of functions that each create an environment."""
    if isinstance(env, Sequence) and not isinstance(env, str):
        functions = list(env)
        if not functions or not all(map(callable, functions)):
            raise TypeError(f"Expected a list of functions that create environments, got {env!r:.200}")
        if num_envs not in {None, len(functions)}:
            raise ValueError(f"Expected num_envs to be the number of functions, {len(functions)}, got {num_envs}")
        return [partial(function, **make_kwargs) for function in functions] if make_kwargs else functions
    if isinstance(env, str | EnvSpec):
        make: Callable[[], Any] = partial(make_env, env, **make_kwargs)
    elif callable(env):
        make = partial(env, **make_kwargs) if make_kwargs else env
    else:
        raise TypeError(f"Expected an id, a spec, or functions that create environments, got {env!r:.200}")
    if num_envs is None:
        raise TypeError("Expected num_envs to be set, or a list of functions that each create an environment")
    _at_least(1, num_envs=num_envs)
    return [make] * num_envs


def _require(num_steps: int | None, num_episodes: int | None, n: int) -> None:
    if num_steps is not None and num_episodes is not None:
        raise TypeError(f"Expected num_steps or num_episodes, got both ({num_steps} and {num_episodes})")
    _at_least(1, num_steps=num_steps, num_episodes=num_episodes)
    if num_steps is not None and num_steps % n:
        multiples = ", ".join(str(steps) for steps in (num_steps // n * n, (num_steps // n + 1) * n) if steps)
        message = (
            f"Expected num_steps to be a multiple of the number of environments, {n}, for example {multiples}, got "
            f"{num_steps}"
        )
        raise ValueError(message)


def _at_least(least: int, **numbers: Any) -> None:
    for name, value in numbers.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"Expected {name} to be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Expected {name} to be at least {least}, got {value}")
