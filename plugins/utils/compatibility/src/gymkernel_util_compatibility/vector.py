"""The vector version of the wrapper `StepAPICompatibility`."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, Mask, ObsType
from gymkernel.vector_env import VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_compatibility.step_api_compatibility import step_api_compatibility

__all__ = ["StepAPICompatibility"]


class StepAPICompatibility(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """A vector wrapper whose `step` returns five values, or four values with `dones`, as in Gym before version 0.26.

    The wrapped vector environment may return four or five values. If the wrapper returns four values, it must be the
    outermost wrapper, because other wrappers expect five values.

    The arguments and exceptions are the same as for `gymkernel.wrappers.StepAPICompatibility`.
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], output_truncation_bool: bool = True) -> None:
        VectorWrapper.__init__(self, env)
        self.output_truncation_bool = output_truncation_bool

    def step(self, actions: ActType) -> Any:
        """Perform one action in every environment, and return four or five values."""
        return step_api_compatibility(self.env.step(actions), self.output_truncation_bool, is_vector_env=True)

    def step_masked(self, actions: ActType, mask: Mask) -> Any:
        """Perform one action in each environment that the mask selects, and return four or five values."""
        results = self.env.step_masked(actions, mask)
        return step_api_compatibility(results, self.output_truncation_bool, is_vector_env=True)
