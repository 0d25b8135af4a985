"""Support for highway-env, whose environments create new spaces at each reset.

gymkernel imports this module as soon as highway-env is imported.
"""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any

from gymkernel.wrapper import adopt

__all__ = ["convert_new_spaces"]


def convert_new_spaces(cls: Any) -> None:
    """Make a class's environments convert the spaces that they create.

    Args:
        cls: an environment class whose method `define_spaces` sets the spaces.
    """
    original = cls.define_spaces

    @functools.wraps(original)
    def define_spaces(self: Any) -> None:
        original(self)
        adopt(self)

    cls.define_spaces = define_spaces


if "highway_env" in sys.modules:
    convert_new_spaces(import_module("highway_env.envs.common.abstract").AbstractEnv)
