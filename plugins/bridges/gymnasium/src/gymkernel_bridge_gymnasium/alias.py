"""The function `is_alias`, which checks whether `import gymnasium` imports gymkernel, as under `gymkernel run`."""

from __future__ import annotations

from typing import Any

from gymkernel.env import Env

__all__ = ["is_alias"]


def is_alias() -> bool:
    """Return whether Gymnasium's classes are gymkernel's classes, so that nothing needs to be joined or converted.

    >>> is_alias()
    False
    """
    import gymnasium  # at the top, this import would load `companion`, which needs this module

    theirs: Any = gymnasium.Env
    return theirs is Env
