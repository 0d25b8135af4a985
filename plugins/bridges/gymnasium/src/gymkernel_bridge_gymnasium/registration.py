"""gymkernel's ids with Gymnasium, which has one name for one environment, and has a CartPole-v1 of its own.

* `gymkernel/CartPole-v1` is gymkernel's, whatever else is registered; of `lab/Maze-v0`, `gymkernel-lab/Maze-v0`.
* `CartPole-v1` stays what it is where Gymnasium has it, and is gymkernel's where Gymnasium has none.
* `gymkernel_bridge_gymnasium:CartPole-v1` is gymkernel's: while Gymnasium makes it, the plain name is lent.
"""

from __future__ import annotations

from typing import Any

from gymnasium.envs import registration

from gymkernel import plugins
from gymkernel.envs.registration import registry as kernel_registry
from gymkernel_bridge_gymnasium.specs import KernelSpec, kernel_spec, our_name

__all__ = ["ASKING", "give_back", "lend", "register_ids"]

ASKING = registration._find_spec.__code__  # noqa: SLF001 - what imports the module of `module:id`; a test makes such ids
"""The function of Gymnasium's in which an import of the bridge is one for an id."""

_lent: dict[str, Any] = {}
"""What Gymnasium has under names that are lent."""


def register_ids() -> None:
    """Register every id of gymkernel's that is not registered yet; no plugin is loaded for it.

    Importing `gymkernel_bridge_gymnasium` does this; call it after `gymkernel.register`, if you do not import it again.

    >>> import gymkernel, gymnasium
    >>> pole = {"gymnasium_id": "CartPole-v1"}
    >>> gymkernel.register("lab/Pole-v0", "gymkernel_bridge_gymnasium:make_gymnasium", kwargs=pole)
    >>> register_ids()
    >>> gymnasium.make("gymkernel-lab/Pole-v0").observation_space.shape
    (4,)
    >>> del gymkernel.registry["lab/Pole-v0"]
    """
    provided = set(plugins.names("envs"))
    for env_id in kernel_registry:
        for name in (our_name(env_id), env_id):
            if name not in registration.registry and registration.ENV_ID_RE.fullmatch(name):
                registered = None if env_id in provided else kernel_registry[env_id]
                registration.registry[name] = kernel_spec(env_id, name, registered)
    for name, known in list(registration.registry.items()):
        if isinstance(known, KernelSpec) and known.kernel_id not in kernel_registry:
            del registration.registry[name]


def lend(name: str) -> None:
    """Have Gymnasium find gymkernel's environment under its plain name, until it is made."""
    ours, theirs = registration.registry.get(our_name(name)), registration.registry.get(name)
    if ours is not None and theirs is not None and not isinstance(theirs, KernelSpec):
        _lent[name], registration.registry[name] = theirs, ours


def give_back(name: str) -> None:
    """Let Gymnasium have its name again."""
    if name in _lent:
        registration.registry[name] = _lent.pop(name)
