"""Specs of the one library as specs of the other."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel.specs import EnvSpec
from gymkernel_bridge_gymnasium.entries import EnvEntry, ObjectivesEntry, VectorEntry
from gymkernel_bridge_gymnasium.extras import absent_module
from gymkernel_bridge_gymnasium.registration import BUILT_IN, KernelSpec, kernel_spec, our_name
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker
from gymkernel_wrapper_time_limit import TimeLimit

__all__ = ["spec_from_gymnasium", "spec_to_gymnasium"]

WORN = (PassiveEnvChecker, OrderEnforcing, TimeLimit)
"""What specs from here ask `gymkernel.make` to put on: imported, so that none asks for what is not installed."""


def spec_to_gymnasium(spec: EnvSpec | None) -> KernelSpec | None:
    """Gymnasium's spec that makes what a spec of gymkernel's makes."""
    if spec is None:
        return None
    made = kernel_spec(spec.id, our_name(spec.id), spec)
    made.kwargs = dict(spec.kwargs)
    return made


def spec_from_gymnasium(spec: TheirSpec | None, prefix: str = "gymnasium/") -> EnvSpec | None:
    """Gymkernel's spec that makes what a spec of Gymnasium's makes, in a worker too that knows no such id.

    Gymkernel puts on the limit of steps and the checkers, so that the arguments of its `make` mean what they say; where
    Gymnasium's spec has wrappers to be outside of them, everything is Gymnasium's.

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
    """Return the entry point of one environment: Gymnasium's own name for it, by which programs find environments.

    A function, and a simulator of Gymnasium's that is not installed, go through an entry of this package, whose errors
    say what to install.
    """
    if spec.entry_point is None:
        return None
    if isinstance(spec.entry_point, str):
        built_in = spec.entry_point.startswith(BUILT_IN)
        if not built_in or absent_module(spec.id) is None:
            return spec.entry_point
    return EnvEntry(spec.id, spec.entry_point).portable()


def _vector_entry_point(spec: TheirSpec) -> Any:
    """Return the entry point of the vectorised form; backends take rewards that are numbers, unlike MO-Gymnasium's."""
    if spec.vector_entry_point is not None:
        return VectorEntry(spec.id, spec.vector_entry_point).portable()
    if isinstance(spec.entry_point, str) and spec.entry_point.startswith("mo_gymnasium."):
        return ObjectivesEntry(spec.id, spec.entry_point).portable()
    return None


def _portable(spec: TheirSpec) -> str | TheirSpec:
    """The spec as JSON, for processes in which nobody registered it; as it is where JSON says less."""
    try:
        text = spec.to_json()
    except (TypeError, ValueError):
        return spec
    return text if vars(TheirSpec.from_json(text)) == vars(spec) else spec
