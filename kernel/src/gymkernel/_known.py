"""Which distribution provides each first-party capability; stamped by tools/sync.py."""

from __future__ import annotations

from typing import Final

__all__ = ["KNOWN"]

KNOWN: Final[dict[str, dict[str, str]]] = {
    "spaces": {
        "Box": "gymkernel-space-box",
        "Dict": "gymkernel-space-dict",
        "Discrete": "gymkernel-space-discrete",
        "Graph": "gymkernel-space-graph",
        "GraphInstance": "gymkernel-space-graph",
        "MultiBinary": "gymkernel-space-multi-binary",
        "MultiDiscrete": "gymkernel-space-multi-discrete",
        "OneOf": "gymkernel-space-one-of",
        "Sequence": "gymkernel-space-sequence",
        "Text": "gymkernel-space-text",
        "Tuple": "gymkernel-space-tuple",
    },
    "wrappers": {
        "ClipReward": "gymkernel-wrapper-clip-reward",
        "OrderEnforcing": "gymkernel-wrapper-order-enforcing",
        "PassiveEnvChecker": "gymkernel-wrapper-passive-env-checker",
        "ReshapeObservation": "gymkernel-wrapper-reshape-observation",
        "TimeLimit": "gymkernel-wrapper-time-limit",
    },
    "vector_wrappers": {
        "ClipReward": "gymkernel-wrapper-clip-reward",
        "ReshapeObservation": "gymkernel-wrapper-reshape-observation",
    },
    "vector": {
        "AsyncVectorEnv": "gymkernel-vector-async",
        "SyncVectorEnv": "gymkernel-vector-sync",
    },
    "utils": {},
    "envs": {
        "Acrobot-v1": "gymkernel-env-classic-control",
        "Blackjack-v1": "gymkernel-env-toy-text",
        "CartPole-v0": "gymkernel-env-classic-control",
        "CartPole-v1": "gymkernel-env-classic-control",
        "CliffWalking-v1": "gymkernel-env-toy-text",
        "CliffWalkingSlippery-v1": "gymkernel-env-toy-text",
        "FrozenLake-v1": "gymkernel-env-toy-text",
        "FrozenLake8x8-v1": "gymkernel-env-toy-text",
        "MountainCar-v0": "gymkernel-env-classic-control",
        "MountainCarContinuous-v0": "gymkernel-env-classic-control",
        "Pendulum-v1": "gymkernel-env-classic-control",
        "Taxi-v4": "gymkernel-env-toy-text",
    },
    "commands": {
        "bench": "gymkernel-tool-bench",
    },
}
