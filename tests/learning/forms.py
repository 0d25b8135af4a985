"""The vector forms of the simulated environments, and the function that creates them for training libraries."""

from __future__ import annotations

from typing import Any, Final

import gymkernel

__all__ = ["VECTORISED", "make_same_step"]

VECTORISED: Final = "vector_entry_point"
"""The mode of `make_vec` in which MuJoCo steps all simulations in one native call. Box2D has no such mode."""


def make_same_step(env_id: str, num_envs: int, mode: str) -> Any:
    """Create a vector environment of gymkernel in SAME_STEP mode."""
    same_step: dict[str, Any] = {"autoreset_mode": "SameStep"}
    if mode == VECTORISED:
        return gymkernel.make_vec(env_id, num_envs, mode, **same_step)
    return gymkernel.make_vec(env_id, num_envs, mode, same_step)
