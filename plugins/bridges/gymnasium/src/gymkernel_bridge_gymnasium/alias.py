"""`is_alias`: check whether `import gymnasium` gives gymkernel's modules, as in programs that `gymkernel run` runs."""

from __future__ import annotations

from typing import Any

import gymnasium

from gymkernel.env import Env

__all__ = ["is_alias"]


def is_alias() -> bool:
    """Return whether Gymnasium's classes are gymkernel's classes, so that there is nothing to join or to convert.

    >>> is_alias()
    False
    """
    theirs: Any = gymnasium.Env
    return theirs is Env
