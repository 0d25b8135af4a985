"""`module:id` with an id that gymkernel has itself: what the module registers with Gymnasium, or a warning."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from gymkernel import error, logger, plugins
from gymkernel.ids import well_formed
from gymkernel.registration import registry

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["OWN_API", "spec_of_module"]

OWN_API = {"envpool": 'envpool.make("{env_id}", env_type="gymnasium", num_envs=8)'}
"""Packages that make environments by functions of their own and register none, with what to write for an id."""


def spec_of_module(module: str, env_id: str) -> EnvSpec | None:
    """Return the spec that a module, which is imported, registers with Gymnasium under an id of gymkernel's own.

    Args:
        module: the module in front of the colon.
        env_id: the id behind the colon.

    Returns:
        None if gymkernel itself knows what the id means. A warning is given if the module has nothing to do with it.

    Raises:
        NameNotFound: the module registers no environments at all, and a function of the module makes this one.
    """
    nothing = f"Importing {module} registered no {env_id}"
    theirs = _registered_with_gymnasium(env_id)
    if module in OWN_API and not any(_is_inside(module, one) for one in (theirs, registry.registered.get(env_id))):
        write = OWN_API[module].format(env_id=env_id)
        raise error.NameNotFound(
            f"{nothing}: {module} has an API of its own. Write {write} for its environment; without {module} in front, "
            f"{env_id!r} is an id of gymkernel's or Gymnasium's"
        )
    names = [one[:2] for one in well_formed([env_id])]
    own = [one for one in plugins.names("envs") if [parts[:2] for parts in well_formed([one])] == names]
    makers = {one.value.partition(":")[0].partition(".")[0] for name in own for one in plugins.providers("envs", name)}
    package = module.partition(".")[0]
    is_ours = package in makers or package.startswith("gymkernel")
    if not own or is_ours or any(one in registry.registered for one in (env_id, *own)):
        return None
    if theirs is None:
        logger.warn(f"{nothing}; this is gymkernel's own environment, whose id is {env_id!r}", stacklevel=2)
    return theirs


def _is_inside(module: str, spec: EnvSpec | None) -> bool:
    """Return whether a module, or a module inside of it, makes the environments of a spec."""
    return spec is not None and str(spec.entry_point).startswith((f"{module}:", f"{module}."))


def _registered_with_gymnasium(env_id: str) -> EnvSpec | None:
    """Return gymkernel's spec of what a package registered in the place of Gymnasium's own environment."""
    library: Any = sys.modules.get("gymnasium")
    if library is None or env_id not in library.registry:
        return None
    from gymkernel_bridge_gymnasium.registration import BUILT_IN, KernelSpec
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    spec = library.registry[env_id]
    if isinstance(spec, KernelSpec) or str(spec.entry_point).startswith(BUILT_IN):
        return None
    return spec_from_gymnasium(spec, "")
