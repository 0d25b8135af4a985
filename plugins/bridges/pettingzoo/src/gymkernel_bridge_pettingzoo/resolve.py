"""The hook that resolves ids such as `pettingzoo/butterfly/pistonball_v6`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """Return the spec for an id with the prefix `pettingzoo/`."""
    if not env_id.startswith("pettingzoo/"):
        return None
    from gymkernel_bridge_pettingzoo.families import FAMILY

    return FAMILY.resolve(env_id)
