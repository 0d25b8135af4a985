"""A module that converts the spaces of gym environments. gymkernel imports this module if gym has been imported.

In gym 0.26, `step` returns five values, so gymkernel's wrappers and vector backends accept gym 0.26 environments
directly. When a wrapper or a vector backend receives such an environment, this module replaces the environment's spaces
with gymkernel spaces. An environment whose `step` returns four values must be converted with `from_gym`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gymkernel.wrapper import adopt
from gymkernel_bridge_gym.spaces import space_from_gym
from gymkernel_util_compatibility.other_apis import explain_kind

_gym = import_module("gym")  # gym is not a dependency of this package, because most of the modules work without it
_names = ("observation_space", "action_space")


@adopt.register(_gym.Env)
def _adopt_env(env: Any) -> None:
    if explained := explain_kind(env):  # gym's vector environments are environments, too
        raise TypeError(f"Expected an OpenAI Gym environment, got {env!r}, {explained}")
    for layer in (env.unwrapped, env):
        for name in _names:
            space = getattr(layer, name, None)
            if isinstance(space, _gym.Space):
                try:
                    setattr(layer, name, space_from_gym(space))
                except AttributeError:  # the space is a property; backends raise an error that mentions `from_gym`
                    continue
