"""The hook that resolves ids such as `envpool/Pong-v5`. EnvPool is imported when such an id is first looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl
from gymkernel_util_compatibility.id_families import IdFamily

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["gymkernel_resolve_env"]


def _names() -> Iterable[str]:
    import envpool

    names: Iterable[str] = envpool.list_all_envs()
    return names


def _make_spec(env_id: str, name: str) -> EnvSpec:
    from gymkernel.specs import EnvSpec

    return EnvSpec(
        env_id,
        f"{__package__}.single_env:EnvPoolEnv",
        vector_entry_point=f"{__package__}.vector_env:EnvPoolVectorEnv",
        kwargs={"task_id": name},
    )


FAMILY = IdFamily("envpool", "envpool", '"gymkernel[envpool]"', _names, _make_spec)


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """Return the spec for an id that begins with `envpool/`.

    `max_episode_steps` is not set, because a pool ends its episodes itself.
    """
    return FAMILY.resolve(env_id)
