"""Functions that create EnvPool's pools and convert their spaces and seeds."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import envpool
import gymnasium
import numpy as np

from gymkernel import error
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_binary import MultiBinary

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["convert_space", "make_pool", "make_spec", "pool_seeds", "spaces_of"]

LARGEST_SEED = 2**31 - 1
"""EnvPool stores seeds as 32-bit integers."""


def make_spec(task_id: str, options: dict[str, Any]) -> Any:
    """Return EnvPool's description of a pool, which contains its configuration and its spaces.

    Args:
        task_id: an id of EnvPool, without the prefix `envpool/`.
        options: keyword arguments for `envpool.make`.

    Raises:
        TypeError: if EnvPool does not know an option.
        gymkernel.error.Error: if several agents play in one environment. A vector environment has one row per
            environment.
    """
    try:
        spec = envpool.make_spec(task_id, **options)
    except AssertionError as exc:
        raise ValueError(f"EnvPool rejects the options {options} for {task_id}: {exc}") from exc
    if spec.config.max_num_players > 1:
        players = f"{task_id} has up to {spec.config.max_num_players} players per environment"
        raise error.Error(f"{players}, which a vector environment cannot represent; use envpool.make")
    return spec


def make_pool(task_id: str, seeds: list[int], options: dict[str, Any]) -> Any:
    """Create a pool with one environment per seed.

    Args:
        task_id: an id of EnvPool, without the prefix `envpool/`.
        seeds: the seed of each environment, as returned by `pool_seeds`.
        options: other keyword arguments for `envpool.make`.
    """
    pool = envpool.make_gymnasium(task_id, **{**options, "num_envs": len(seeds), "seed": seeds})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the pool creates and stores its spaces, about which Gymnasium warns
        _ = pool.observation_space, pool.action_space
    return pool


def spaces_of(spec: Any) -> tuple[Space[Any], Space[Any]]:
    """Return the observation space and the action space of one environment.

    Args:
        spec: EnvPool's description of a pool, as returned by `make_spec`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium warns about the precision of the bounds
        return convert_space(spec.gymnasium_observation_space), convert_space(spec.gymnasium_action_space)


def pool_seeds(seeds: list[int | None], rng: np.random.Generator) -> list[int]:
    """Convert seeds to seeds that EnvPool accepts.

    Args:
        seeds: the seed of each environment, or None for a random seed. EnvPool supports seeds below 2**31. A larger
            seed is replaced by a hash.
        rng: the generator of the random seeds.
    """
    drawn = rng.integers(0, LARGEST_SEED, len(seeds), endpoint=True)
    return [int(new) if seed is None else _as_pool_seed(seed) for seed, new in zip(seeds, drawn, strict=True)]


def _as_pool_seed(seed: int) -> int:
    return seed if seed <= LARGEST_SEED else int(np.random.SeedSequence(seed).generate_state(1)[0]) & LARGEST_SEED


def convert_space(space: Any) -> Space[Any]:
    """Convert a space of EnvPool, which is an instance of Gymnasium's classes, to a gymkernel space.

    If an observation has no bounds, EnvPool reports the smallest positive and the largest number as its bounds. These
    are converted to infinite bounds.

    Args:
        space: the space of one environment.

    >>> convert_space(gymnasium.spaces.Dict(a=gymnasium.spaces.Discrete(3, start=-1)))
    Dict('a': Discrete(3, start=-1))
    """
    spaces = gymnasium.spaces
    if isinstance(space, spaces.Dict):
        return Dict({key: convert_space(part) for key, part in space.items()})
    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n), start=int(space.start))
    if isinstance(space, spaces.MultiBinary):
        return MultiBinary(space.shape)
    if isinstance(space, spaces.Box):
        low, high = np.array(space.low), np.array(space.high)
        if low.dtype.kind == "f":
            limits = np.finfo(low.dtype)
            no_bounds = (low == limits.smallest_normal) & (high == limits.max)
            low[no_bounds], high[no_bounds] = -math.inf, math.inf
        return Box(low, high, dtype=low.dtype.type)
    raise TypeError(f"Expected a Box, Dict, Discrete or MultiBinary of EnvPool, got {space!r}")
