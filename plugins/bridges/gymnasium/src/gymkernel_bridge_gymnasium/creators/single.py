"""Entry points of environments by id, such as `gymkernel_bridge_gymnasium.creators.single:CartPole-v1`."""

from __future__ import annotations

from gymkernel.registration import registry
from gymkernel_bridge_gymnasium.creators import Creator


def __getattr__(name: str) -> Creator:
    if name not in registry:
        raise AttributeError(f"gymkernel has no environment {name}; run `gymkernel list envs` to see what is installed")
    return Creator(name)
