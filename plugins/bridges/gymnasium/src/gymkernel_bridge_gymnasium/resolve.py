"""Hooks that resolve Gymnasium's ids, such as `LunarLander-v3` or `gymnasium/CartPole-v1`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

PREFIX = "gymnasium/"


@hookimpl(trylast=True)
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """Return the spec for an id from Gymnasium or from a package that registers its ids with Gymnasium on import.

    Other plugins take precedence. The name of a gymkernel environment never refers to Gymnasium's environment, even if
    gymkernel's environment is not installed.
    """
    from gymkernel import plugins
    from gymkernel.ids import well_formed

    bare = not env_id.startswith(PREFIX)
    module, colon, name = env_id.partition(":")
    if colon and bare:
        if _is_alias_imported():
            return None
        from gymkernel_bridge_gymnasium.modules import spec_of_module

        return spec_of_module(module, name)
    names = [parts[:2] for parts in well_formed([env_id])]
    if not names or (bare and names[0] in {parts[:2] for parts in well_formed(plugins.missing("envs"))}):
        return None
    import gymnasium  # noqa: F401 - it must come before the imports below

    from gymkernel_bridge_gymnasium.parts import is_alias

    if is_alias():  # Gymnasium's ids are already in gymkernel's registry
        return None
    from gymkernel_bridge_gymnasium.families import gymnasium_spec, own_spec
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    if (own := own_spec(env_id)) is not None:
        return own
    return spec_from_gymnasium(gymnasium_spec(env_id.removeprefix(PREFIX), bare=bare), "" if bare else PREFIX)


@hookimpl
def gymkernel_worker_setup() -> list[Callable[[], None]]:
    """Return functions that repeat this process's Gymnasium registrations in a worker, if Gymnasium is imported."""
    if "gymnasium.envs.registration" not in sys.modules or _is_alias_imported():
        return []
    from gymkernel_bridge_gymnasium.registration import worker_setup

    return worker_setup()


def _is_alias_imported() -> bool:
    """Return whether the module `gymnasium` is imported and stands in for gymkernel."""
    if "gymnasium" not in sys.modules:
        return False
    from gymkernel_bridge_gymnasium.parts import is_alias

    return is_alias()
