"""The packages that contain the environments of known ids."""

from __future__ import annotations

import fnmatch
from importlib.util import find_spec

from gymkernel.ids import well_formed
from gymkernel.third_party import ENVS, MODULES

__all__ = ["absent_module", "extra_of"]


def extra_of(env_id: str) -> str | None:
    """Return the `pip install` requirement that provides the environment with an id, or None if it is unknown.

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
    """Return the name of a module that a known environment needs but that is not installed, or None.

    Args:
        env_id: the environment's id, with any version.
    """
    extra = extra_of(env_id)
    return MODULES[extra] if extra is not None and find_spec(MODULES[extra]) is None else None
