"""The module that converts the spaces of gym's environments. gymkernel imports it as soon as gym is imported, too.

Environments of gym 0.26 return five values, so gymkernel's wrappers and vector backends accept them without conversion.
This module converts their spaces when a wrapper or a vector backend receives such an environment. An environment whose
`step` returns four values must be converted with `from_gym`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gymkernel.wrapper import adopt
from gymkernel_bridge_gym.spaces import space_from_gym

_gym = import_module("gym")  # the distribution does not require gym, because most of its modules work without gym
_names = ("observation_space", "action_space")


@adopt.register(_gym.Env)
def _adopt_env(env: Any) -> None:
    for layer in (env.unwrapped, env):
        for name in _names:
            space = getattr(layer, name, None)
            if isinstance(space, _gym.Space):
                try:
                    setattr(layer, name, space_from_gym(space))
                except AttributeError:  # the space is a property; backends then raise an error that names `from_gym`
                    continue
