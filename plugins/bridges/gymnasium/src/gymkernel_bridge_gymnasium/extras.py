"""What brings the environments of known ids."""

from __future__ import annotations

import fnmatch
from importlib.util import find_spec

from gymkernel.ids import well_formed
from gymkernel.third_party import ENVS, MODULES

__all__ = ["absent_module", "extra_of"]


def extra_of(env_id: str) -> str | None:
    """What brings the environment of an id, of any version, as `pip install` takes it; None where nobody knows.

    >>> extra_of("ALE/Pong-v5"), extra_of("LunarLander-v2"), extra_of("Maze-v0")
    ('"gymkernel[atari]"', '"gymkernel[box2d]"', None)
    """
    names = [one[:2] for one in well_formed([env_id])]
    fits = (
        e for one, e in ENVS.items() if fnmatch.fnmatchcase(env_id, one) or [i[:2] for i in well_formed([one])] == names
    )
    return next(fits, None)


def absent_module(env_id: str) -> str | None:
    """Return the module that an environment of a known id needs and that is not installed; None if nothing is absent.

    Args:
        env_id: the id, of any version.
    """
    extra = extra_of(env_id)
    return MODULES[extra] if extra is not None and find_spec(MODULES[extra]) is None else None
