"""Where everything is in the block that a parent and its workers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel_vector_async._control_block import BLOCK_SIZE
from gymkernel_vector_async._memory import Block, aligned

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["Address", "arrays_of", "private"]

NUMBERS: Final[dict[str, type[np.generic]]] = {
    **dict.fromkeys(("requested", "completed", "with_message"), np.int64),
    "rewards": np.float64,
    **dict.fromkeys(("terminations", "truncations"), np.bool_),
}
"""The arrays with one number for each environment."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where things are in the block; for workers, and for the parent."""

    size: int
    envs: int
    numbers: list[int]
    """For each of `NUMBERS`."""
    observations: list[list[int]]
    """For each buffer of the ring, for each leaf; empty where observations travel by message."""
    actions: list[int]
    """For each leaf of the action space; empty where actions travel by message."""
    plan: BatchPlan
    action_plan: BatchPlan
    ring: int

    @classmethod
    def laid_out(
        cls, plan: BatchPlan, action_plan: BatchPlan, *, envs: int, workers: int, ring: int, shared: bool
    ) -> Address:
        """Places for all, one after another, behind the words of the parent and of each worker.

        Args:
            plan: of observations.
            action_plan: of actions; those that have parts without a layout travel by message.
            envs: number of environments.
            workers: number of processes.
            ring: number of buffers for observations.
            shared: whether observations go through the block.
        """
        position = 8 * BLOCK_SIZE * (1 + workers)

        def place(itemsize: int) -> int:
            nonlocal position
            start = position = aligned(position)
            position += envs * itemsize
            return start

        def leaves(of: BatchPlan) -> list[int]:
            nonlocal position
            starts, position = of.place(envs, position, aligned(1))
            return starts

        numbers = [place(np.dtype(dtype).itemsize) for dtype in NUMBERS.values()]
        observations = [leaves(plan) for _ in range(ring)] if shared else []
        actions = [] if action_plan.object_parts else leaves(action_plan)
        if action_plan.object_parts:
            action_plan = type(action_plan)((), (), action_plan.object_parts, action_plan.tree)
        return cls(aligned(position), envs, numbers, observations, actions, plan, action_plan, ring)


def arrays_of(block: Block, address: Address) -> tuple[dict[str, Any], list[list[Any]]]:
    """The arrays in a block: by name, and those of observations by buffer and leaf."""
    n, places = address.envs, zip(NUMBERS.items(), address.numbers, strict=True)
    named: dict[str, Any] = {name: block.array(start, (n,), dtype) for (name, dtype), start in places}
    named["actions"] = address.action_plan.arrays(n, block.memory, address.actions)
    observations = [address.plan.arrays(n, block.memory, slot) for slot in address.observations]
    return named, observations


def private(address: Address, n: int) -> list[list[Any]]:
    """Arrays of this process alone, where observations travel by message."""
    return [address.plan.arrays(n) for _ in range(address.ring)]
