"""The hook that resolves gym ids such as `gym/CartPole-v1`, and ids that name a class, such as `gym/crafter:Env`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """Return the spec for an id with the prefix `gym/`. For `gym/module:name`, import the module first."""
    if not env_id.startswith("gym/"):
        return None
    from gymkernel_bridge_gym.specs import resolve

    return resolve(env_id)
