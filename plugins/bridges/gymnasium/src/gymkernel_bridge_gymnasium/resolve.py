"""Ids of Gymnasium's: `gymnasium/CartPole-v1`, `gymnasium/ALE/Pong-v5`, `gymnasium/minigrid:MiniGrid-Empty-5x5-v0`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl

if TYPE_CHECKING:
    from gymkernel.envs.registration import EnvSpec

PREFIX = "gymnasium/"


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """A spec for an id of Gymnasium's, of those too whose package is not imported yet."""
    if not env_id.startswith(PREFIX):
        return None
    import gymnasium  # noqa: F401 - 150 ms where it is asked for; before this package, which registers ids with it

    from gymkernel_bridge_gymnasium.families import gymnasium_spec
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    return spec_from_gymnasium(gymnasium_spec(env_id.removeprefix(PREFIX)))
