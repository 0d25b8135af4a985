"""Test cases about resets with seeds, masks and options."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, case, expect, refuses
from gymkernel_tool_check.backends.comparison import assert_same
from gymkernel_tool_check.backends.players import box, players
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv

__all__: list[str] = []

SEEDS: dict[str, Any] = {
    "None": None,
    "3": 3,
    "int64": np.int64(3),
    "list": [1, None, 3, None, 5],
    "array": np.arange(5),
    "tuple": (np.int32(4),) * 5,
}


@case(*((name, {"seed": seed}) for name, seed in SEEDS.items()))
def seeds(backend: Backend, seed: Any) -> None:
    """Check an integer seed, which is incremented for each environment, and a list with one seed per environment."""
    plain = ReferenceVectorEnv(players(box), AutoresetMode.NEXT_STEP)
    with backend(players(box)) as envs:
        assert_same(envs.reset(seed=seed), plain.reset(seed=seed), "reset")
        if seed is not None:
            expect(envs.np_random_seed[0], plain.envs[0].np_random_seed, "np_random_seed of environment 0")


@case(("too few", {"seed": [1, 2]}), ("text", {"seed": "abc"}))
def wrong_seeds_are_refused(backend: Backend, seed: Any) -> None:
    """Check that invalid seeds raise an exception, and that the vector environment can be reset afterwards."""
    with backend(players(box)) as envs:
        refuses(lambda: envs.reset(seed=seed), (ValueError, TypeError))
        envs.reset(seed=1)


@case()
def environments_reset_alone(backend: Backend) -> None:
    """Check resets of only some environments, selected by a mask, at the beginning and in the middle of episodes."""
    plain = ReferenceVectorEnv(players(box, tell=True), AutoresetMode.NEXT_STEP)
    with backend(players(box, tell=True)) as envs:
        for k, mask in enumerate(([1, 0, 0, 1, 0], [0, 1, 1, 0, 1], [0, 0, 0, 0, 1])):
            options = {"reset_mask": np.array(mask, np.bool_), "k": k}
            assert_same(envs.reset(seed=k, options=options), plain.reset(seed=k, options=options), f"reset {k}")
        for step in range(12):
            actions = np.full(5, 3 + step % 5)
            assert_same(envs.step(actions), plain.step(actions), f"step {step}")
            if step == 5:
                options = {"reset_mask": np.array([0, 1, 0, 0, 1], np.bool_)}
                assert_same(envs.reset(options=options), plain.reset(options=options), "reset between")


@case(
    ("list", {"mask": [True] * 5}),
    ("floats", {"mask": np.ones(5)}),
    ("too short", {"mask": np.ones(4, np.bool_)}),
    ("none", {"mask": np.zeros(5, np.bool_)}),
    ("column", {"mask": np.ones((5, 1), np.bool_)}),
)
def wrong_reset_masks_are_refused(backend: Backend, mask: Any) -> None:
    """Check that a reset mask is rejected unless it is a bool array that selects at least one environment."""
    with backend(players(box)) as envs:
        refuses(lambda: envs.reset(options={"reset_mask": mask}), (TypeError, ValueError), "reset_mask")
