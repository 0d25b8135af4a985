"""Functions that look up which package provides a known environment id."""

from __future__ import annotations

import fnmatch
from importlib.util import find_spec

from gymkernel.ids import well_formed
from gymkernel.third_party import ENVS, MODULES

__all__ = ["absent_module", "extra_of"]


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
