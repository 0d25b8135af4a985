"""Ids that gymkernel itself does not have: `LunarLander-v3`, `gymnasium/CartPole-v1`, and `gymkernel/CartPole-v1`."""

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
    """Return the spec of an id of Gymnasium's, also of a package that is not imported yet.

    Other plugins are asked first, and a name of gymkernel's own is never Gymnasium's, be it installed or not.
    """
    from gymkernel import plugins
    from gymkernel.ids import well_formed

    bare = not env_id.startswith(PREFIX)
    module, colon, name = env_id.partition(":")
    if colon and bare:
        from gymkernel_bridge_gymnasium.modules import spec_of_module

        return spec_of_module(module, name)
    names = [one[:2] for one in well_formed([env_id])]
    if not names or (bare and names[0] in {one[:2] for one in well_formed(plugins.missing("envs"))}):
        return None
    import gymnasium  # noqa: F401 - 150 ms where it is asked for; before this package, which registers ids with it

    from gymkernel_bridge_gymnasium.families import gymnasium_spec, own_spec
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    if (own := own_spec(env_id)) is not None:
        return own
    return spec_from_gymnasium(gymnasium_spec(env_id.removeprefix(PREFIX), bare=bare), "" if bare else PREFIX)


@hookimpl
def gymkernel_worker_setup() -> list[Callable[[], None]]:
    """Have workers register what this process registered with Gymnasium, where that is in use."""
    if "gymnasium.envs.registration" not in sys.modules:
        return []
    from gymkernel_bridge_gymnasium.workers import worker_setup

    return worker_setup()
