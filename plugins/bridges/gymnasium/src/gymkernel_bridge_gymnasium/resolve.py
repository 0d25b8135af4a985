"""Ids of Gymnasium's environments: `gymnasium/CartPole-v1`, `gymnasium/ALE/Pong-v5`."""

from __future__ import annotations

from gymkernel.envs.registration import EnvSpec
from gymkernel.hooks import hookimpl

PREFIX = "gymnasium/"


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """A spec for an id of Gymnasium's; its own `make` applies the wrappers that its spec asks for."""
    if not env_id.startswith(PREFIX):
        return None
    import gymnasium  # 150 ms that only its users shall pay

    theirs = gymnasium.spec(env_id.removeprefix(PREFIX))
    vectorized = None if theirs.vector_entry_point is None else "gymkernel_bridge_gymnasium:make_gymnasium_vec"
    return EnvSpec(
        env_id,
        "gymkernel_bridge_gymnasium:make_gymnasium",
        reward_threshold=theirs.reward_threshold,
        nondeterministic=theirs.nondeterministic,
        order_enforce=False,
        disable_env_checker=True,
        kwargs={"gymnasium_id": theirs.id},
        vector_entry_point=vectorized,
    )
