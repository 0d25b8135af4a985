"""Functions that find the spec for `module:id` if both gymkernel and the module may define the id."""

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
"""Maps each package that creates environments with its own functions, without ids, to the code that users must use."""


def spec_of_module(module: str, env_id: str) -> EnvSpec | None:
    """Return the spec that a module has registered with Gymnasium under an id that gymkernel also has.

    Args:
        module: the module's name, before the colon.
        env_id: the environment's id, after the colon.

    Returns:
        The spec, or None if the id refers to gymkernel's environment. A warning is issued if the module has not
        registered the id.

    Raises:
        NameNotFound: if the module creates environments with its own functions and does not register them.
    """
    nothing = f"Importing {module} did not register {env_id}"
    theirs = _registered_with_gymnasium(env_id)
    if module in OWN_API and not any(_is_inside(module, spec) for spec in (theirs, registry.registered.get(env_id))):
        code = OWN_API[module].format(env_id=env_id)
        raise error.NameNotFound(
            f"{nothing}, because {module} has its own API. Write {code} to create its environment. Without the prefix "
            f"{module}, {env_id!r} is an id of gymkernel or Gymnasium"
        )
    names = [parts[:2] for parts in well_formed([env_id])]
    own = [known for known in plugins.names("envs") if [parts[:2] for parts in well_formed([known])] == names]
    providers = [provider for name in own for provider in plugins.providers("envs", name)]
    packages = {provider.value.partition(":")[0].partition(".")[0] for provider in providers}
    package = module.partition(".")[0]
    is_ours = package in packages or package.startswith("gymkernel")
    if not own or is_ours or any(known in registry.registered for known in (env_id, *own)):
        return None
    if theirs is None:
        logger.warn(f"{nothing}, so this is gymkernel's own environment {env_id!r}", stacklevel=2)
    return theirs


def _is_inside(module: str, spec: EnvSpec | None) -> bool:
    """Return whether the entry point of a spec is in a module or one of its submodules."""
    return spec is not None and str(spec.entry_point).startswith((f"{module}:", f"{module}."))


def _registered_with_gymnasium(env_id: str) -> EnvSpec | None:
    """Return the converted spec if a package has registered the id with Gymnasium, and None otherwise."""
    library: Any = sys.modules.get("gymnasium")
    if library is None or env_id not in library.registry:
        return None
    from gymkernel_bridge_gymnasium.registration import BUILT_IN, KernelSpec
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    spec = library.registry[env_id]
    if isinstance(spec, KernelSpec) or str(spec.entry_point).startswith(BUILT_IN):
        return None
    return spec_from_gymnasium(spec, "")
