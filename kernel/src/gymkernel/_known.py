"""Which distribution provides each first-party capability; stamped by tools/sync.py."""

from __future__ import annotations

from typing import Final

__all__ = ["KNOWN"]

KNOWN: Final[dict[str, dict[str, str]]] = {
    "spaces": {
        "Box": "gymkernel-space-box",
        "Discrete": "gymkernel-space-discrete",
        "MultiDiscrete": "gymkernel-space-multi-discrete",
        "Tuple": "gymkernel-space-tuple",
    },
    "wrappers": {
        "OrderEnforcing": "gymkernel-wrapper-order-enforcing",
        "PassiveEnvChecker": "gymkernel-wrapper-passive-env-checker",
        "TimeLimit": "gymkernel-wrapper-time-limit",
    },
    "vector_wrappers": {},
    "vector": {
        "SyncVectorEnv": "gymkernel-vector-sync",
    },
    "envs": {
        "CartPole-v0": "gymkernel-env-classic-control",
        "CartPole-v1": "gymkernel-env-classic-control",
    },
}
