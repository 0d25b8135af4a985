"""Functions that look up which package provides a known environment id."""

from __future__ import annotations

import fnmatch
from importlib.util import find_spec

from gymkernel import plugins
from gymkernel.ids import well_formed
from gymkernel.third_party import ENVS, MODULES

__all__ = ["absent_ids", "absent_module", "extra_of"]


def absent_ids() -> dict[str, str]:
    """Return the ids of gymkernel's environments that are not installed, with the names of their plugins.

    Ids that an extra of gymkernel installs for Gymnasium, such as LunarLander-v3, are left out. Without gymkernel's
    plugin, they refer to Gymnasium's environments.
    """
    return {env_id: plugin for env_id, plugin in plugins.missing("envs").items() if env_id not in ENVS}


def extra_of(env_id: str) -> str | None:
    """Return the requirement to pass to `pip install` for an environment id, or None if it is unknown.

    Args:
        env_id: the environment's id, with any version.

    >>> extra_of("ALE/Pong-v5"), extra_of("LunarLander-v2"), extra_of("Maze-v0")
    ('"gymkernel[atari]"', '"gymkernel[box2d]"', None)
    """
    names = [parts[:2] for parts in well_formed([env_id])]
    for pattern, extra in ENVS.items():
        if fnmatch.fnmatchcase(env_id, pattern) or [parts[:2] for parts in well_formed([pattern])] == names:
            return extra
    return None


def absent_module(env_id: str) -> str | None:
    """Return the name of a missing module that a known environment needs, or None if no module is missing.

    Args:
        env_id: the environment's id, with any version.
    """
    extra = extra_of(env_id)
    return MODULES[extra] if extra is not None and find_spec(MODULES[extra]) is None else None
