"""Functions that register gymkernel's ids with Gymnasium, including ids that exist in both, such as `CartPole-v1`.

* `gymkernel/CartPole-v1` is always gymkernel's environment. For `lab/Maze-v0`, the corresponding id is
  `gymkernel-lab/Maze-v0`.
* `gymkernel/LunarLander-v3` is Gymnasium's environment, created by `gymkernel.make`.
* `CartPole-v1` is Gymnasium's environment if Gymnasium has this id, and gymkernel's environment otherwise.
* `gymkernel_bridge_gymnasium:gymkernel/CartPole-v1` makes Gymnasium import the bridge first.

Importing this module registers the ids. Because this happens at the end of Gymnasium's own import, the module must not
use any modules of this package that import Gymnasium.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gymnasium.envs import registration
from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel import plugins
from gymkernel.registration import EnvRegistry
from gymkernel.registration import registry as kernel_registry
from gymkernel.registration import spec as spec_of
from gymkernel_bridge_gymnasium.creators import Creator, VectorCreator

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["BUILT_IN", "KernelSpec", "kernel_spec", "our_name", "own_ids", "register_ids", "worker_setup"]

BUILT_IN = "gymnasium.envs"
"""The prefix of the entry points of Gymnasium's own environments."""
EVERYWHERE = (BUILT_IN, "gymkernel_bridge_gymnasium.creators.")
"""The prefixes of entry points that every process registers when it imports Gymnasium and this package."""
LAZY_FIELDS = ("max_episode_steps", "nondeterministic", "reward_threshold")


def our_name(env_id: str) -> str:
    """Return the Gymnasium id that always refers to gymkernel's environment.

    Namespaces in Gymnasium's ids cannot be nested.

    Args:
        env_id: the environment's id in gymkernel.

    >>> our_name("CartPole-v1"), our_name("lab/Maze-v0")
    ('gymkernel/CartPole-v1', 'gymkernel-lab/Maze-v0')
    """
    namespace, slash, name = env_id.rpartition("/")
    return f"gymkernel{'-' if slash else ''}{namespace.replace('/', '-')}/{name}"


def _lazy_field(name: str) -> Any:
    """Return a property that reads a field from gymkernel's spec unless the field has been set."""

    def getter(self: KernelSpec) -> Any:
        return vars(self)[name] if name in vars(self) else _common_fields(spec_of(self.kernel_id))[name]

    def setter(self: KernelSpec, value: Any) -> None:
        vars(self)[name] = value

    return property(getter, setter)


class KernelSpec(TheirSpec):
    """A Gymnasium spec for a gymkernel id, which loads the id's plugin only if a field requires this."""

    kernel_id: str
    """The environment's id in gymkernel."""

    if not TYPE_CHECKING:
        max_episode_steps, nondeterministic, reward_threshold = map(_lazy_field, LAZY_FIELDS)


def _common_fields(spec: EnvSpec) -> Mapping[str, Any]:
    """Return the fields of a gymkernel spec that Gymnasium's specs also have.

    Gymnasium adds the time limit, so that its `make(max_episode_steps=...)` works as usual, unless the spec has
    wrappers that must be outside the time limit. In that case, gymkernel adds it. gymkernel's wrappers check the order
    of calls and the spaces.
    """
    return {
        "max_episode_steps": None if spec.additional_wrappers else spec.max_episode_steps,
        "nondeterministic": spec.nondeterministic,
        "reward_threshold": spec.reward_threshold,
    }


def kernel_spec(env_id: str, name: str, spec: EnvSpec | None = None) -> KernelSpec:
    """Create a Gymnasium spec for a gymkernel id.

    Args:
        env_id: the environment's id in gymkernel.
        name: the environment's id in Gymnasium.
        spec: gymkernel's spec, which is stored in the result and thus sent to workers; None if a plugin provides the
            id.
    """
    package = __package__
    single: Any = f"{package}.creators.single:{env_id}" if spec is None else Creator(env_id, spec)
    vector: Any = f"{package}.creators.vector:{env_id}" if spec is None else VectorCreator(env_id, spec)
    result = KernelSpec(name, single, order_enforce=False, disable_env_checker=True, vector_entry_point=vector)
    result.kernel_id = env_id
    for field in LAZY_FIELDS:
        del vars(result)[field]
    vars(result).update({} if spec is None else _common_fields(spec))
    return result


def register_ids() -> None:
    """Register all gymkernel ids that are not registered with Gymnasium yet. Their plugins are not loaded.

    Importing `gymkernel_bridge_gymnasium` calls this function once. Call the function again after `gymkernel.register`.

    >>> import gymkernel, gymnasium
    >>> pole = {"gymnasium_id": "CartPole-v1"}
    >>> gymkernel.register("lab/Pole-v0", "gymkernel_bridge_gymnasium:make_gymnasium", kwargs=pole)
    >>> register_ids()
    >>> gymnasium.make("gymkernel-lab/Pole-v0").observation_space.shape
    (4,)
    >>> del gymkernel.registry["lab/Pole-v0"]
    """
    theirs, own = registration.registry, own_ids()
    provided = set(plugins.names("envs"))
    for env_id in own:
        for name in (our_name(env_id), env_id):
            if name not in theirs and registration.ENV_ID_RE.fullmatch(name):
                theirs[name] = kernel_spec(env_id, name, None if env_id in provided else kernel_registry[env_id])
    absent = plugins.missing("envs")
    built_in = [key for key, spec in theirs.items() if str(spec.entry_point).startswith(BUILT_IN) and key not in absent]
    for env_id in built_in:
        theirs.setdefault(our_name(env_id), kernel_spec(env_id, our_name(env_id)))
    current = {*own, *built_in}
    for name, known in list(theirs.items()):
        if isinstance(known, KernelSpec) and known.kernel_id not in current:
            del theirs[name]


def own_ids() -> list[str]:
    """Return the ids that are registered with gymkernel or provided by a plugin, without Gymnasium's ids."""
    return list(EnvRegistry.__iter__(kernel_registry))


def worker_setup() -> list[Callable[[], None]]:
    """Return functions that register this process's ids in another process, one function per id."""
    specs = [spec for spec in registration.registry.values() if not _home(spec).startswith(EVERYWHERE)]
    return [register_ids, *(functools.partial(_register, spec) for spec in specs)]


def _home(spec: TheirSpec) -> str:
    entry_point: Any = spec.entry_point
    return entry_point if isinstance(entry_point, str) else getattr(entry_point, "__module__", None) or ""


def _register(spec: TheirSpec) -> None:
    # modules that are imported later may register the same ids
    warnings.filterwarnings("ignore", message="(?s).*already in registry")
    registration.registry[spec.id] = spec


register_ids()
