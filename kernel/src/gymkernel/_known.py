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
        "ClipAction": "gymkernel-wrapper-clip-action",
        "ClipReward": "gymkernel-wrapper-clip-reward",
        "DiscretizeAction": "gymkernel-wrapper-discretize-action",
        "OrderEnforcing": "gymkernel-wrapper-order-enforcing",
        "PassiveEnvChecker": "gymkernel-wrapper-passive-env-checker",
        "RepeatAction": "gymkernel-wrapper-repeat-action",
        "RescaleAction": "gymkernel-wrapper-rescale-action",
        "ReshapeObservation": "gymkernel-wrapper-reshape-observation",
        "StickyAction": "gymkernel-wrapper-sticky-action",
        "TimeLimit": "gymkernel-wrapper-time-limit",
        "TransformAction": "gymkernel-wrapper-transform-action",
    },
    "vector_wrappers": {
        "ClipAction": "gymkernel-wrapper-clip-action",
        "ClipReward": "gymkernel-wrapper-clip-reward",
        "DiscretizeAction": "gymkernel-wrapper-discretize-action",
        "RepeatAction": "gymkernel-wrapper-repeat-action",
        "RescaleAction": "gymkernel-wrapper-rescale-action",
        "ReshapeObservation": "gymkernel-wrapper-reshape-observation",
        "StickyAction": "gymkernel-wrapper-sticky-action",
        "TransformAction": "gymkernel-wrapper-transform-action",
        "VectorizeTransformAction": "gymkernel-wrapper-vectorize-transform-action",
    },
    "vector": {
        "AsyncVectorEnv": "gymkernel-vector-async",
        "SyncVectorEnv": "gymkernel-vector-sync",
    },
    "utils": {
        "wrappers.utils.RunningMeanStd": "gymkernel-util-running-mean-std",
        "wrappers.utils.batch_flattener": "gymkernel-util-batch-flattener",
        "wrappers.utils.merge_infos": "gymkernel-util-merge-steps",
        "wrappers.utils.merge_observations": "gymkernel-util-merge-steps",
        "wrappers.utils.merge_results": "gymkernel-util-merge-steps",
        "wrappers.utils.parts_of": "gymkernel-util-space-checks",
        "wrappers.utils.require_box": "gymkernel-util-space-checks",
        "wrappers.utils.require_image": "gymkernel-util-space-checks",
        "wrappers.utils.rescale_box": "gymkernel-util-rescale-box",
        "wrappers.utils.update_mean_var_count_from_moments": "gymkernel-util-running-mean-std",
    },
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
