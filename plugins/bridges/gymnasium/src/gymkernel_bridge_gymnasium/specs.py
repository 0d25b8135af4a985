"""Specs of the one library as specs of the other."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel import spec as spec_of
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit
from gymkernel_bridge_gymnasium.creators import Creator, VectorCreator
from gymkernel_bridge_gymnasium.entries import EnvEntry, VectorEntry

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KernelSpec", "kernel_spec", "our_name", "spec_from_gymnasium", "spec_to_gymnasium"]

WORN = (PassiveEnvChecker, OrderEnforcing, TimeLimit)
"""What specs from here ask `gymkernel.make` to put on: imported, so that none asks for what is not installed."""
LATER = ("max_episode_steps", "nondeterministic", "reward_threshold")


def our_name(env_id: str) -> str:
    """The id of Gymnasium's that is gymkernel's alone; Gymnasium has one level of namespaces.

    >>> our_name("CartPole-v1"), our_name("lab/Maze-v0")
    ('gymkernel/CartPole-v1', 'gymkernel-lab/Maze-v0')
    """
    namespace, slash, name = env_id.rpartition("/")
    return f"gymkernel{'-' if slash else ''}{namespace.replace('/', '-')}/{name}"


def _later(name: str) -> Any:
    """A field that is asked of gymkernel's spec, unless it is set."""

    def getter(self: KernelSpec) -> Any:
        return vars(self)[name] if name in vars(self) else _said(spec_of(self.kernel_id))[name]

    def setter(self: KernelSpec, value: Any) -> None:
        vars(self)[name] = value

    return property(getter, setter)


class KernelSpec(TheirSpec):
    """Gymnasium's spec of an id of gymkernel's; what only the plugin knows is asked of it when it is read."""

    kernel_id: str

    if not TYPE_CHECKING:
        max_episode_steps, nondeterministic, reward_threshold = map(_later, LATER)


def _said(spec: EnvSpec) -> Mapping[str, Any]:
    """What a spec of gymkernel's says in fields that Gymnasium's has too.

    One side limits the steps: Gymnasium's, as its `make(max_episode_steps=...)` means it, unless wrappers of the spec
    are to be outside of the limit. Order and spaces are checked by gymkernel's wrappers inside.
    """
    return {
        "max_episode_steps": None if spec.additional_wrappers else spec.max_episode_steps,
        "nondeterministic": spec.nondeterministic,
        "reward_threshold": spec.reward_threshold,
    }


def kernel_spec(env_id: str, name: str, spec: EnvSpec | None = None) -> KernelSpec:
    """Gymnasium's spec of an id.

    Args:
        env_id: gymkernel's id.
        name: the id for Gymnasium.
        spec: gymkernel's spec, of an id that no plugin provides: it travels to workers with what is returned.
    """
    package = __package__
    single: Any = f"{package}.creators.single:{env_id}" if spec is None else Creator(env_id, spec)
    vector: Any = f"{package}.creators.vector:{env_id}" if spec is None else VectorCreator(env_id, spec)
    made = KernelSpec(name, single, order_enforce=False, disable_env_checker=True, vector_entry_point=vector)
    made.kernel_id = env_id
    for field in LATER:
        del vars(made)[field]
    vars(made).update({} if spec is None else _said(spec))
    return made


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
    single: Any = None if spec.entry_point is None else EnvEntry(spec.id, spec.entry_point).portable()
    vector: Any = None if spec.vector_entry_point is None else VectorEntry(spec.id, spec.vector_entry_point).portable()
    return EnvSpec(
        f"{prefix}{spec.id}",
        f"{__package__}.inward:make_gymnasium" if inside else single,
        reward_threshold=spec.reward_threshold,
        nondeterministic=spec.nondeterministic,
        max_episode_steps=None if inside else spec.max_episode_steps,
        order_enforce=not inside and spec.order_enforce,
        disable_env_checker=inside or spec.disable_env_checker,
        kwargs={"gymnasium_id": _portable(spec)} if inside else deepcopy(spec.kwargs),
        vector_entry_point=None if inside else vector,
    )


def _portable(spec: TheirSpec) -> str | TheirSpec:
    """The spec as JSON, for processes in which nobody registered it; as it is where JSON says less."""
    try:
        text = spec.to_json()
    except (TypeError, ValueError):
        return spec
    return text if vars(TheirSpec.from_json(text)) == vars(spec) else spec
