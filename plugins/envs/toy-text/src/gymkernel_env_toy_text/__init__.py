"""The toy text environments Blackjack, FrozenLake, CliffWalking and Taxi, each as a single and a vector environment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.specs import EnvSpec

if TYPE_CHECKING:
    from gymkernel_env_toy_text.blackjack import BlackjackEnv
    from gymkernel_env_toy_text.blackjack_vector import BlackjackVectorEnv
    from gymkernel_env_toy_text.cliffwalking import CliffWalkingEnv
    from gymkernel_env_toy_text.frozen_lake import MAPS, FrozenLakeEnv, generate_random_map, is_valid
    from gymkernel_env_toy_text.tabular_vector import CliffWalkingVectorEnv, FrozenLakeVectorEnv, TaxiVectorEnv
    from gymkernel_env_toy_text.taxi import TaxiEnv

__all__ = ["BLACKJACK", "CLIFF_WALKING", "CLIFF_WALKING_SLIPPERY", "FROZEN_LAKE", "FROZEN_LAKE_8X8", "MAPS", "TAXI"]
__all__ += ["BlackjackEnv", "BlackjackVectorEnv", "CliffWalkingEnv", "CliffWalkingVectorEnv", "FrozenLakeEnv"]
__all__ += ["FrozenLakeVectorEnv", "TaxiEnv", "TaxiVectorEnv", "generate_random_map", "is_valid"]

_MODULE = {
    "BlackjackEnv": "blackjack",
    "BlackjackVectorEnv": "blackjack_vector",
    "CliffWalkingEnv": "cliffwalking",
    "CliffWalkingVectorEnv": "tabular_vector",
    "FrozenLakeEnv": "frozen_lake",
    "FrozenLakeVectorEnv": "tabular_vector",
    "MAPS": "frozen_lake",
    "TaxiEnv": "taxi",
    "TaxiVectorEnv": "tabular_vector",
    "generate_random_map": "frozen_lake",
    "is_valid": "frozen_lake",
}


def _spec(env_id: str, name: str, **fields: Any) -> EnvSpec:
    entry, vector = f"{name}Env", f"{name}VectorEnv"
    return EnvSpec(
        env_id,
        entry_point=f"{__name__}.{_MODULE[entry]}:{entry}",
        vector_entry_point=f"{__name__}.{_MODULE[vector]}:{vector}",
        **fields,
    )


BLACKJACK = _spec("Blackjack-v1", "Blackjack", kwargs={"sab": True, "natural": False})
CLIFF_WALKING = _spec("CliffWalking-v1", "CliffWalking")
CLIFF_WALKING_SLIPPERY = _spec("CliffWalkingSlippery-v1", "CliffWalking", kwargs={"is_slippery": True})
FROZEN_LAKE = _spec(
    "FrozenLake-v1", "FrozenLake", kwargs={"map_name": "4x4"}, max_episode_steps=100, reward_threshold=0.7
)
FROZEN_LAKE_8X8 = _spec(
    "FrozenLake8x8-v1", "FrozenLake", kwargs={"map_name": "8x8"}, max_episode_steps=200, reward_threshold=0.85
)
TAXI = _spec("Taxi-v4", "Taxi", max_episode_steps=200, reward_threshold=8)


def __getattr__(name: str) -> Any:
    """Import a name from this package, or a module of this package, when it is first used."""
    if name in {*_MODULE.values(), "utils"}:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
