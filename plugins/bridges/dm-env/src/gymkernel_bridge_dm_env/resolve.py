"""The hook that resolves the ids of dm_control tasks, such as `dm_control/cartpole-balance`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from gymkernel.hooks import hookimpl
from gymkernel_util_compatibility.id_families import IdFamily

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["gymkernel_resolve_env"]


def _names() -> Iterable[str]:
    from dm_control import suite

    return [f"{domain}-{task}" for domain, task in suite.ALL_TASKS]


def _make_spec(env_id: str, name: str) -> EnvSpec:
    from gymkernel.specs import EnvSpec

    domain, _, task = name.partition("-")
    return EnvSpec(env_id, f"{__package__}.inward:DmControlEnv", kwargs={"domain_name": domain, "task_name": task})


FAMILY = IdFamily("dm_control", "dm_control", '"gymkernel[dm-control]"', _names, _make_spec)


@hookimpl
def gymkernel_resolve_env(env_id: str) -> EnvSpec | None:
    """Return the spec for an id that begins with `dm_control/`.

    The package shimmy uses the same prefix for its own ids, which end with `-v0`. If shimmy is installed, this hook
    leaves such ids to the bridge to Gymnasium. `max_episode_steps` is not set, because dm_control's environments limit
    the length of their episodes themselves.
    """
    if re.fullmatch(r"dm_control/.*-v\d+", env_id) and find_spec("shimmy") is not None:
        return None
    return FAMILY.resolve(env_id)
