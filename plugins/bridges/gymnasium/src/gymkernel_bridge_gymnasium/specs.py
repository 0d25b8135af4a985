"""Functions that convert specs between the two libraries."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel.specs import EnvSpec
from gymkernel_bridge_gymnasium.entries import EnvEntry, ObjectivesEntry, VectorEntry, absent_module
from gymkernel_bridge_gymnasium.registration import BUILT_IN, KernelSpec, kernel_spec, our_name
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker
from gymkernel_wrapper_time_limit import TimeLimit

__all__ = ["spec_from_gymnasium", "spec_to_gymnasium"]

REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing, TimeLimit)
"""The wrappers that `gymkernel.make` adds for converted specs.

They are imported here to ensure that they are installed.
"""


def spec_to_gymnasium(spec: EnvSpec | None) -> KernelSpec | None:
    """Convert a gymkernel spec to a Gymnasium spec.

    Args:
        spec: a gymkernel spec; None is returned unchanged.
    """
    if spec is None:
        return None
    result = kernel_spec(spec.id, our_name(spec.id), spec)
    result.kwargs = dict(spec.kwargs)
    return result


def spec_from_gymnasium(spec: TheirSpec | None, prefix: str = "gymnasium/") -> EnvSpec | None:
    """Convert a Gymnasium spec to a gymkernel spec, which also works in workers where the id is not registered.

    gymkernel adds the time limit and the checkers, so that the arguments of its `make` work as usual. If Gymnasium's
    spec contains additional wrappers, which must be outside the time limit, Gymnasium adds everything instead.

    Args:
        spec: a Gymnasium spec; None is returned unchanged.
        prefix: the prefix of the id in gymkernel.

    >>> import gymnasium
    >>> spec_from_gymnasium(gymnasium.spec("FrozenLake-v1")).kwargs
    {'map_name': '4x4'}
    """
    if spec is None:
        return None
    inside = bool(spec.additional_wrappers)
    return EnvSpec(
        f"{prefix}{spec.id}",
        f"{__package__}.inward:make_gymnasium" if inside else _entry_point(spec),
        reward_threshold=spec.reward_threshold,
        nondeterministic=spec.nondeterministic,
        max_episode_steps=None if inside else spec.max_episode_steps,
        order_enforce=not inside and spec.order_enforce,
        disable_env_checker=inside or spec.disable_env_checker,
        kwargs={"gymnasium_id": _portable(spec)} if inside else deepcopy(spec.kwargs),
        vector_entry_point=None if inside else _vector_entry_point(spec),
    )


def _entry_point(spec: TheirSpec) -> Any:
    """Return the entry point for a single environment, which is Gymnasium's own entry point if possible.

    If Gymnasium's entry point is a callable or the environment's simulator is not installed, return an entry point from
    this package, whose errors contain the command that installs the simulator.
    """
    if spec.entry_point is None:
        return None
    if isinstance(spec.entry_point, str):
        built_in = spec.entry_point.startswith(BUILT_IN)
        if not built_in or absent_module(spec.id) is None:
            return spec.entry_point
    return EnvEntry(spec.id, spec.entry_point).portable()


def _vector_entry_point(spec: TheirSpec) -> Any:
    """Return the entry point of an environment's own vector environment or of MO-Gymnasium's vector environment.

    Return None if neither exists.

    MO-Gymnasium needs a vector environment of its own, because backends require each reward to be a single number.
    """
    if spec.vector_entry_point is not None:
        return VectorEntry(spec.id, spec.vector_entry_point).portable()
    if isinstance(spec.entry_point, str) and spec.entry_point.startswith("mo_gymnasium."):
        return ObjectivesEntry(spec.id, spec.entry_point).portable()
    return None


def _portable(spec: TheirSpec) -> str | TheirSpec:
    """Return the spec as JSON, for processes in which it is not registered, or unchanged if JSON would lose fields."""
    try:
        text = spec.to_json()
    except (TypeError, ValueError):
        return spec
    return text if vars(TheirSpec.from_json(text)) == vars(spec) else spec
