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
        "OrderEnforcing": "gymkernel-wrapper-order-enforcing",
        "PassiveEnvChecker": "gymkernel-wrapper-passive-env-checker",
        "TimeLimit": "gymkernel-wrapper-time-limit",
    },
    "vector_wrappers": {},
    "vector": {
        "AsyncVectorEnv": "gymkernel-vector-async",
        "SyncVectorEnv": "gymkernel-vector-sync",
    },
    "utils": {},
    "envs": {
        "CartPole-v0": "gymkernel-env-classic-control",
        "CartPole-v1": "gymkernel-env-classic-control",
    },
    "commands": {
        "bench": "gymkernel-tool-bench",
    },
}
