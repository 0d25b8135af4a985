"""Functions that create EnvPool pools, convert their spaces to gymkernel spaces, and prepare their seeds."""

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
"""The largest seed that EnvPool supports. EnvPool stores seeds as signed 32-bit integers."""


def make_spec(task_id: str, options: dict[str, Any]) -> Any:
    """Return EnvPool's spec for a task, which contains the configuration and the spaces of the pool.

    Args:
        task_id: an EnvPool id, without the prefix `envpool/`.
        options: keyword arguments for `envpool.make`.

    Raises:
        TypeError: if EnvPool has no option with one of the given names.
        ValueError: if EnvPool rejects the value of an option.
        gymkernel.error.Error: if an environment can have several players, because a vector environment has only one row
            per environment.
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
        task_id: an EnvPool id, without the prefix `envpool/`.
        seeds: the seed of each environment, as returned by `pool_seeds`.
        options: other keyword arguments for `envpool.make`.
    """
    pool = envpool.make_gymnasium(task_id, **{**options, "num_envs": len(seeds), "seed": seeds})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium warns when the pool creates its spaces, which are then cached
        _ = pool.observation_space, pool.action_space
    return pool


def spaces_of(spec: Any) -> tuple[Space[Any], Space[Any]]:
    """Return the gymkernel observation space and action space of a single environment in a pool.

    Args:
        spec: EnvPool's spec, as returned by `make_spec`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium warns about the precision of the bounds
        return convert_space(spec.gymnasium_observation_space), convert_space(spec.gymnasium_action_space)


def pool_seeds(seeds: list[int | None], rng: np.random.Generator) -> list[int]:
    """Return seeds that EnvPool accepts: draw missing seeds at random, and hash seeds that are too large.

    Args:
        seeds: the seed of each environment, or None for a random seed. Seeds of 2**31 or more are hashed, because
            EnvPool does not support them.
        rng: the generator that draws the random seeds.
    """
    drawn = rng.integers(0, LARGEST_SEED, len(seeds), endpoint=True)
    return [int(new) if seed is None else _as_pool_seed(seed) for seed, new in zip(seeds, drawn, strict=True)]


def _as_pool_seed(seed: int) -> int:
    return seed if seed <= LARGEST_SEED else int(np.random.SeedSequence(seed).generate_state(1)[0]) & LARGEST_SEED


def convert_space(space: Any) -> Space[Any]:
    """Convert the space of an EnvPool environment, which is a Gymnasium space, to a gymkernel space.

    For unbounded observations, EnvPool reports the smallest positive and the largest floating-point number as bounds.
    This function replaces these bounds with infinity.

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
