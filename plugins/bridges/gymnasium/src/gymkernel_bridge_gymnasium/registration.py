"""gymkernel's ids with Gymnasium, which has one name for one environment, and has a CartPole-v1 of its own.

* `gymkernel/CartPole-v1` is gymkernel's, whatever else is registered; of `lab/Maze-v0`, `gymkernel-lab/Maze-v0`.
* `gymkernel/LunarLander-v3` is what `gymkernel.make` makes of Gymnasium's own environment.
* `CartPole-v1` stays what it is where Gymnasium has it, and is gymkernel's where Gymnasium has none.
* `gymkernel_bridge_gymnasium:gymkernel/CartPole-v1` has Gymnasium import the bridge first.

Importing this module registers the ids. It is imported while Gymnasium's import ends, and needs no other module of this
package that imports Gymnasium.
"""

from __future__ import annotations

from collections.abc import Mapping
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

__all__ = ["BUILT_IN", "KernelSpec", "kernel_spec", "our_name", "own_ids", "register_ids"]

BUILT_IN = "gymnasium.envs"
"""Where the entry points of Gymnasium's own environments begin."""
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


def register_ids() -> None:
    """Register every id of gymkernel's that is not registered yet; no plugin is loaded for it.

    Importing `gymkernel_bridge_gymnasium` does this once; call it after `gymkernel.register`.

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
    built_in = [one for one, spec in theirs.items() if str(spec.entry_point).startswith(BUILT_IN) and one not in absent]
    for env_id in built_in:
        theirs.setdefault(our_name(env_id), kernel_spec(env_id, our_name(env_id)))
    made_here = {*own, *built_in}
    for name, known in list(theirs.items()):
        if isinstance(known, KernelSpec) and known.kernel_id not in made_here:
            del theirs[name]


def own_ids() -> list[str]:
    """Return the ids that gymkernel has itself, by call or from a plugin, also where its registry is a joined one."""
    return list(EnvRegistry.__iter__(kernel_registry))


register_ids()
